#include "analyses/study/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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
    for (const scenarios::ProcessEntry& part : parts_of(entry)) {
      text += fmt::format("; {} {} {} {} {}", scenarios::model_name(part.work.model),
                          part.work.precision ? to_string(*part.work.precision) : "",
                          to_string(part.host.runtime), to_string(part.host.placement),
                          part.work.batch > 1 ? "batches" : "images");
      if (has_instances(entry)) text += fmt::format(" on {} streams", streams_of(entry, part));
    }
  }
  for (const scenarios::LoadEntry& load : scenario.loads)
    text += fmt::format("; beside {}", process::row_of(load.kind).name);
  return text + (count > 1 ? "; together" : "; alone");
}

namespace {

struct DrawnPoint {
  std::size_t index = 0;
  UncertainProfile profile;
  Spreads spreads;
};

// Simulates the draws of the first scenario that fits.
std::optional<DrawnPoint> drawn_at_first(const std::vector<scenarios::Scenario>& scenarios,
                                         const std::atomic<bool>* interrupt) {
  scenarios::RunControl control;
  control.interrupt = interrupt;
  control.all_must_fit = true;
  control.among = scenarios::Among::changes;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    input::Problems problems;
    auto profile = uncertain_profile(scenarios[i], problems);
    if (!profile) throw scenarios::RunError(problems.text());
    const auto point = run(scenarios[i], profile->base.profile, control);
    if (!point) throw scenarios::Interrupted();
    if (point->status != "ok") continue;
    const auto runs = drawn_runs(scenarios[i], *profile, *point, control, Sought::ends);
    if (!runs) throw scenarios::Interrupted();
    return DrawnPoint{i, std::move(*profile), spreads_of(scenarios[i], *runs)};
  }
  return std::nullopt;
}

}  // namespace

StudyIntervals::StudyIntervals(const Study& study, const CheckedStudy& checked, Profiles& profiles,
                               const std::vector<std::size_t>& wanted, const std::atomic<bool>* interrupt) {
  const Points points(study);
  const scenarios::Catalogue catalogue = profiles.catalogue();
  input::Problems problems;
  std::map<std::string, std::vector<scenarios::Scenario>> alike;
  for (const std::size_t i : wanted)
    if (const auto scenario = scenario_at(study, points[i], catalogue, problems)) alike[shape_of(*scenario)];
  for (std::size_t i = 0; i < checked.points.size(); ++i) {
    if (!checked.points[i].is_supported()) continue;
    auto scenario = scenario_at(study, points[i], catalogue, problems);
    if (!scenario) throw scenarios::RunError(problems.text());
    if (const auto known = alike.find(shape_of(*scenario)); known != alike.end())
      known->second.push_back(std::move(*scenario));
  }
  for (auto& [shape, of_shape] : alike) {
    auto first = drawn_at_first(of_shape, interrupt);
    if (!first) continue;
    const Spreads here = first->spreads;
    of_shape.erase(of_shape.begin(), of_shape.begin() + static_cast<std::ptrdiff_t>(first->index) + 1);
    std::ranges::reverse(of_shape);
    const auto last = drawn_at_first(of_shape, interrupt);
    shapes_.emplace(shape, Shape{std::move(first->profile), elsewhere(here, last ? last->spreads : here)});
  }
}

void StudyIntervals::add_to(scenarios::Result& result, const scenarios::Scenario& scenario) const {
  const auto known = shapes_.find(shape_of(scenario));
  if (known != shapes_.end()) add_intervals(result, scenario, known->second.profile, known->second.spreads);
}

}  // namespace jostle::analyses
