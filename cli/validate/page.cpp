#include "cli/validate/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "cli/page/html_page.hpp"
#include "cli/validate/error_table.hpp"
#include "cli/validate/left_out_tables.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

// Rates, times or watts: the kind of a quantity by the words in its name.
std::string kind_of(const std::string& quantity) {
  const auto has = [&quantity](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return quantity.find(word) != std::string::npos; });
  };
  if (has({"W", "power", "energy", "watts"})) return "power and energy";
  if (has({"p50", "p90", "p99", "latency", "TTFT", "ITL", "prefill", "time", "turn", "ms", "step"}))
    return "latency and other times";
  return has({"memory", "MB"}) ? "memory" : "throughput";
}

// The head of a page: how many of the limits are kept, and how the values scatter.
PageWords validation_words(const std::vector<calibration::ComparisonGroup>& groups) {
  PageWords words;
  std::map<std::string, std::vector<double>> errors;  // by kind of quantity
  std::set<std::string> runs;
  for (const calibration::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    for (const calibration::Comparison& value : group.comparisons) {
      if (!(value.measured > 0)) continue;
      errors[kind_of(value.quantity)].push_back(std::abs(value.error()));
      runs.insert(group.name + value.what_ran());
    }
  }
  words.question = "How far are predictions from what was measured on real boards and GPUs";
  if (!errors.empty()) {
    words.question = fmt::format("How far is predicted {} from what was measured on real boards and GPUs",
                                 fmt::join(std::views::keys(errors), ", "));
    std::vector<std::string> kinds;
    for (auto& [kind, of_kind] : errors) {
      std::ranges::sort(of_kind);
      const auto within = [&of_kind = of_kind](double share) {
        return percent(of_kind[static_cast<std::size_t>(share * static_cast<double>(of_kind.size() - 1))],
                       "{:.3g}");
      };
      kinds.push_back(
          fmt::format("{} values of {}: half are off by less than {} %, nine of ten by less than {} %",
                      of_kind.size(), kind, within(0.5), within(0.9)));
    }
    words.answer.push_back({"", {}, std::move(kinds)});
    words.trust.push_back(fmt::format(
        "{} measured runs stand behind these figures: for work that resembles them, expect errors of "
        "this size; for other work expect more",
        runs.size()));
  }
  if (Table over = exceeded_table(groups); over.rows() > 0) words.answer.push_back({"", {std::move(over)}});
  std::vector<std::string> causes = why_exceeded(groups);
  words.why.assign(causes.begin(),
                   causes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, causes.size())));
  if (causes.size() > 2) words.more.push_back({"why limits are exceeded", {}, std::move(causes)});
  if (words.why.empty())
    for (const calibration::ComparisonGroup& group : groups)
      if (!group.is_view && !group.note.empty() && words.why.size() < 2)
        words.why.push_back(group.name + ": " + group.note);
  words.trust.emplace_back(
      "A limit says how good a prediction must be to be used; one on the mean holds for a group, one on each "
      "for "
      "every value");
  return words;
}

}  // namespace

std::string validation_page(const std::string& subject,
                            const std::vector<calibration::ComparisonGroup>& groups) {
  using Json = nlohmann::ordered_json;
  Json data{{"words", words_json(validation_words(groups))},
            {"errors", output::parsed_json(validation_json(groups, {})).at("groups")},
            {"groups", Json::array()}};
  for (const calibration::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    Json values = Json::array();
    for (const calibration::Comparison& value : group.comparisons)
      values.push_back({{"run", value.run},
                        {"quantity", value.quantity},
                        {"measured", rounded(value.measured)},
                        {"predicted", rounded(value.predicted)},
                        {"covered", value.covered ? Json(*value.covered) : Json()}});
    data["groups"].push_back({{"runs", group.name}, {"note", group.note}, {"values", std::move(values)}});
  }
  return html_page("validate", subject, data);
}

}  // namespace jostle::cli
