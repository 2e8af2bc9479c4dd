// The functions and operators of the expressions over runs (values.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "analyses/support/support.hpp"
#include "calibration/claims/reproduce.hpp"
#include "calibration/claims/values.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
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

// Statements on networks, compared with the operations, parameters and kernels of the built-in ones.

namespace {

// The six workloads of the energy-knobs report.
constexpr std::array<const char*, 6> knob_models{"alexnet",     "resnet18",  "mobilenet_v2",
                                                 "yolov4_tiny", "bert_tiny", "distilbert"};
using Counts = std::array<double, knob_models.size()>;

dnn::Network network(const char* name) {
  const dnn::Model& model = *dnn::find_model(name);
  return model.build(model.default_input);
}

double billions(const dnn::Network& network) {
  return static_cast<double>(network.macs()) / 1e9;
}

void operations(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{0.727, 2, 0.57, 6.9, 0.0353, 4.3};
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const double macs = billions(network(knob_models[i]));
    checks.shows(knob_models[i], value_text(claimed[i]) + " GFLOP",
                 fmt::format("{} GFLOP, {} G multiply-adds", value_text(2 * macs), value_text(macs)));
  }
}

double embedded(const dnn::Network& network) {
  std::int64_t sum = 0;
  for (dnn::Network::Node node = 0; node < network.size(); ++node)
    if (network.layer(node).op == dnn::Op::embedding) sum += network.layer(node).parameters();
  return static_cast<double>(sum);
}

void parameters(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{61, 11, 3.4, 6.1, 4.4, 43.2};
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const dnn::Network built = network(knob_models[i]);
    const auto count = static_cast<double>(built.parameters());
    // The claimed count is that of distilbert without its embeddings, but that of bert_tiny with them.
    if (knob_models[i] == std::string_view("distilbert"))
      checks.shows(knob_models[i], "43.2 M",
                   fmt::format("{} M, {} M without embeddings", value_text(count / 1e6),
                               value_text((count - embedded(built)) / 1e6)));
    else
      checks.near(knob_models[i], claimed[i], count / 1e6, "M");
  }
}

void one_launch(Runs& runs, Checks& checks) {
  Settings settings;
  Values::set(settings, "source", source_of("C30"));
  Values::set(settings, "calls", "jetson-orin-nano");
  input::Problems problems;
  const auto profile = profiles::shipped_profile(settings.at("device"), problems);
  double kernels = 0;
  for (const auto& [precision, count] :
       analyses::support(profile.value(), scenarios::BuiltInModel{"resnet50"}, dnn::Precision::int8,
                         process::Runtime::tensorrt, 1)
           .kernels_by_precision)
    kernels += static_cast<double>(count);
  checks.near_range("a launch, 1 process, batch 1", 20, 100,
                    1e3 * Values(runs).one("launches", settings) / kernels, "us");
}

void input_shapes(Runs& /*runs*/, Checks& checks) {
  for (const auto& [name, claimed] :
       {std::pair{"resnet50", "3x224x224"}, std::pair{"fcn_resnet50", "3x224x224"},
        std::pair{"yolov8n", "3x640x640"}}) {
    const dnn::Shape shape = network(name).layer(0).out;
    const std::string found = fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
    checks.is(name, claimed, found, claimed == found);
  }
}

constexpr StatementCheck network_constants_all[] = {
    {"C30", one_launch},
    {"C64", input_shapes},
    {"E42", operations},
    {"E43", parameters},
};

}  // namespace

std::span<const StatementCheck> network_statements() {
  return network_constants_all;
}

}  // namespace jostle::calibration
