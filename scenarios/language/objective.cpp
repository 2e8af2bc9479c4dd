#include "scenarios/language/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "output/json.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {
namespace {

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
    const auto entry = entry_at(scenario, path && path->place ? *path->place : 0);
    if (row.of_tokens && !(entry && has_tokens(scenario.processes[*entry]))) continue;
    paths.push_back(fmt::format("processes.{}.{}", path && path->place ? *path->place : 0, row.path));
  }
  for (const ObjectiveMetric& row : system_objectives) paths.emplace_back(row.path);
  return paths;
}

std::optional<Objective> objective_at(const Scenario& scenario, std::string_view text) {
  const auto path = process_path(text);
  const ObjectiveMetric* const row = metric_row(path ? path->metric : text);
  if (row == nullptr) return std::nullopt;
  if (!path) return Objective{std::nullopt, *row};
  const auto entry = path->place ? entry_at(scenario, *path->place) : std::nullopt;
  if (!entry || (row->of_tokens && !has_tokens(scenario.processes[*entry]))) return std::nullopt;
  return Objective{entry, *row};
}

// Reports the path of a metric that the scenario does not have.
void refuse_metric(const Scenario& scenario, const std::string& text, const input::Cursor& at) {
  const auto path = process_path(text);
  const std::size_t entries = scenario.processes.size() + scenario.loads.size();
  if (path && path->place && *path->place >= entries)
    return at.problem(fmt::format("there is no processes.{}", *path->place),
                      fmt::format("the last is processes.{}", entries - 1));
  if (path && path->place && !entry_at(scenario, *path->place))
    return at.problem(fmt::format("processes.{} is a load, which has no such metric", *path->place),
                      "an entry with a model");
  at.problem(fmt::format("'{}' is no metric that changes can be judged by", text),
             input::spelling_hint(text, paths_for(scenario, path)));
}

// Returns whether every process, or for tokens any, has the metric.
bool all_have(const Scenario& scenario, std::string_view text) {
  const auto path = process_path(text);
  const ObjectiveMetric* const row = path && !path->place ? metric_row(path->metric) : nullptr;
  return row != nullptr && (!row->of_tokens || std::ranges::any_of(scenario.processes, has_tokens));
}

MetricUnit unit_of(std::string_view text) {
  const auto path = process_path(text);
  const ObjectiveMetric* const row = metric_row(path ? path->metric : text);
  const std::string_view unit = row == nullptr ? std::string_view() : row->unit;
  return unit_named(std::string(unit.substr(0, unit.find('/'))));
}

}  // namespace

const ObjectiveMetric* metric_row(std::string_view path) {
  const auto matches = [path](const ObjectiveMetric& row) {
    return row.path == path ||
           (row.path.ends_with(".mean") && row.path.substr(0, row.path.size() - 5) == path);
  };
  if (const auto* row = std::ranges::find_if(process_objectives, matches); row != process_objectives.end())
    return row;
  const auto* row = std::ranges::find_if(system_objectives, matches);
  return row == system_objectives.end() ? nullptr : row;
}

std::optional<ProcessPath> process_path(std::string_view text) {
  constexpr std::string_view start = "processes.";
  if (!text.starts_with(start)) return std::nullopt;
  text.remove_prefix(start.size());
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits == text.size() || *end != '.') return ProcessPath{std::nullopt, text};
  return ProcessPath{place, text.substr(digits + 1)};
}

std::optional<Objective> objective_of(const Scenario& scenario) {
  return scenario.objective ? objective_at(scenario, *scenario.objective) : std::nullopt;
}

void read_constraints(const input::Cursor& at, Scenario& scenario) {
  scenario.constraints = read_constraint_list(
      at, [&](const input::Cursor& here, const std::string& metric) -> std::optional<MetricUnit> {
        if (all_have(scenario, metric) || objective_at(scenario, metric)) return unit_of(metric);
        refuse_metric(scenario, metric, here);
        return std::nullopt;
      });
}

std::string constraints_json(const Scenario& scenario) {
  nlohmann::ordered_json json;
  for (const Constraint& constraint : scenario.constraints) {
    const MetricUnit unit = unit_of(constraint.metric);
    const auto put = [&](const char* key, const std::optional<double>& limit) {
      if (!limit) return;
      nlohmann::ordered_json& to = json[constraint.metric][key];
      if (unit.dimension == nullptr)
        to = *limit;
      else
        to = fmt::format("{} {}", *limit, unit.name);
    };
    put("min", constraint.min);
    put("max", constraint.max);
  }
  return output::json_text(json);
}

void check_objective(const Scenario& scenario, const input::Cursor& at) {
  if (scenario.objective && !objective_of(scenario)) refuse_metric(scenario, *scenario.objective, at);
}

MetricUnit unit_named(const std::string& name) {
  static const std::array units{
      MetricUnit{&input::energy_dimension(), 1e3, "mJ"},
      MetricUnit{&input::time_dimension(), 1.0 / static_cast<double>(sim::milliseconds(1).ps()), "ms"},
      MetricUnit{&input::time_dimension(), 1.0 / static_cast<double>(sim::microseconds(1).ps()), "us"},
      MetricUnit{&input::frequency_dimension(), 1e-6, "MHz"},
      MetricUnit{&input::size_dimension(), 1e-6, "MB"},
      MetricUnit{&input::bandwidth_dimension(), 1e-9, "GB/s"},
      MetricUnit{&input::power_dimension(), 1, "W"},
      MetricUnit{&input::temperature_dimension(), 1, "degC"},
      MetricUnit{nullptr, 1, "GB"},
      MetricUnit{nullptr, 1, "images/s"},
      MetricUnit{nullptr, 1, "tokens/s"}};
  const auto* const found = std::ranges::find(units, name, &MetricUnit::name);
  return found == units.end() ? MetricUnit{} : *found;
}

std::vector<Constraint> read_constraint_list(const input::Cursor& at, const UnitOfMetric& unit_of) {
  std::vector<Constraint> constraints;
  if (!at.is(input::Kind::mapping)) {
    at.expected("a mapping from metrics to their limits");
    return constraints;
  }
  const auto& keys = at.value().keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const input::Cursor here(at.value().children[i], at.path() + "." + input::printable(keys[i].name),
                             at.problems());
    Constraint constraint{keys[i].name, {}, {}, keys[i].location};
    const auto known = unit_of(here, keys[i].name);
    const MetricUnit unit = known.value_or(MetricUnit{});
    const auto limit = [&](const input::Cursor& value) -> std::optional<double> {
      if (unit.dimension == nullptr) return input::Real{}(value);
      const auto read = input::Quantity{*unit.dimension, std::numeric_limits<double>::lowest()}(value);
      return read ? std::optional(*read * unit.factor) : std::nullopt;
    };
    input::Mapping limits(here, "limits: {max: …}, {min: …} or both");
    const bool above = limits.optional("min", constraint.min, limit);
    const bool below = limits.optional("max", constraint.max, limit);
    if (limits.good() && !limits.has("min") && !limits.has("max"))
      here.problem("no limit", "give min, max or both");
    if (above && below && *constraint.min > *constraint.max) here.problem("min is above max");
    if (known) constraints.push_back(std::move(constraint));
  }
  return constraints;
}

}  // namespace jostle::scenarios
