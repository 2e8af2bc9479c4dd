#include "scenarios/language/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "input/cursor.hpp"
#include "input/spelling.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

// "processes.1.latency_ms.p99" as the place of the entry as written, and the metric's path.
struct ProcessPath {
  std::size_t place = 0;
  std::string_view metric;
};
std::optional<ProcessPath> process_path(std::string_view text) {
  constexpr std::string_view start = "processes.";
  if (!text.starts_with(start)) return std::nullopt;
  text.remove_prefix(start.size());
  ProcessPath path;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), path.place);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits == text.size() || *end != '.') return std::nullopt;
  path.metric = text.substr(digits + 1);
  return path;
}

template <class Rows>
const ObjectiveMetric* metric_named(const Rows& rows, std::string_view path) {
  const auto found = std::ranges::find(rows, path, &ObjectiveMetric::path);
  return found == rows.end() ? nullptr : &*found;
}

std::optional<std::size_t> entry_at(const Scenario& scenario, std::size_t place) {
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry)
    if (place_of_entry(scenario, entry) == place) return entry;
  return std::nullopt;
}

bool has_tokens(const ProcessEntry& process) {
  return std::ranges::any_of(parts_of(process),
                             [](const ProcessEntry& part) { return part.language.has_value(); });
}

std::vector<std::string> paths_for(const Scenario& scenario, std::optional<ProcessPath> path) {
  std::vector<std::string> paths;
  for (const ObjectiveMetric& row : process_objectives) {
    const auto entry = entry_at(scenario, path ? path->place : 0);
    if (row.of_tokens && !(entry && has_tokens(scenario.processes[*entry]))) continue;
    paths.push_back(fmt::format("processes.{}.{}", path ? path->place : 0, row.path));
  }
  for (const ObjectiveMetric& row : system_objectives) paths.emplace_back(row.path);
  return paths;
}

}  // namespace

std::optional<Objective> objective_of(const Scenario& scenario) {
  if (!scenario.objective) return std::nullopt;
  if (const auto* row = metric_named(system_objectives, *scenario.objective))
    return Objective{std::nullopt, *row};
  const auto path = process_path(*scenario.objective);
  if (!path) return std::nullopt;
  const auto* row = metric_named(process_objectives, path->metric);
  const auto entry = entry_at(scenario, path->place);
  if (row == nullptr || !entry) return std::nullopt;
  if (row->of_tokens && !has_tokens(scenario.processes[*entry])) return std::nullopt;
  return Objective{entry, *row};
}

void check_objective(const Scenario& scenario, const input::Cursor& at) {
  if (!scenario.objective || objective_of(scenario)) return;
  const auto path = process_path(*scenario.objective);
  const std::size_t entries = scenario.processes.size() + scenario.loads.size();
  if (path && path->place >= entries)
    return at.problem(fmt::format("there is no processes.{}", path->place),
                      fmt::format("the last is processes.{}", entries - 1));
  if (path && !entry_at(scenario, path->place))
    return at.problem(fmt::format("processes.{} is a load, which has no such metric", path->place),
                      "an entry with a model");
  at.problem(fmt::format("'{}' is no metric that changes can be judged by", *scenario.objective),
             input::spelling_hint(*scenario.objective, paths_for(scenario, path)));
}

}  // namespace jostle::scenarios
