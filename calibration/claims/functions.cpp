// The functions and operators of the expressions over runs (values.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "calibration/claims/values.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

double total(const List& list) {
  return std::accumulate(list.begin(), list.end(), 0.0);
}

// A function of a list, or several joined, which has a value at least.
struct OfList {
  const char* name;
  List (*value)(const List& list);
};
constexpr std::array of_lists{
    OfList{"max", [](const List& a) { return List{std::ranges::max(a)}; }},
    OfList{"min", [](const List& a) { return List{std::ranges::min(a)}; }},
    OfList{"sum", [](const List& a) { return List{total(a)}; }},
    OfList{"mean", [](const List& a) { return List{total(a) / static_cast<double>(a.size())}; }},
    OfList{"count", [](const List& a) { return List{static_cast<double>(a.size())}; }},
    OfList{"first", [](const List& a) { return List{a.front()}; }},
    OfList{"last", [](const List& a) { return List{a.back()}; }},
    OfList{"middle", [](const List& a) { return List{a[a.size() / 2]}; }},
    OfList{"rest", [](const List& a) { return List(a.begin() + 1, a.end()); }},
    OfList{"span", [](const List& a) { return List{std::ranges::max(a) - std::ranges::min(a)}; }},
    OfList{"abs",
           [](const List& a) {
             List found;
             for (const double value : a) found.push_back(std::abs(value));
             return found;
           }},
    OfList{"steps",
           [](const List& a) {
             List found;
             for (std::size_t i = 1; i < a.size(); ++i) found.push_back(a[i] / a[i - 1]);
             return found;
           }},
    OfList{"drops",
           [](const List& a) {
             List found;
             for (std::size_t i = 1; i < a.size(); ++i) found.push_back(a[i - 1] - a[i]);
             return found;
           }},
    OfList{"most_often",
           [](const List& a) {
             std::map<double, int> counts;
             for (const double value : a) ++counts[value];
             return List{std::ranges::max_element(counts, {}, &std::pair<const double, int>::second)->first};
           }},
};

// A function of two lists.
struct OfTwo {
  const char* name;
  List (*value)(const List& a, const List& b);
};
constexpr std::array of_two{
    OfTwo{"more",
          [](const List& a, const List& b) {
            return combined('*', {100}, combined('-', combined('/', a, b), {1}));
          }},
    OfTwo{"round",
          [](const List& a, const List& digits) {
            const double scale = std::pow(10, digits.at(0));
            return List{std::round(a.at(0) * scale) / scale};
          }},
    OfTwo{"pick",
          [](const List& a, const List& b) {
            return List{a.at(static_cast<std::size_t>(std::ranges::min_element(b) - b.begin()))};
          }},
};

double combined(char sign, double a, double b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '<':
      return a < b ? 1 : 0;
    default:
      return a > b ? 1 : 0;
  }
}

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

List combined(char sign, const List& a, const List& b) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1)
    throw scenarios::RunError(
        fmt::format("a list of {} values and one of {} at '{}'", a.size(), b.size(), sign));
  List found;
  for (std::size_t i = 0; i < (a.size() == 1 ? b.size() : a.size()); ++i)
    found.push_back(combined(sign, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  return found;
}

List function_of(const std::string& name, const std::vector<List>& lists) {
  List joined;
  for (const List& list : lists) joined.insert(joined.end(), list.begin(), list.end());
  for (const OfList& one : of_lists)
    if (name == one.name && !joined.empty()) return one.value(joined);
  for (const OfTwo& one : of_two)
    if (name == one.name && lists.size() == 2 && !lists[0].empty() && !lists[1].empty())
      return one.value(lists[0], lists[1]);
  throw scenarios::RunError(fmt::format("no function {} of {} lists that have values", name, lists.size()));
}

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
