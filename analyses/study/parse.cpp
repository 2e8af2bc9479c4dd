// Parses a study file to a Study, or reports all its problems.

#include "input/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/study/axis_values.hpp"
#include "analyses/study/points.hpp"
#include "analyses/study/study.hpp"
#include "input/cursor.hpp"
#include "input/file.hpp"
#include "input/override.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "profiles/document_kind.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;
using input::Integer;
using input::Kind;
using input::Mapping;

constexpr std::size_t max_axes = 64;

void read_sweep(const Cursor& at, Study& study) {
  if (!at.is(Kind::mapping)) return at.expected("a mapping from scenario keys to values");
  const auto& keys = at.value().keys;
  if (keys.size() > max_axes)
    return at.problem(fmt::format("{} keys, at most {} are allowed", keys.size(), max_axes));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Cursor values(at.value().children[i], at.path() + "." + input::printable(keys[i].name),
                        at.problems());
    for (const Axis& earlier : study.axes) {
      // A whole process followed by one of its keys is allowed. In any other order a value would be
      // overwritten.
      if (!covers(keys[i].name, earlier.key) &&
          !(covers(earlier.key, keys[i].name) && same_length(earlier.key, keys[i].name)))
        continue;
      at.problems().add(keys[i].location, values.path(), fmt::format("overlaps '{}'", earlier.key),
                        "keep only one of them");
    }
    Axis axis{keys[i].name, read_axis_values(values)};
    if (!axis.values.empty()) study.axes.push_back(std::move(axis));
  }
}

// The axes of the group in order; empty if one is wrong.
std::vector<std::size_t> zipped(const Cursor& group, const Study& study, std::set<std::size_t>& taken) {
  std::vector<std::string> names;
  for (const Axis& axis : study.axes) names.push_back(axis.key);
  std::vector<std::size_t> axes;
  bool good = true;
  for (const Cursor& key : group.items("a list of keys of sweep", max_axes)) {
    const auto axis = input::choose(key, "a key of sweep", names);
    if (axis && !taken.insert(*axis).second) key.problem("is listed twice in zip");
    if (axis) axes.push_back(*axis);
    good &= axis.has_value();
  }
  if (!good || axes.empty()) return {};
  const std::size_t first = study.axes[axes.front()].values.size();
  for (const std::size_t axis : axes) {
    const std::size_t size = study.axes[axis].values.size();
    if (size == first) continue;
    group.problem(fmt::format("'{}' has {} values, '{}' has {}", study.axes[axes.front()].key, first,
                              study.axes[axis].key, size),
                  "keys that vary together need the same number of values");
    return {};
  }
  return axes;
}

void read_zip(const Cursor& at, Study& study) {
  std::set<std::size_t> taken;
  for (const Cursor& group :
       at.items("a list of lists of keys, such as [[power_mode, clocks.gpu]]", max_axes)) {
    std::vector<std::size_t> axes = zipped(group, study, taken);
    if (axes.empty()) continue;
    const std::size_t size = study.axes[axes.front()].values.size();
    study.dimensions.push_back({std::move(axes), size});
  }
}

void read_sampling(const Cursor& at, Study& study) {
  Mapping sampling(at, "a mapping: latin_hypercube, seed");
  LatinHypercube value;
  std::int64_t seed = 1;
  sampling.required("latin_hypercube", value.points, Integer{1, static_cast<std::int64_t>(max_points)});
  sampling.optional("seed", seed, Integer{0});
  value.seed = static_cast<std::uint64_t>(seed);
  study.sampling = value;
}

void read_objectives(const Cursor& at, Study& study) {
  for (const Cursor& item : at.items("a list such as [max system.throughput, min system.power_w]", 100)) {
    const std::string* const text = item.scalar("an objective such as `max system.throughput`");
    if (text == nullptr) continue;
    const std::size_t space = text->find(' ');
    const std::string sense = text->substr(0, space);
    if ((sense != "max" && sense != "min") || space == std::string::npos) {
      item.expected("max or min and a metric", "such as `max system.throughput`");
      continue;
    }
    const std::string metric = text->substr(std::min(text->find_first_not_of(' ', space), text->size()));
    if (check_metric(item, metric)) study.objectives.push_back({sense == "max", metric, item.location()});
  }
}

