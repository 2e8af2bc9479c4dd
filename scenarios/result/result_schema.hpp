// The JSON Schema of a result, from the rows of fields.hpp.
//
// Each metric has its line of text as `description` and its unit as `unit`. Records that have a name are
// definitions. "$names" stands for the names of an enum, which a higher layer fills in (analyses/schema).
#pragma once

#include <nlohmann/json.hpp>

namespace jostle::scenarios {

[[nodiscard]] const nlohmann::ordered_json& result_schema();

}  // namespace jostle::scenarios
