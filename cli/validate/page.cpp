#include "cli/validate/page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/page/html_page.hpp"
#include "cli/page/words.hpp"
#include "cli/validate/error_table.hpp"
#include "cli/validate/left_out_tables.hpp"

namespace jostle::cli {
namespace {

// The head of a page: how many of the limits are kept, and how the values scatter.
PageWords validation_words(const std::vector<validation::ComparisonGroup>& groups) {
  PageWords words;
  std::size_t values = 0;
  double sum = 0, worst = 0;
  std::string worst_run;
  for (const validation::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    for (const validation::Comparison& value : group.comparisons) {
      if (!(value.measured > 0)) continue;
      const double off = std::abs(value.predicted / value.measured - 1);
      ++values;
      sum += off;
      if (off <= worst) continue;
      worst = off;
      worst_run = value.run + ", " + value.quantity;
    }
  }
  words.question = "How far are the predictions from what was measured";
  if (values > 0)
    words.answer.push_back({"",
                            {},
                            {fmt::format("{} values: off by {} % in the mean, at most by {} % ({})", values,
                                         percent(sum / static_cast<double>(values), "{:.3g}"),
                                         percent(worst, "{:.3g}"), worst_run)}});
  words.answer.push_back({"errors of each group of runs", {error_table(groups)}, {}, true});
  for (const validation::ComparisonGroup& group : groups)
    if (!group.is_view && !group.note.empty() && words.why.size() < 2)
      words.why.push_back(group.name + ": " + group.note);
  words.trust.emplace_back(
      "A limit on the mean holds for a group, one on each for every run; over a limit the prediction is not "
      "good enough for that use");
  return words;
}

}  // namespace

std::string validation_page(const std::string& subject,
                            const std::vector<validation::ComparisonGroup>& groups) {
  using Json = nlohmann::ordered_json;
  Json data{{"words", words_json(validation_words(groups))},
            {"errors", Json::parse(validation_json(groups, {})).at("groups")},
            {"groups", Json::array()}};
  for (const validation::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    Json values = Json::array();
    for (const validation::Comparison& value : group.comparisons)
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
