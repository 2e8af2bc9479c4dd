#include "models/gpu/kernel.hpp"

#include <array>
#include <cstddef>
#include <unordered_map>

namespace jostle::gpu {
namespace {

// Calls change(part, other) for each part of the usage and its counterpart in the other.
template <typename Change>
Usage& change_all(Usage& usage, const Usage& other, const Change& change) {
  change(usage.compute, other.compute);
  change(usage.memory, other.memory);
  change(usage.sm_active, other.sm_active);
  change(usage.issue_slot, other.issue_slot);
  change(usage.tensor_active, other.tensor_active);
  change(usage.occupancy, other.occupancy);
  change(usage.working, other.working);
  change(usage.dram_bytes, other.dram_bytes);
  return usage;
}

// Share of a kernel's activity in the first `done`, from 0 to 1, of its duration.
double activity_until(const Kernel& kernel, double done) {
  const double fixed = static_cast<double>(kernel.fixed_share);
  if (done >= 1 || fixed >= 1) return done;
  const double resident = std::max(done - fixed, 0.0) / (1 - fixed);
  const double before_last = 1 - static_cast<double>(kernel.last_wave);
  if (resident > before_last) {
    return 1 -
           (1 - resident) * static_cast<double>(kernel.in_last_wave) / static_cast<double>(kernel.last_wave);
  }
  return resident * (1 - static_cast<double>(kernel.in_last_wave)) / before_last;
}

// The kernel that ran `back` kernels before `kernels[of]`, in a batch that repeats.
const Kernel& before(const std::vector<Kernel>& kernels, std::size_t of, std::size_t back) {
  return kernels[(of + kernels.size() - back) % kernels.size()];
}

// True if more other functions ran since the function of `kernels[of]` ran last than instruction caches hold,
// and its code is not fetched while the kernel before it runs.
bool waits_for_code(const std::vector<Kernel>& kernels, std::size_t of) {
  // Measured on an H100 (evidence/mps/functions_in_turn.csv): of six functions in turn none waits for its
  // code, of eight a third do, of ten all.
  constexpr std::size_t held = 8;
  // Chosen on an H200's kernels (evidence/mps/decode_kernels.csv): behind one that takes at most 3 us alone
  // they take 0.76 us longer as a client's, behind a longer one 0.34 us.
  const sim::Duration hides = sim::microseconds(3);
  if (before(kernels, of, 1).duration > hides) return false;
  std::array<std::uint32_t, held> others{};
  std::size_t count = 0;
  for (std::size_t back = 1; back < kernels.size(); ++back) {
    const std::uint32_t code = before(kernels, of, back).code;
    if (code == kernels[of].code) return false;
    const auto end = others.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(others.begin(), end, code) != end) continue;
    if (count == held) return true;
    others[count++] = code;
  }
  return false;
}

}  // namespace

const char* to_string(Grade grade) {
  static constexpr std::array names{"measured", "interpolated", "fitted", "datasheet"};
  return names.at(static_cast<std::size_t>(grade));
}

Usage& Usage::operator+=(const Usage& other) {
  return change_all(*this, other, [](double& part, double more) { part += more; });
}

Usage& Usage::operator-=(const Usage& other) {
  return change_all(*this, other, [](double& part, double less) { part -= less; });
}

Usage& Usage::operator*=(double factor) {
  return change_all(*this, *this, [factor](double& part, double /*same*/) { part *= factor; });
}

std::uint32_t code_of(std::string_view name, const Kernel& kernel) {
  constexpr std::uint32_t basis = 2'166'136'261U, prime = 16'777'619U;  // FNV-1a
  std::uint32_t code = basis;
  for (const char letter : name) code = (code ^ static_cast<unsigned char>(letter)) * prime;
  for (const std::uint32_t number :
       {kernel.blocks, kernel.threads_per_block, kernel.registers_per_thread, kernel.shared_bytes})
    code = (code ^ number) * prime;
  return code;
}

void note_reuse(std::vector<Kernel>& kernels) {
  std::unordered_map<std::uint32_t, double> last;  // by function: bytes up to the end of its last kernel
  double bytes = 0;
  for (int time = 0; time < 2; ++time) {  // the second pass knows the last kernels of the previous batch
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      double& end = last[kernels[i].code];
      kernels[i].reuse_bytes = waits_for_code(kernels, i) ? static_cast<float>(bytes - end) : 0;
      end = bytes += static_cast<double>(kernels[i].dram_bytes);
    }
  }
}

void note_same_functions(std::vector<Kernel>& kernels) {
  if (kernels.empty()) return;
  std::uint32_t before = kernels.back().code;
  for (Kernel& kernel : kernels) kernel.same_function = std::exchange(before, kernel.code) == kernel.code;
}

void set_waves(Kernel& kernel, double waves, double last) {
  const bool alike = waves <= 1 || last >= 1;
  kernel.last_wave = alike ? 0 : static_cast<float>(1 / waves);
  kernel.in_last_wave = alike ? 0 : static_cast<float>(last / (waves - 1 + last));
}

Usage usage_of(const Kernel& kernel, sim::Duration done) {
  const double time = sim::to_seconds(done);
  const double whole = sim::to_seconds(kernel.duration);
  // The time in which the mean activity would give the same amount.
  const double active = whole > 0 ? whole * activity_until(kernel, time / whole) : time;
  return {.compute = time * static_cast<double>(kernel.compute_share),
          .memory = time * static_cast<double>(kernel.memory_share),
          .sm_active = active * static_cast<double>(kernel.sm_active),
          .issue_slot = active * static_cast<double>(kernel.issue_slot),
          .tensor_active = active * static_cast<double>(kernel.tensor_active),
          .occupancy = active * static_cast<double>(kernel.occupancy),
          .working = active * static_cast<double>(kernel.working),
          .dram_bytes = whole > 0 ? static_cast<double>(kernel.dram_bytes) * (time / whole) : 0};
}

void KernelSequence::rebuild_finish() {
  finish.clear();
  used.clear();
  finish.reserve(kernels.size());
  used.reserve(kernels.size());
  sim::Duration sum;
  Usage usage;
  for (const Kernel& kernel : kernels) {
    finish.push_back(sum += kernel.duration);
    used.push_back(usage += usage_of(kernel, kernel.duration));
  }
}

}  // namespace jostle::gpu
