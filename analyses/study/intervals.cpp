#include "analyses/study/intervals.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "analyses/study/points.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

std::string shape_of(const scenarios::Scenario& scenario) {
  std::size_t count = 0;
  std::string text = scenario.device + ' ' + scenario.device_path + ' ' + scenario.power_mode.value_or("");
  for (const auto& [path, value] : scenario.figures) text += fmt::format(" {}={}", path, value);
  for (const scenarios::ProcessEntry& entry : scenario.processes) {
    count += static_cast<std::size_t>(entry.count);
    text += fmt::format("; {} {} {} {} {}", scenarios::model_name(entry.model),
                        entry.precision ? to_string(*entry.precision) : "", to_string(entry.runtime),
                        to_string(entry.placement), entry.batch > 1 ? "batches" : "images");
  }
  return text + (count > 1 ? "; together" : "; alone");
}

StudyIntervals::StudyIntervals(const Study& study, const CheckedStudy& checked, Profiles& profiles,
                               const std::vector<std::size_t>& wanted, const std::atomic<bool>* interrupt) {
  const Points points(study);
  const scenarios::Catalogue catalogue = profiles.catalogue();
  input::Problems problems;
  std::set<std::string> missing;
  for (const std::size_t i : wanted)
    if (const auto scenario = scenario_at(study, points[i], catalogue, problems))
      missing.insert(shape_of(*scenario));
  scenarios::RunControl control;
  control.interrupt = interrupt;
  control.all_must_fit = true;
  for (std::size_t i = 0; i < checked.points.size() && !missing.empty(); ++i) {
    if (!checked.points[i].problem.empty()) continue;
    const auto scenario = scenario_at(study, points[i], catalogue, problems);
    if (!scenario) throw scenarios::RunError(problems.text());
    const std::string shape = shape_of(*scenario);
    if (!missing.contains(shape)) continue;
    auto profile = uncertain_profile(*scenario, problems);
    if (!profile) throw scenarios::RunError(problems.text());
    const auto point = run(*scenario, profile->base.profile, control);
    if (!point) throw scenarios::Interrupted();
    if (point->status != "ok") continue;
    auto spreads = spreads_of(*scenario, *profile, *point, control);
    if (!spreads) throw scenarios::Interrupted();
    shapes_.emplace(shape, Shape{std::move(*profile), std::move(*spreads)});
    missing.erase(shape);
  }
}

void StudyIntervals::add_to(scenarios::Result& result, const scenarios::Scenario& scenario) const {
  const auto known = shapes_.find(shape_of(scenario));
  if (known != shapes_.end()) add_intervals(result, scenario, known->second.profile, known->second.spreads);
}

}  // namespace jostle::analyses
