// Kernels of the kinds that networks consist of, by size: what this architecture reaches of its peaks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

struct Timed {
  int kind = 0;
  double size = 0;  // side of a matrix, or elements
  unsigned blocks = 0, threads = 0;
  double us = 0, sd_us = 0, samples = 0;
  double flop = 0, bytes = 0;
};

struct Case {
  Launch launch;
  double size, flop, bytes;
  std::size_t data_bytes;
};

std::vector<Case> cases(const GpuFacts& gpu, bool quick) {
  using enum KernelKind;
  const auto sms = static_cast<unsigned>(gpu.sms);
  std::vector<Case> all;
  const auto most = static_cast<std::size_t>(std::min(1.5e9, gpu.memory_bytes / 8));
  for (const std::uint64_t side : {64u, 128u, 256u, 512u, 1024u, 2048u}) {
    if (quick && side > 1024) continue;
    const auto tiles = static_cast<unsigned>(side / 64);
    const double n = static_cast<double>(side);
    all.push_back({{gemm, tiles * tiles, 256, side},
                   n,
                   2 * n * n * n,
                   3 * n * n * 4,
                   static_cast<std::size_t>(3 * side * side * 4)});
  }
  // A thread moves `amount` words of 16 bytes.
  for (const double kib : {64.0, 512.0, 4096.0, 32768.0, 262144.0}) {
    if (quick && kib > 40000) continue;
    const double words = kib * 1024 / 16,
                 amount = words > 256.0 * 8 * sms ? std::ceil(words / (256.0 * 8 * sms)) : 1;
    const auto blocks = static_cast<unsigned>(std::max(1.0, std::ceil(words / (256 * amount))));
    const double moved = 256.0 * blocks * amount * 16;
    const std::size_t data = std::min(most, static_cast<std::size_t>(3 * moved + 4096));
    const auto a = static_cast<std::uint64_t>(amount);
    all.push_back({{elementwise, blocks, 256, a}, moved / 4, 2 * moved / 4, 3 * moved, data});
    all.push_back({{reduction, blocks, 256, a}, moved / 4, moved / 4, moved, data});
    all.push_back({{depthwise, blocks, 256, a}, moved / 4, 18 * moved / 4, 2 * moved, data});
  }
  for (const unsigned threads : {128u, 256u, 512u, 1024u}) {
    const double warps = threads / 32.0 * sms, lanes = static_cast<double>(threads) * sms;
    all.push_back(
        {{fma4, sms, threads, 20'000}, static_cast<double>(threads), 2 * 4 * 20'000 * lanes, 0, 64});
    if (gpu.major >= 7)
      all.push_back(
          {{mma, sms, threads, 4'000}, static_cast<double>(threads), 2.0 * 4096 * 4'000 * warps, 0, 64});
  }
  return all;
}

std::vector<Timed> time_all(const Session& session) {
  const Gpu gpu;
  std::vector<Timed> all;
  for (const Case& one : cases(gpu.identity(), session.quick)) {
    Queue queue(gpu, 512, one.data_bytes);
    for (int i = 0; i < 5; ++i) queue.launch(one.launch);
    queue.forget_stamps();
    // Until the error of the median is small, or the time is over.
    const double until = host_now() + session.pace * (session.quick ? 0.1 : 0.4);
    std::vector<double> us;
    do {
      for (int i = 0; i < 20; ++i) queue.launch(one.launch);
      us.clear();
      for (const Stamp& stamp : queue.stamps())
        us.push_back(static_cast<double>(stamp.end - stamp.start) / 1e3);
    } while (host_now() < until &&
             (us.size() < 60 || middle_of_stamps(us)->sd > narrow / 4 * middle_of_stamps(us)->value));
    const auto found = middle_of_stamps(us);
    all.push_back({static_cast<int>(one.launch.kind), one.size, one.launch.blocks, one.launch.threads,
                   found->value, found->sd, static_cast<double>(found->samples), one.flop, one.bytes});
  }
  return all;
}

// The best rate of a kind over the SMs' cycles, in floating-point operations an SM and clock.
struct Peak {
  KernelKind kind;
  const char *parameter, *how;
};
constexpr Peak peaks[] = {
    {KernelKind::fma4, "seen.fp32_flop_per_clock_and_sm",
     "fused multiply-adds in four chains, best of grids"},
    {KernelKind::mma, "seen.tensor_fp16_flop_per_clock_and_sm",
     "products of 16 x 16 x 16 by warps, best of grids"},
    {KernelKind::gemm, "seen.gemm_fp32_flop_per_clock_and_sm", "tiles of 64 x 64, best of sizes"}};

void add_peak(const std::vector<Timed>& all, const Peak& peak, const GpuFacts& gpu, Outcome& outcome) {
  double best = 0, sd = 0, samples = 0;
  for (const Timed& one : all) {
    if (one.kind != static_cast<int>(peak.kind)) continue;
    const double rate = one.flop / (one.us * gpu.clock_mhz * gpu.sms);
    if (rate <= best) continue;
    best = rate;
    sd = one.sd_us / one.us;
    samples = one.samples;
  }
  if (best > 0)
    outcome.parameters.push_back({peak.parameter, best, "", sd, static_cast<std::size_t>(samples), peak.how});
}

}  // namespace

Outcome kernels(const Session& session) {
  Outcome outcome;
  const GpuFacts gpu = identify(session);
  session.progress(0, "products, convolutions, elementwise kernels by size");
  const auto all = found_apart(session, experiment_limit_s, [&] { return time_all(session); });
  std::string csv = "kind,size,blocks,threads,duration_us,duration_sd_us,samples,flop,bytes\n";
  for (const Timed& one : all)
    csv += fmt::format("{},{:.0f},{},{},{:.3f},{:.3f},{:.0f},{:.0f},{:.0f}\n",
                       name(static_cast<KernelKind>(one.kind)), one.size, one.blocks, one.threads, one.us,
                       one.sd_us, one.samples, one.flop, one.bytes);
  write_file(session, outcome, "kernels_by_size.csv", csv);
  for (const Peak& peak : peaks) add_peak(all, peak, gpu, outcome);
  return outcome;
}

}  // namespace jostle::calibration::probe
