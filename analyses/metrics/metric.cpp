#include "analyses/metrics/metric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "output/json.hpp"
#include "scenarios/result/result_text.hpp"
#include "sim/batch_means.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;
using Steps = std::vector<std::string>;

constexpr const char* any_name = "*";

Steps steps_of(const std::string& path) {
  Steps steps;
  std::size_t from = 0;
  while (true) {
    const std::size_t dot = path.find('.', from);
    steps.push_back(path.substr(from, dot - from));
    if (dot == std::string::npos) return steps;
    from = dot + 1;
  }
}

std::optional<std::size_t> index_of(const std::string& step) {
  bool overflow = false;
  const auto index = input::parse_integer(step, overflow);
  return index && *index >= 0 ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
}

// A place in the schema of results, with the unit of the place or of the nearest place around it.
struct Place {
  const Json* node = nullptr;
  std::string unit;

  // The place after following references and taking the last alternative, the one that is not null.
  [[nodiscard]] Place resolved() const {
    Place at = *this;
    while (true) {
      if (const auto unit_here = at.node->find("unit"); unit_here != at.node->end()) at.unit = *unit_here;
      if (const auto name = at.node->find("$ref"); name != at.node->end())
        at.node = &scenarios::result_schema().at(Json::json_pointer(name->get<std::string>().substr(1)));
      else if (at.node->contains("allOf"))
        at.node = &at.node->at("allOf").front();
      else if (at.node->contains("anyOf"))
        at.node = &at.node->at("anyOf").back();
      else
        return at;
    }
  }
  [[nodiscard]] bool has(const char* key) const { return node->contains(key) && node->at(key).is_object(); }
  // The schema of the entries of a list, or of the values of an object whose keys depend on the board.
  [[nodiscard]] Place below(const char* key) const { return Place{&node->at(key), unit}.resolved(); }
  [[nodiscard]] std::optional<Place> at(const std::string& step) const {
    if (has("properties") && node->at("properties").contains(step))
      return Place{&node->at("properties").at(step), unit}.resolved();
    return has("additionalProperties") ? std::optional(below("additionalProperties")) : std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    if (has("properties"))
      for (const auto& property : node->at("properties").items()) all.push_back(property.key());
    std::ranges::sort(all);
    return all;
  }
  [[nodiscard]] bool is_object() const { return has("properties") || has("additionalProperties"); }
  [[nodiscard]] bool is_number() const {
    const Json type = node->value("type", Json());
    return type == "number" || type == "integer" || (type.is_array() && type.front() == "number");
  }
};

// The place that a path leads to as far as the path is known, and the number of steps up to there.
struct Found {
  Place place;
  std::size_t steps = 0;
};
Found follow(const Steps& steps) {
  Found found{.place = Place{&scenarios::result_schema(), {}}.resolved()};
  for (; found.steps < steps.size(); ++found.steps) {
    const std::string& step = steps[found.steps];
    const bool entry = index_of(step) || step == any_name;
    if (found.place.has("items") && (entry || found.place.below("items").is_object())) {
      found.place = found.place.below("items");
      if (entry) continue;
    }
    const auto next = found.place.at(step);
    if (!next) return found;
    found.place = *next;
  }
  if (const auto mean = found.place.has("properties") ? found.place.at("mean") : std::nullopt)
    found.place = *mean;
  return found;
}

scenarios::Metric worse(scenarios::Metric a, scenarios::Metric b, Worst worst) {
  if (!a || !b) return std::nullopt;
  return worst == Worst::least ? std::min(*a, *b) : std::max(*a, *b);
}

// Returns whether the entry takes part in the search for the worst value. Metrics that only background loads
// have count for loads, tokens for language models, all others for processes that infer.
bool counts(const Json& entry, const std::string& metric) {
  if (!entry.is_object()) return true;
  if (metric == "tokens") return entry.contains(metric) && !entry[metric].is_null();
  const bool of_loads = metric == "bandwidth_gb_s" || metric == "busy_cores" || metric == "threads";
  return entry.contains("load") == of_loads;
}

// The longest run length that percentiles within `at` need.
double longest_needed_s(const Json& at) {
  double most = 0;
  for (const auto& [key, value] : at.items()) {
    if (key == "run_s" && value.is_number())
      most = std::max(most, value.get<double>());
    else if (value.is_structured())
      most = std::max(most, longest_needed_s(value));
  }
  return most;
}

