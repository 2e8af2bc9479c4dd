// The JSON Schema of a result, from the rows of fields.hpp.
//
// Each figure has its words as `description` and its unit as `unit`. Records that have a name are
// definitions.
// "$names" stands for a table of names, which lie above (analyses/schema).
#pragma once

#include <nlohmann/json.hpp>

namespace jostle::scenarios {

[[nodiscard]] const nlohmann::ordered_json& result_schema();

}  // namespace jostle::scenarios
