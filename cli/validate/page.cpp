#include "cli/validate/page.hpp"

#include <nlohmann/json.hpp>

#include "cli/page/html_page.hpp"
#include "cli/validate/left_out_tables.hpp"

namespace jostle::cli {

std::string validation_page(const std::string& subject,
                            const std::vector<validation::ComparisonGroup>& groups) {
  using Json = nlohmann::ordered_json;
  Json data{{"errors", Json::parse(validation_json(groups, {})).at("groups")}, {"groups", Json::array()}};
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