scenarios::Metric find_in(const Json& at, Steps::const_iterator step, Steps::const_iterator end,
                          Worst worst) {
  if (at.is_array()) {
    if (step != end) {
      if (const auto index = index_of(*step))
        return *index < at.size() ? find_in(at[*index], step + 1, end, worst) : std::nullopt;
      if (*step == any_name) ++step;
    }
    scenarios::Metric found;
    bool first = true;
    for (const Json& entry : at) {
      if (step != end && !counts(entry, *step)) continue;
      const scenarios::Metric one = find_in(entry, step, end, worst);
      found = first ? one : worse(found, one, worst);
      first = false;
    }
    return found;
  }
  if (at.is_object()) {
    const auto child = at.find(step == end ? "mean" : *step);
    if (child == at.end()) return std::nullopt;
    return find_in(*child, step == end ? step : step + 1, end, worst);
  }
  return step == end && at.is_number() ? scenarios::Metric(at.get<double>()) : std::nullopt;
}

}  // namespace

bool check_metric(const input::Cursor& at, const std::string& path) {
  const Steps steps = steps_of(path);
  const auto [place, known] = follow(steps);
  if (known == steps.size() && place.is_number()) return true;
  if (known == steps.size())
    at.problem(fmt::format("'{}' is not a metric", input::printable(path)),
               place.is_object() ? fmt::format("add one of {}", fmt::join(place.names(), ", ")) : "");
  else if (place.is_object())
    at.problem(fmt::format("unknown metric '{}': results have no key '{}' there", input::printable(path),
                           input::printable(steps[known])),
               input::spelling_hint(steps[known], place.names()));
  else
    at.problem(fmt::format("unknown metric '{}': '{}' has no keys", input::printable(path),
                           input::printable(known == 0 ? path : steps[known - 1])));
  return false;
}

bool rests_on_power(const std::string& metric_path) {
  if (metric_path.starts_with("system.link.")) return false;
  const auto names = [&](const char* part) { return metric_path.find(part) != std::string::npos; };
  return names("power_w") || names("energy_per_image") || names("tokens.energy_mj") || names("per_joule");
}

MetricUnit metric_unit(const std::string& path) {
  return scenarios::unit_named(follow(steps_of(path)).place.unit);
}

struct ResultMetrics::Document {
  Json json;
};

ResultMetrics::ResultMetrics(const std::string& json)
    : document_(std::make_shared<const Document>(Document{output::parsed_json(json)})) {}

ResultMetrics::ResultMetrics(const scenarios::Result& result)
    : document_(std::make_shared<const Document>(Document{json_of(result)})) {}

scenarios::Metric ResultMetrics::find(const std::string& path, Worst worst) const {
  const Steps steps = steps_of(path);
  return find_in(document_->json, steps.begin(), steps.end(), worst);
}

double ResultMetrics::needed_s() const {
  return longest_needed_s(document_->json.at("processes"));
}

double ResultMetrics::dropped() const {
  double most = 0;
  for (const Json& process : document_->json.at("processes")) {
    const auto share = process.find("dropped_share");
    if (share != process.end()) most = std::max(most, share->get<double>());
  }
  return most;
}

bool ResultMetrics::overloaded() const {
  return std::ranges::any_of(document_->json.at("processes"), [](const Json& process) {
    return process.contains("stable") && process["stable"] == false;
  });
}

scenarios::Metric ResultMetrics::stable_share() const {
  scenarios::Metric least;
  for (const auto& process : document_->json.at("processes")) {
    if (!process.contains("stable") || process["stable"] != false) continue;
    const auto rate = process.find("stable_rate");
    if (rate == process.end() || !rate->is_number()) return std::nullopt;
    least = std::min(least.value_or(1), rate->get<double>() / process.at("offered").at("mean").get<double>());
  }
  return least;
}

scenarios::Metric half_width_95(const std::vector<double>& differences) {
  const auto count = static_cast<double>(differences.size());
  if (differences.size() < 2) return std::nullopt;
  double mean = 0, squares = 0;
  for (const double each : differences) mean += each / count;
  for (const double each : differences) squares += (each - mean) * (each - mean);
  return sim::student_t_95(differences.size() - 1) * std::sqrt(squares / (count - 1) / count);
}

}  // namespace jostle::analyses
