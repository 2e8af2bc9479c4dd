#include "cli/validate/left_out_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/validate/error_table.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using calibration::JudgedValue;
using calibration::LeftOut;

std::size_t waiting(const LeftOut& left_out) {
  std::size_t rows = 0;
  for (const calibration::NotYet& row : left_out.not_yet) rows += row.rows;
  return rows;
}

std::vector<calibration::NotYet> most_first(std::vector<calibration::NotYet> not_yet) {
  std::ranges::stable_sort(not_yet, std::ranges::greater{}, &calibration::NotYet::rows);
  return not_yet;
}

Json json_of(const JudgedValue& value) {
  return {{"laboratory", value.lab},
          {"run", value.run},
          {"configuration", value.configuration},
          {"metric", value.metric},
          {"architecture", value.architecture},
          {"family", value.family},
          {"conditions", value.presumed ? "presumed" : "stated"},
          {"measured", value.measured},
          {"predicted", value.predicted},
          {"error", value.error()}};
}

Json json_of(const LeftOut& left_out) {
  Json all{{"judged", left_out.values.size()}, {"marked", left_out.marked}, {"not_yet", Json::array()}};
  for (const calibration::NotYet& row : most_first(left_out.not_yet))
    all["not_yet"].push_back({{"what", row.what}, {"name", row.name}, {"rows", row.rows}});
  all["worst"] = Json::array();
  for (const JudgedValue& value : worst_of(left_out, worst_shown)) {
    Json entry = json_of(value);
    const std::string teaches = taught_by(calibration::shipped_lessons(), value);
    entry["teaches"] = teaches.empty() ? Json() : Json(teaches);
    all["worst"].push_back(std::move(entry));
  }
  all["values"] = Json::array();
  for (const JudgedValue& value : left_out.values) all["values"].push_back(json_of(value));
  return all;
}

const char* name_of(calibration::Statistic statistic) {
  static constexpr std::array<const char*, 3> words{"mean", "median", "each"};
  return words.at(static_cast<std::size_t>(statistic));
}

Json limit_of(const calibration::ErrorSummary& row) {
  if (!row.bound) return {};
  return {{"on", name_of(row.bound->statistic)}, {"most", row.bound->limit}, {"over", row.over_limit}};
}

Json coverage_of(const calibration::ErrorSummary& row) {
  if (row.with_interval == 0) return {};
  const auto [from, to] = row.covered_ci95();
  return {{"covered", row.covered},
          {"n", row.with_interval},
          {"runs", row.runs_with_interval},
          {"ci95", {from, to}}};
}

}  // namespace

std::string left_out_counts(const LeftOut& left_out) {
  return fmt::format(
      "{} published values are judged, each without any factor fitted on its laboratory's rows. The "
      "parameters of profiles stay, although those of kernels and of libraries on cores are fitted on rows "
      "of these laboratories. {} are marked as contradicted or of unknown conditions and do not count. {} "
      "wait for something that this build does not have.",
      left_out.values.size(), left_out.marked, waiting(left_out));
}

Table worst_table(const LeftOut& left_out) {
  Table table(
      {shrinking("run"), right("measured"), right("predicted"), right("error %"), shrinking("teaches", 1)});
  for (const JudgedValue& value : worst_of(left_out, worst_shown)) {
    const std::string teaches = taught_by(calibration::shipped_lessons(), value);
    table.add({fmt::format("{} {}, {}", value.run, value.configuration, value.metric),
               fmt::format("{:.4g}", value.measured), fmt::format("{:.4g}", value.predicted),
               percent(value.error(), "{:+.0f}"), teaches.empty() ? "not yet explained" : teaches});
  }
  return table;
}

Table not_yet_table(const LeftOut& left_out) {
  Table table({right("rows"), left("wait for"), shrinking("called")});
  for (const calibration::NotYet& row : most_first(left_out.not_yet))
    table.add({fmt::format("{}", row.rows), row.what, row.name});
  return table;
}

std::string validation_json(const std::vector<calibration::ComparisonGroup>& groups,
                            const std::optional<LeftOut>& left_out) {
  Json all{{"schema", "jostle.validation/1"}, {"groups", Json::array()}};
  for (const calibration::ComparisonGroup& group : groups) {
    for (const calibration::ErrorSummary& row : summarise(group))
      all["groups"].push_back({{"runs", group.name},
                               {"evidence", group.evidence},
                               {"quantity", row.quantity},
                               {"n", row.count},
                               {"mean_error", row.mean_absolute},
                               {"median_error", row.median_absolute},
                               {"p90_error", row.p90_absolute},
                               {"bias", row.bias},
                               {"worst", row.worst},
                               {"worst_run", row.worst_run},
                               {"limit", limit_of(row)},
                               {"limit_exceeded", row.bound ? Json(row.exceeded()) : Json()},
                               {"coverage", coverage_of(row)}});
  }
  all["left_out"] = left_out ? json_of(*left_out) : Json();
  return output::json_text(all) + "\n";
}

}  // namespace jostle::cli
