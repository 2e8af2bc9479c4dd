#include "analyses/calibrate/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "analyses/evidence/simulated.hpp"

namespace jostle::analyses {
namespace {

Comparison comparison(const RunConfiguration& setting, const ReferenceValue& figure, double predicted) {
  return {fmt::format("{} {}, {}", figure.run, setting.text(), figure.metric),
          quantity_of(figure.metric),
          figure.value,
          predicted,
          {}};
}

std::vector<RunConfiguration> on_gpu(const std::vector<RunConfiguration>& settings) {
  std::vector<RunConfiguration> found;
  std::ranges::copy_if(settings, std::back_inserter(found), &RunConfiguration::on_gpu);
  return found;
}

template <class Key>
void leave_out(HeldOut& found, const char* name, const calibration::BaseProfile& base,
               const std::vector<RunConfiguration>& settings, PriorsFrom from, const Calibration& all,
               const CalibrationControl& control, Key key) {
  ComparisonGroup group{name, "", "", {}, {}};
  std::vector<std::string> keys;
  for (const RunConfiguration& setting : settings)
    if (std::ranges::find(keys, key(setting)) == keys.end()) keys.push_back(key(setting));
  if (keys.size() < 2) return;
  for (const std::string& left_out : keys) {
    std::vector<RunConfiguration> seen, unseen;
    for (const RunConfiguration& setting : settings)
      (key(setting) == left_out ? unseen : seen).push_back(setting);
    const Calibration fit = calibrate(base, seen, from, control, &all);
    const auto predicted =
        predictions({base.name, base.document, fit.profile}, fit.uncertainty(), unseen, control.interrupt);
    for (std::size_t i = 0; i < unseen.size(); ++i) {
      for (std::size_t j = 0; j < unseen[i].figures.size(); ++j) {
        const ReferenceValue& figure = unseen[i].figures[j];
        const Prediction& of = predicted[i][j];
        group.comparisons.push_back(comparison(unseen[i], figure, of.value));
        found.rows.push_back({.device = base.name,
                              .quantity = quantity_of(figure.metric),
                              .basis = of.basis,
                              .fold = fmt::format("{}: {}", name, left_out),
                              .measured = figure.value,
                              .predicted = of.value,
                              .spread = of.spread});
      }
    }
  }
  found.groups.push_back(std::move(group));
}

}  // namespace

HeldOut held_out(const calibration::BaseProfile& base, const std::vector<RunConfiguration>& settings,
                 PriorsFrom from, const Calibration& all, const CalibrationControl& control) {
  HeldOut found;
  const std::vector<RunConfiguration> used = on_gpu(settings);
  leave_out(found, "one power mode left out", base, used, from, all, control,
            [](const RunConfiguration& setting) { return setting.mode; });
  leave_out(found, "one network left out", base, used, from, all, control,
            [](const RunConfiguration& setting) { return setting.model; });
  const auto inside = covered(found.rows);
  std::size_t row = 0;
  for (ComparisonGroup& group : found.groups)
    for (Comparison& comparison : group.comparisons) comparison.covered = inside[row++];
  return found;
}

ComparisonGroup fitted_on(const Calibration& calibration, const std::vector<RunConfiguration>& settings,
                          const CalibrationControl& control) {
  ComparisonGroup group{"all, as fitted", "", "", {}, {}};
  const std::vector<RunConfiguration> used = on_gpu(settings);
  const auto figures = simulated(calibration.profile, used, control.interrupt);
  for (std::size_t i = 0; i < used.size(); ++i)
    for (std::size_t j = 0; j < used[i].figures.size(); ++j)
      group.comparisons.push_back(comparison(used[i], used[i].figures[j], figures[i][j]));
  return group;
}

}  // namespace jostle::analyses
