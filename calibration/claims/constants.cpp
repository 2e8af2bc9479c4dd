// Constants of shipped profiles, with which published statements on boards are compared.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibration/claims/values.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

board::DeviceSpec spec_of(const std::string& device) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(device, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  return *profile->spec;
}

const board::PowerMode& mode_of(const board::DeviceSpec& spec, const std::string& mode) {
  const board::PowerMode* limits = board::find_power_mode(spec, mode);
  if (limits == nullptr) throw scenarios::RunError(fmt::format("{} has no power mode {}", spec.name, mode));
  return *limits;
}

// The number of tensor cores. Multiply-adds in fp16 per clock: 64 for Volta's, 256 from Ampere on.
double tensor_cores(const board::DeviceSpec& spec) {
  const double operations_per_core = spec.gpu.architecture.starts_with("sm_7") ? 128 : 512;
  return spec.gpu.sm_count * spec.gpu.tensor_cores.fp16 / operations_per_core;
}

// The peak in int8 of GPU and DLAs together, at the clocks of the mode, as in data sheets.
double dense_tops(const board::DeviceSpec& spec, const std::string& mode) {
  const board::PowerMode& limits = mode_of(spec, mode);
  const double gpu_hz = limits.gpu_max_clock_hz.value_or(spec.gpu.max_clock_hz);
  const double dla_hz = limits.dla_max_clock_hz.value_or(spec.dla.max_clock_hz);
  return (spec.gpu.sm_count * spec.gpu.tensor_cores.int8 * gpu_hz +
          spec.dla.count * spec.dla.ops_per_clock.int8 * dla_hz) /
         1e12;
}

struct Constant {
  std::string_view name;
  double (*value)(const board::DeviceSpec& spec, const std::string& mode);
};
using OfBoard = const board::DeviceSpec&;
using InMode = const std::string&;
constexpr std::array constants{
    Constant{"cpu_cores", [](OfBoard spec, InMode) -> double { return spec.core_count(); }},
    // A CUDA core does one multiply-add, so two operations, per clock.
    Constant{"cuda_cores",
             [](OfBoard spec, InMode) -> double { return spec.gpu.sm_count * spec.gpu.cuda_cores.fp32 / 2; }},
    Constant{"tensor_cores", [](OfBoard spec, InMode) { return tensor_cores(spec); }},
    Constant{"dlas", [](OfBoard spec, InMode) -> double { return spec.dla.count; }},
    Constant{"memory_gb", [](OfBoard spec, InMode) { return spec.memory.capacity_bytes / 1e9; }},
    Constant{"dense_tops", dense_tops},
    Constant{"cuda_fp16_gflops",
             [](OfBoard spec, InMode) {
               return spec.gpu.sm_count * spec.gpu.cuda_cores.fp16 * spec.gpu.max_clock_hz / 1e9;
             }},
    Constant{"cpu_fp32_gflops",
             [](OfBoard spec, InMode) {
               return spec.core_count() * spec.host[process::Runtime::cpu].fp32_ops_per_clock *
                      spec.cpu->clusters.front().max_clock_hz / 1e9;
             }},
    Constant{"clock_combinations",
             [](OfBoard spec, InMode) {
               return static_cast<double>(spec.cpu->clusters.front().clock_table_hz.size() *
                                          spec.gpu.clock_table_hz.size() * spec.memory.clock_table_hz.size());
             }},
    Constant{"eager_start_ms",
             [](OfBoard spec, InMode) {
               return sim::to_ms(spec.runtimes[process::Runtime::eager].value().setup.start);
             }},
    Constant{"eager_launch_ms",
             [](OfBoard spec, InMode) {
               return sim::to_ms(spec.runtimes[process::Runtime::eager].value().per_launch);
             }},
};

}  // namespace

double device_constant(const std::string& device, std::string_view name, const std::string& mode) {
  const board::DeviceSpec spec = spec_of(device);
  // 1 if a power mode of this name exists, or one that begins so.
  if (constexpr std::string_view has = "has_mode."; name.starts_with(has))
    return std::ranges::any_of(
               spec.power_modes,
               [&](const board::PowerMode& one) { return one.name.starts_with(name.substr(has.size())); })
               ? 1
               : 0;
  for (const Constant& one : constants)
    if (one.name == name) return one.value(spec, mode);
  throw scenarios::RunError(fmt::format("no constant {} of devices", name));
}

List clocks_of(const std::string& device, const std::string& mode, std::string_view domain) {
  const board::DeviceSpec spec = spec_of(device);
  const double limit = mode_of(spec, mode).gpu_max_clock_hz.value_or(spec.gpu.max_clock_hz);
  List clocks;
  for (const double hz :
       domain == "cpu" ? spec.cpu->clusters.front().clock_table_hz : spec.gpu.clock_table_hz)
    if (domain == "cpu" || hz <= limit) clocks.push_back(hz / 1e6);
  return clocks;
}

}  // namespace jostle::calibration
