#include "calibration/calibrate/layer_times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "models/board/spec.hpp"
#include "models/dnn/roofline.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/process_work.hpp"
#include "sim/math.hpp"

namespace jostle::calibration {
namespace {

constexpr double least_factor = 0.001, greatest_factor = 1000;

double ratio(double measured, double computed) {
  return std::clamp(computed > 0 ? measured / computed : 1.0, least_factor, greatest_factor);
}

// The names of ONNX nodes in the name of an engine's layer.
std::vector<std::string_view> names_in(std::string_view layer) {
  constexpr std::string_view between = " +,()|{}[]";
  std::vector<std::string_view> names;
  while (!layer.empty()) {
    const std::size_t length = std::min(layer.find_first_of(between), layer.size());
    if (length > 0) names.push_back(layer.substr(0, length));
    layer.remove_prefix(std::min(length + 1, layer.size()));
  }
  return names;
}

// Groups of computed layers that belong together because one measured layer names them: the group of each
// computed layer, and of each measured layer, or `none`.
struct Groups {
  std::vector<std::size_t> of_computed;
  std::vector<std::size_t> of_measured;
};
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

Groups groups_by_name(std::span<const LayerTime> measured, std::span<const ComputedLayer> computed) {
  std::map<std::string_view, std::size_t> known;
  for (std::size_t i = 0; i < computed.size(); ++i) known.emplace(computed[i].name, i);
  Groups groups;
  groups.of_computed.resize(computed.size());
  std::iota(groups.of_computed.begin(), groups.of_computed.end(), std::size_t{0});
  for (const LayerTime& layer : measured) {
    std::size_t group = none;
    for (const std::string_view name : names_in(layer.name)) {
      const auto found = known.find(name);
      if (found == known.end()) continue;
      const std::size_t other = groups.of_computed[found->second];
      if (group == none) group = other;
      std::ranges::replace(groups.of_computed, other, group);
      std::ranges::replace(groups.of_measured, other, group);
    }
    groups.of_measured.push_back(group);
  }
  return groups;
}

double total(std::span<const LayerTime> layers) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [](double sum, const LayerTime& layer) { return sum + layer.ms; });
}

std::vector<double> by_names(std::span<const LayerTime> measured, std::span<const ComputedLayer> computed,
                             const Groups& groups) {
  std::vector<double> of_measured(computed.size(), 0), of_computed(computed.size(), 0);  // sums by group
  std::vector<bool> named(computed.size(), false);
  double rest = 0, rest_computed = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (groups.of_measured[i] == none) {
      rest += measured[i].ms;
    } else {
      of_measured[groups.of_measured[i]] += measured[i].ms;
      named[groups.of_measured[i]] = true;
    }
  }
  for (std::size_t i = 0; i < computed.size(); ++i) {
    of_computed[groups.of_computed[i]] += computed[i].ms;
    if (!named[groups.of_computed[i]]) rest_computed += computed[i].ms;
  }
  // If every computed layer is named, the measured time without a match is spread over all of them.
  const double all = total(measured);
  const double scale = rest_computed > 0 || all <= rest ? 1 : all / (all - rest);
  std::vector<double> factors;
  for (const std::size_t group : groups.of_computed)
    factors.push_back(named[group] ? scale * ratio(of_measured[group], of_computed[group])
                                   : ratio(rest, rest_computed));
  return factors;
}

// A step of the alignment: the numbers of measured and of computed layers that it takes.
struct Step {
  std::size_t measured, computed;
  double penalty;
};
constexpr Step steps[]{{1, 1, 0},   {1, 2, 0.2}, {2, 1, 0.2}, {1, 3, 0.4},
                       {3, 1, 0.4}, {1, 4, 0.6}, {4, 1, 0.6}};

std::vector<double> by_order(std::span<const LayerTime> measured, std::span<const ComputedLayer> computed) {
  const std::size_t rows = measured.size() + 1, columns = computed.size() + 1;
  std::vector<double> of_measured{0}, of_computed{0};  // cumulative sums
  for (const LayerTime& layer : measured) of_measured.push_back(of_measured.back() + layer.ms);
  for (const ComputedLayer& layer : computed) of_computed.push_back(of_computed.back() + layer.ms);
  const double overall = ratio(of_measured.back(), of_computed.back());
  std::vector<double> cost(rows * columns, std::numeric_limits<double>::infinity());
  std::vector<const Step*> by(rows * columns, nullptr);
  cost[0] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (const Step& step : steps) {
        if (step.measured > i || step.computed > j) continue;
        const double before = cost[(i - step.measured) * columns + j - step.computed];
        const double off = sim::log(ratio(of_measured[i] - of_measured[i - step.measured],
                                          of_computed[j] - of_computed[j - step.computed]) /
                                    overall);
        const double now = before + off * off + step.penalty;
        if (now >= cost[i * columns + j]) continue;
        cost[i * columns + j] = now;
        by[i * columns + j] = &step;
      }
    }
  }
  std::vector<double> factors(computed.size(), overall);
  std::size_t i = measured.size(), j = computed.size();
  while (by[i * columns + j] != nullptr) {
    const Step& step = *by[i * columns + j];
    const double found = ratio(of_measured[i] - of_measured[i - step.measured],
                               of_computed[j] - of_computed[j - step.computed]);
    for (std::size_t k = j - step.computed; k < j; ++k) factors[k] = found;
    i -= step.measured;
    j -= step.computed;
  }
  return factors;
}

scenarios::Assembly assembled(const RunConfiguration& configuration, const profiles::Profile& profile) {
  scenarios::Scenario scenario = *configuration.scenario;
  for (scenarios::ProcessEntry& entry : scenario.processes) entry.count = 1;
  profiles::Profile plain = profile;
  plain.factors.clear();
  return scenarios::assemble(scenario, plain);
}

}  // namespace

std::vector<double> layer_factors(std::span<const LayerTime> measured,
                                  std::span<const ComputedLayer> computed) {
  if (measured.empty() || computed.empty()) return {};
  const Groups groups = groups_by_name(measured, computed);
  double named = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (groups.of_measured[i] != none) named += measured[i].ms;
  return 2 * named >= total(measured) ? by_names(measured, computed, groups) : by_order(measured, computed);
}

std::vector<double> layer_factors(const RunConfiguration& configuration, const profiles::Profile& profile) {
  if (configuration.layer_times.empty()) return {};
  const scenarios::Assembly board = assembled(configuration, profile);
  const scenarios::ProcessEntry& entry = configuration.scenario->processes.front();
  const auto layers = scenarios::layers_of(entry, dnn::Lowering::optimised);
  const auto of_layers = dnn::roofline_by_layer(layers, entry.work.batch, *entry.work.precision,
                                                dnn::Lowering::optimised, board.device.gpu);
  std::vector<ComputedLayer> computed;
  for (const dnn::FusedLayer& layer : layers) computed.push_back({layer.name, 0});
  const auto& kernels = board.setup.processes.front().kernels->kernels;  // durations at the run's clocks
  for (std::size_t i = 0; i < of_layers.layer.size(); ++i)
    computed[of_layers.layer[i]].ms += 1e3 * sim::to_seconds(kernels.at(i).duration);
  return layer_factors(configuration.layer_times, computed);
}

double gpu_clock_of(const RunConfiguration& configuration, const profiles::Profile& profile) {
  return assembled(configuration, profile).setup.clocks.gpu_hz;
}

}  // namespace jostle::calibration
