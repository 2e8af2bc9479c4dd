// Statements on boards, compared with the constants of the profiles.
#include <fmt/format.h>

#include <algorithm>

#include "calibration/claims/concurrent_vision.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

board::DeviceSpec device(const char* name) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(name, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  return *profile->spec;
}

// The number of CUDA cores. A core does one multiply-add, so two operations, per clock.
double cuda_cores(const board::DeviceSpec& spec) {
  return spec.gpu.sm_count * spec.gpu.cuda_cores.fp32 / 2;
}
// The number of tensor cores. Multiply-adds in fp16 per clock: 64 for Volta's, 256 from Ampere on.
double tensor_cores(const board::DeviceSpec& spec) {
  const double operations_per_core = spec.gpu.architecture.starts_with("sm_7") ? 128 : 512;
  return spec.gpu.sm_count * spec.gpu.tensor_cores.fp16 / operations_per_core;
}

// Constants as a publication states them.
struct Constants {
  double cpu_cores, cuda_cores, tensor_cores, memory_gb;
};

void add_constants(Checks& checks, const char* name, const Constants& claimed) {
  const board::DeviceSpec spec = device(name);
  const auto label = [&](const char* what) { return fmt::format("{}: {}", name, what); };
  checks.equal(label("CPU cores"), claimed.cpu_cores, spec.core_count());
  checks.equal(label("CUDA cores"), claimed.cuda_cores, cuda_cores(spec));
  checks.equal(label("tensor cores"), claimed.tensor_cores, tensor_cores(spec));
  // Usable memory is less than installed memory.
  checks.near(label("memory"), claimed.memory_gb, spec.memory.capacity_bytes / 1e9, "GB");
}

void study_boards(Runs& /*runs*/, Checks& checks) {
  add_constants(checks, orin_nano, {6, 1024, 32, 8});
  add_constants(checks, nano, {4, 128, 0, 4});
  for (const auto& [name, low, high] : {std::tuple{orin_nano, "7W", "15W"}, std::tuple{nano, "5W", "MAXN"}}) {
    const board::DeviceSpec spec = device(name);
    const bool both =
        board::find_power_mode(spec, low) != nullptr && board::find_power_mode(spec, high) != nullptr;
    checks.is(fmt::format("{}: power modes at both ends", name), fmt::format("{} and {}", low, high),
              both ? "both exist" : "one is missing", both);
  }
}

void agx_orin(Runs& /*runs*/, Checks& checks) {
  constexpr const char* kit = "jetson-agx-orin-devkit-32gb";
  add_constants(checks, kit, {12, 2048, 64, 32});
  checks.equal(fmt::format("{}: DLAs", kit), 2, device(kit).dla.count);
}

// The peak of the CUDA cores in fp16.
double rated_gflops(const board::DeviceSpec& spec) {
  return spec.gpu.sm_count * spec.gpu.cuda_cores.fp16 * spec.gpu.max_clock_hz / 1e9;
}

void rated_performance(Runs& /*runs*/, Checks& checks) {
  checks.near("jetson-nano, fp16", 472, rated_gflops(device(nano)), "GFLOP/s");
  const board::DeviceSpec pi = device("raspberry-pi-3b");
  checks.near("raspberry-pi-3b, fp32", 21.4,
              pi.core_count() * pi.host[process::Runtime::cpu].fp32_ops_per_clock *
                  pi.cpu->clusters.front().max_clock_hz / 1e9,
              "GFLOP/s");
}

bool has_mode(const board::DeviceSpec& spec, std::string_view begin) {
  return std::ranges::any_of(spec.power_modes,
                             [begin](const board::PowerMode& mode) { return mode.name.starts_with(begin); });
}
// The peak in int8 of GPU and DLAs together, at the clocks of the mode, as in data sheets: with structured
// sparsity (half of the weights zero) if tensor cores and DLAs support it.
double rated_tops(const board::DeviceSpec& spec, const char* mode, double sparse) {
  const board::PowerMode* limits = board::find_power_mode(spec, mode);
  if (limits == nullptr) throw scenarios::RunError(fmt::format("{} has no power mode {}", spec.name, mode));
  const double gpu_hz = limits->gpu_max_clock_hz.value_or(spec.gpu.max_clock_hz);
  const double dla_hz = limits->dla_max_clock_hz.value_or(spec.dla.max_clock_hz);
  return sparse *
         (spec.gpu.sm_count * spec.gpu.tensor_cores.int8 * gpu_hz +
          spec.dla.count * spec.dla.ops_per_clock.int8 * dla_hz) /
         1e12;
}

void knob_devices(Runs& /*runs*/, Checks& checks) {
  const auto add = [&](const char* name, double cuda, double tensor, double gb, const char* low,
                       const char* high) {
    const board::DeviceSpec spec = device(name);
    const auto label = [&](const char* what) { return fmt::format("{}: {}", name, what); };
    checks.equal(label("CUDA cores"), cuda, cuda_cores(spec));
    checks.equal(label("tensor cores"), tensor, tensor_cores(spec));
    checks.near(label("memory"), gb, spec.memory.capacity_bytes / 1e9, "GB");
    const bool both = has_mode(spec, low) && has_mode(spec, high);
    checks.is(label("power modes"), fmt::format("{} and {}", low, high),
              both ? "both exist" : "one is missing", both);
  };
  add(nano, 128, 0, 4, "5W", "MAXN");
  add("jetson-xavier-nx", 384, 48, 8, "10W", "15W");
  add("jetson-orin-nx-16gb", 1024, 32, 16, "15W", "25W");
  checks.near("jetson-nano: fp16", 472, rated_gflops(device(nano)), "GFLOP/s");
  checks.near("jetson-xavier-nx: int8, GPU and DLAs", 21,
              rated_tops(device("jetson-xavier-nx"), "15W_2CORE", 1), "TOP/s");
  checks.near("jetson-orin-nx-16gb: sparse int8, GPU and DLAs", 100,
              rated_tops(device("jetson-orin-nx-16gb"), "MAXN", 2), "TOP/s");
}

void roofline_device(Runs& runs, Checks& checks) {
  const board::DeviceSpec spec = device("jetson-agx-orin-64gb");
  checks.at_least("CUDA cores", 2000, cuda_cores(spec));
  const scenarios::Result& training = runs.of(
      "device: jetson-agx-orin-64gb\npower_mode: MAXN\nprocesses: [{model: resnet50, precision: fp16, batch: "
      "64, "
      "training: true, runtime: eager}]\nrun: {duration: 8 s, warmup: 2 s}\n");
  checks.at_most("peak power in MAXN: training of resnet50, batch 64", 70,
                 known(training.system.power_w.peak), "W");
  checks.at_least("combinations of CPU, GPU and memory clocks", 1000,
                  static_cast<double>(spec.cpu->clusters.front().clock_table_hz.size() *
                                      spec.gpu.clock_table_hz.size() * spec.memory.clock_table_hz.size()));
}

constexpr StatementCheck device_constants_all[] = {
    {"C65", study_boards},      {"D09", agx_orin},        {"E41", knob_devices},
    {"F02", rated_performance}, {"G06", roofline_device},
};

}  // namespace

std::span<const StatementCheck> device_statements() {
  return device_constants_all;
}

}  // namespace jostle::calibration
