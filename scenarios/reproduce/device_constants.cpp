// Statements on what boards are: the profiles hold the same constants.
#include <fmt/format.h>

#include "calibration/profile/profile.hpp"
#include "scenarios/reproduce/concurrent_vision.hpp"
#include "scenarios/run.hpp"

namespace jostle::scenarios {
namespace {

using Kind = StatementKind;

board::DeviceSpec device(const char* name) {
  input::Problems problems;
  const auto profile = calibration::shipped_profile(name, problems);
  if (!profile) throw RunError(problems.text());
  return profile->spec;
}

// A core does a multiply-add a clock.
double cuda_cores(const board::DeviceSpec& spec) {
  return spec.gpu.sm_count * spec.gpu.cuda_cores.fp32 / 2;
}
// Third-generation tensor cores: 256 multiply-adds in fp16 a clock.
double tensor_cores(const board::DeviceSpec& spec) {
  constexpr double operations_per_core = 512;
  return spec.gpu.sm_count * spec.gpu.tensor_cores.fp16 / operations_per_core;
}

void add_constants(Checks& checks, const char* name, double cores, double cuda, double tensor, double gb) {
  const board::DeviceSpec spec = device(name);
  const auto label = [&](const char* what) { return fmt::format("{}: {}", name, what); };
  checks.equal(label("CPU cores"), cores, spec.core_count());
  checks.equal(label("CUDA cores"), cuda, cuda_cores(spec));
  checks.equal(label("tensor cores"), tensor, tensor_cores(spec));
  // Usable memory is less than what is soldered on.
  checks.near(label("memory"), gb, spec.memory.capacity_bytes / 1e9, "GB");
}

void study_boards(Runs& /*runs*/, Checks& checks) {
  add_constants(checks, orin_nano, 6, 1024, 32, 8);
  add_constants(checks, nano, 4, 128, 0, 4);
  for (const auto& [name, low, high] : {std::tuple{orin_nano, "7W", "15W"}, std::tuple{nano, "5W", "MAXN"}}) {
    const board::DeviceSpec spec = device(name);
    const bool both =
        board::find_power_mode(spec, low) != nullptr && board::find_power_mode(spec, high) != nullptr;
    checks.is(fmt::format("{}: power modes at both ends", name), fmt::format("{} and {}", low, high),
              both ? "both exist" : "one is missing", both);
  }
}

void agx_orin(Runs& /*runs*/, Checks& checks) {
  add_constants(checks, "jetson-agx-orin-64gb", 12, 2048, 64, 32);
  checks.equal("jetson-agx-orin-64gb: DLAs", 2, device("jetson-agx-orin-64gb").dla.count);
}

void rated_performance(Runs& /*runs*/, Checks& checks) {
  const gpu::Spec gpu = device(nano).gpu;
  checks.near("jetson-nano, fp16", 472, gpu.sm_count * gpu.cuda_cores.fp16 * gpu.max_clock_hz / 1e9,
              "GFLOP/s");
  const board::DeviceSpec pi = device("raspberry-pi-3b");
  checks.near("raspberry-pi-3b, fp32", 21.4,
              pi.core_count() * pi.host.fp32_ops_per_clock * pi.cpu.clusters.front().max_clock_hz / 1e9,
              "GFLOP/s");
}

constexpr std::array all{
    Statement{"C65", Kind::device,
              "Orin Nano: 6 CPU cores, 1024 CUDA cores, 32 tensor cores, 8 GB, 7-15 W; Nano: "
              "4, 128, none, 4 GB, 5-10 W",
              "", study_boards},
    Statement{"D09", Kind::device,
              "AGX Orin: 12 CPU cores, 2048 CUDA cores, 64 tensor cores, 2 DLAs, 32 GB, 60 W",
              "The board of the study is the first developer kit, with the chip of the 64 GB module and 32 "
              "GB of memory; the profile is that of the module.",
              agx_orin},
    Statement{"F02", Kind::device, "Rated performance: Nano 472 GFLOP/s, Raspberry Pi 3B 21.4 GFLOP/s", "",
              rated_performance},
};

}  // namespace

std::span<const Statement> device_statements() {
  return all;
}

}  // namespace jostle::scenarios
