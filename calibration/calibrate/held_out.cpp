#include "calibration/calibrate/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "calibration/calibrate/bench.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

Comparison comparison(const RunConfiguration& configuration, const ReferenceValue& reference,
                      double predicted) {
  return {fmt::format("{} {}, {}", reference.run, configuration.text(), reference.metric),
          quantity_of(reference.metric),
          reference.value,
          predicted,
          {}};
}

// The runs on the GPU; those of frameworks as short as in the fit, because their many kernels take most of
// the time of a calibration.
std::vector<RunConfiguration> on_gpu(const std::vector<RunConfiguration>& configurations) {
  std::vector<RunConfiguration> found;
  for (const RunConfiguration& configuration : configurations)
    if (configuration.on_gpu())
      found.push_back(configuration.is_of_framework() ? shortened(configuration) : configuration);
  return found;
}

// The inputs of a fit.
struct Fit {
  const profiles::BaseProfile& base;
  const std::vector<RunConfiguration>& configurations;
  PriorsFrom from;
  const Calibration& all;
  const CalibrationControl& control;
};

// Judges each set of runs with an equal key by a fit on the other runs.
template <class Key>
void leave_out(HeldOut& found, const char* name, const Fit& of, Key key) {
  const auto& [base, configurations, from, all, control] = of;
  ComparisonGroup group{name, "", "", {}, {}};
  std::vector<std::string> keys;
  for (const RunConfiguration& configuration : configurations)
    if (std::ranges::find(keys, key(configuration)) == keys.end()) keys.push_back(key(configuration));
  if (keys.size() < 2) return;
  for (const std::string& left_out : keys) {
    std::vector<RunConfiguration> training, held_out;
    for (const RunConfiguration& configuration : configurations)
      (key(configuration) == left_out ? held_out : training).push_back(configuration);
    Calibration fit;
    std::vector<std::vector<Prediction>> predicted;
    try {
      fit = calibrate(base, training, from, control, &all);
      predicted = predictions({{base.name, fit.document, fit.profile}, fit.uncertainty()}, held_out,
                              control.interrupt);
    } catch (const scenarios::RunError&) {
      continue;  // without its kernels, a network without layers cannot run
    }
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      for (std::size_t j = 0; j < held_out[i].reference_values.size(); ++j) {
        const ReferenceValue& reference = held_out[i].reference_values[j];
        const Prediction& prediction = predicted[i][j];
        group.comparisons.push_back(comparison(held_out[i], reference, prediction.value));
        found.rows.push_back({.device = base.name,
                              .quantity = quantity_of(reference.metric),
                              .basis = prediction.basis,
                              .fold = fmt::format("{}: {}", name, left_out),
                              .configuration = held_out[i].text(),
                              .value = group.comparisons.back().run,
                              .measured = reference.value,
                              .predicted = prediction.value,
                              .spread = prediction.spread});
      }
    }
  }
  found.groups.push_back(std::move(group));
}

}  // namespace

HeldOut held_out(const profiles::BaseProfile& base, const std::vector<RunConfiguration>& configurations,
                 PriorsFrom from, const Calibration& all, const CalibrationControl& control) {
  HeldOut found;
  const std::vector<RunConfiguration> used = on_gpu(configurations);
  leave_out(found, "one power mode left out", {base, used, from, all, control},
            [](const RunConfiguration& configuration) { return configuration.mode; });
  leave_out(found, "one network left out", {base, used, from, all, control},
            [](const RunConfiguration& configuration) { return configuration.model; });
  leave_out(found, "one number of processes left out", {base, used, from, all, control},
            [](const RunConfiguration& configuration) { return fmt::format("{}", configuration.processes); });
  // All runs are of one network in one mode with one number of processes, so each is left out by itself.
  if (found.groups.empty())
    leave_out(found, "one run left out", {base, used, from, all, control},
              [](const RunConfiguration& configuration) { return configuration.text(); });
  const auto inside = covered(found.rows);
  std::size_t row = 0;
  for (ComparisonGroup& group : found.groups)
    for (Comparison& comparison : group.comparisons) comparison.covered = inside[row++];
  return found;
}

ComparisonGroup fitted_on(const Calibration& calibration, const std::vector<RunConfiguration>& configurations,
                          const CalibrationControl& control) {
  ComparisonGroup group{"all runs, as fitted", "", "", {}, {}};
  const std::vector<RunConfiguration> used = on_gpu(configurations);
  const auto predicted = simulated(calibration.profile, used, control.interrupt);
  for (std::size_t i = 0; i < used.size(); ++i)
    for (std::size_t j = 0; j < used[i].reference_values.size(); ++j)
      group.comparisons.push_back(comparison(used[i], used[i].reference_values[j], predicted[i][j]));
  return group;
}

}  // namespace jostle::calibration