void read_constraints(const Cursor& at, Study& study) {
  study.constraints = read_constraint_list(at);
}

void read_interval(const Cursor& at, Study& study) {
  if (const auto value = input::Boolean{}(at)) study.interval = *value;
}

// The sections of a study other than `scenario`, in reading order: a later section may depend on an earlier
// one. A new section needs one line here.
struct Section {
  const char* key;
  void (*read)(const Cursor& at, Study& study);
};
constexpr Section sections[] = {{"sweep", read_sweep},
                                {"zip", read_zip},
                                {"sampling", read_sampling},
                                {"objectives", read_objectives},
                                {"constraints", read_constraints},
                                {"plan", read_plan},
                                {"interval", read_interval},
                                {"offload", read_offload},
                                {"fleet", read_fleet}};

// Adds the dimensions of single axes to the zipped ones, in the order of their first axes.
void complete_dimensions(Study& study) {
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    const bool there = std::ranges::any_of(study.dimensions, [i](const Dimension& dimension) {
      return std::ranges::find(dimension.axes, i) != dimension.axes.end();
    });
    if (!there) study.dimensions.push_back({{i}, study.axes[i].values.size()});
  }
  std::ranges::sort(study.dimensions, {},
                    [](const Dimension& dimension) { return *std::ranges::min_element(dimension.axes); });
}

// Sets the thermal start of planned boards, which run for a long time: unless the study sets it, runs begin
// at thermal equilibrium with their load.
void begin_at_equilibrium(Study& study) {
  if (study.objectives.empty() && !study.fleet) return;
  const input::Node run = study.scenario->find("run");
  for (const char* key : {"thermal", "setup", "batches"}) {
    if (run && run->find(key)) return;
    const std::string path = std::string("run.") + key;
    if (std::ranges::find(study.axes, path, &Axis::key) != study.axes.end()) return;
  }
  input::Problems later;  // reported when the points are read
  if (input::Node warm = input::with_override(study.scenario, "run.thermal=equilibrium", later))
    study.scenario = std::move(warm);
}

std::optional<Study> read_study(input::Node document, const std::string& origin, const std::string& directory,
                                input::Problems& problems) {
  input::Problems own;
  Study study{origin, directory, document, nullptr, {}, {}, {}, {}, {}};
  const Cursor cursor(std::move(document), {}, own);
  {
    Mapping top(cursor, "a mapping with scenario and sweep");
    if (const auto at = top.require("scenario")) {
      study.scenario = at->node();
      if (!at->is(Kind::mapping)) at->expected("a scenario: a mapping with device and processes");
    }
    for (const Section& section : sections) {
      if (const auto at = top.find(section.key)) section.read(*at, study);
    }
  }
  if (own.empty()) {
    complete_dimensions(study);
    begin_at_equilibrium(study);
    std::uint64_t points = 1;
    for (const Dimension& dimension : study.dimensions) {
      points = std::min(points, max_points + 1) * dimension.size;  // at most 10^6 · 10^5
    }
    if (!study.sampling && points > max_points)
      cursor.descend("sweep").problem(fmt::format("more than {} points", max_points),
                                      "use sampling: {latin_hypercube: 1000} to simulate a sample");
  }
  own.sort();
  problems.append(own);
  return own.empty() ? std::optional(std::move(study)) : std::nullopt;
}

}  // namespace

bool is_study(const input::Value& document) {
  using enum profiles::DocumentKind;
  const profiles::DocumentKind kind = profiles::kind_of(document);
  return kind == study || kind == fleet || kind == offload;
}

std::optional<Study> parse_study(const std::string& text, const std::string& origin,
                                 const std::string& directory, input::Problems& problems) {
  using enum profiles::DocumentKind;
  input::Node document = input::parse_yaml(text, origin, problems);
  if (profiles::is_another_kind(document, origin, {study, fleet, offload}, problems)) return std::nullopt;
  return document ? read_study(std::move(document), origin, directory, problems) : std::nullopt;
}

std::optional<Study> load_study(const std::string& path, input::Problems& problems) {
  const auto text = input::read_text_file(path, input::Limits{}.bytes, problems);
  if (!text) return std::nullopt;
  return parse_study(*text, path, std::filesystem::path(path).parent_path().string(), problems);
}

}  // namespace jostle::analyses
