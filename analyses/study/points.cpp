#include "analyses/study/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "input/override.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

Json scalar_json(const input::Value& value) {
  if (!value.quoted) {
    bool overflow = false;
    if (const auto integer = input::parse_integer(value.text, overflow)) return *integer;
    if (const auto real = input::parse_real(value.text)) return *real;
    if (value.text == "true" || value.text == "false") return value.text == "true";
  }
  return value.text;
}

Json json_of(const input::Value& value) {
  if (value.kind == input::Kind::nothing) return nullptr;
  if (value.kind == input::Kind::scalar) return scalar_json(value);
  if (value.kind == input::Kind::sequence) {
    Json json = Json::array();
    for (const input::Node& child : value.children) json.push_back(json_of(*child));
    return json;
  }
  Json json = Json::object();
  for (std::size_t i = 0; i < value.keys.size(); ++i) json[value.keys[i].name] = json_of(*value.children[i]);
  return json;
}

// Latin hypercube sampling of one dimension (McKay, Beckman and Conover 1979): an index below `size` for each
// of `points` points, one in each of `points` equal strata, in random order.
std::vector<std::uint32_t> stratified(std::size_t size, std::size_t points, sim::RandomStream random) {
  std::vector<std::size_t> strata(points);
  std::iota(strata.begin(), strata.end(), std::size_t{0});
  for (std::size_t i = points; i > 1; --i) std::swap(strata[i - 1], strata[random.below(i)]);
  std::vector<std::uint32_t> values;
  values.reserve(points);
  for (const std::size_t stratum : strata) {
    const double at = (static_cast<double>(stratum) + random.uniform()) / static_cast<double>(points);
    const auto value = static_cast<std::size_t>(at * static_cast<double>(size));
    values.push_back(static_cast<std::uint32_t>(std::min(value, size - 1)));
  }
  return values;
}

// The path in the study for a path in a scenario: below `sweep` if an axis sets it, else below `scenario`.
std::string path_in_study(const Study& study, const std::string& path) {
  for (const Axis& axis : study.axes) {
    if (covers(axis.key, path)) return fmt::format("sweep.{}{}", axis.key, rest_after(axis.key, path));
  }
  return path.empty() ? "scenario" : "scenario." + path;
}

}  // namespace

Points::Points(const Study& study) : study_(&study) {
  if (!study.sampling) {
    size_ = grid_size(study);
    return;
  }
  size_ = static_cast<std::uint64_t>(study.sampling->points);
  for (std::size_t i = 0; i < study.dimensions.size(); ++i) {
    sampled_.push_back(
        stratified(study.dimensions[i].size, size_,
                   sim::RandomStream(study.sampling->seed, fmt::format("study dimension {}", i))));
  }
}

Coordinates Points::operator[](std::uint64_t index) const {
  if (!study_->sampling) return grid_coordinates(*study_, index);
  Coordinates at;
  for (const auto& dimension : sampled_) at.push_back(dimension[index]);
  return at;
}

std::uint64_t grid_size(const Study& study) {
  std::uint64_t size = 1;
  for (const Dimension& dimension : study.dimensions) size *= dimension.size;
  return size;
}

Coordinates grid_coordinates(const Study& study, std::uint64_t index) {
  Coordinates at(study.dimensions.size());
  for (std::size_t i = at.size(); i-- > 0;) {
    at[i] = index % study.dimensions[i].size;
    index /= study.dimensions[i].size;
  }
  return at;
}

std::vector<input::Node> values_at(const Study& study, const Coordinates& at) {
  std::vector<input::Node> values(study.axes.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (const std::size_t axis : study.dimensions[i].axes) values[axis] = study.axes[axis].values[at[i]];
  }
  return values;
}

std::string json_text(const input::Value& value) {
  return output::json_text(json_of(value));
}

std::string settings_json(const Study& study, const Coordinates& at) {
  Json json = Json::object();
  const auto values = values_at(study, at);
  for (std::size_t i = 0; i < values.size(); ++i) json[study.axes[i].key] = json_of(*values[i]);
  return output::json_text(json);
}

input::Node document_at(const Study& study, const Coordinates& at, input::Problems& problems) {
  const auto values = values_at(study, at);
  input::Node document = study.scenario;
  for (std::size_t i = 0; i < values.size() && document; ++i) {
    const std::string& key = study.axes[i].key;
    // Null removes a key. If there is none (a board without power modes), nothing needs to be done.
    if (values[i]->kind == input::Kind::nothing && key.find('.') == std::string::npos && !document->find(key))
      continue;
    document = input::with_value(document, key, values[i], problems);
  }
  return document;
}

std::optional<scenarios::Scenario> scenario_at(const Study& study, const Coordinates& at,
                                               const scenarios::Catalogue& catalogue,
                                               input::Problems& problems) {
  input::Problems own;
  const input::Node document = document_at(study, at, own);
  std::optional<scenarios::Scenario> scenario;
  if (document) scenario = scenarios::read_scenario(document, study.origin, study.directory, catalogue, own);
  for (const input::Problem& problem : own.list())
    problems.add(problem.location, path_in_study(study, problem.path), problem.message, problem.hint);
  return own.empty() ? std::move(scenario) : std::nullopt;
}

namespace {

// Removes the first step of `path` (with its dot) and returns it.
std::string_view take_step(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  return step;
}

bool is_index(std::string_view step) {
  return step == "*" ||
         (!step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }));
}

}  // namespace

bool covers(std::string_view outer, std::string_view inner) {
  while (!outer.empty()) {
    if (inner.empty()) return false;
    const std::string_view a = take_step(outer), b = take_step(inner);
    const bool any = (a == "*" && is_index(b)) || (b == "*" && is_index(a));
    if (a != b && !any) return false;
  }
  return true;
}

bool same_length(std::string_view a, std::string_view b) {
  return std::ranges::count(a, '.') == std::ranges::count(b, '.');
}

std::string_view rest_after(std::string_view outer, std::string_view inner) {
  std::string_view rest = inner;
  while (!outer.empty() && !rest.empty()) {
    (void)take_step(outer);
    (void)take_step(rest);
  }
  return rest.empty() ? rest : inner.substr(inner.size() - rest.size() - 1);
}

}  // namespace jostle::analyses
