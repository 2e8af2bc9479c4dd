// JSON Schemas (draft 07) of scenarios, studies and results, for editors and other tools.
//
// The files beside this one list the keys that are read by code; all others, and names and units, come from
// the tables that the loader uses:
//   {"$keys": "clocks"}           the rows of a record (scenarios/language/keys.hpp), before the keys beside
//   it
//   {"$names": "precision"}       one of these names
//   {"$quantity": "time"}         a number with a unit of the dimension
//   {"$path": "onnx"}             the path of a file with this extension
//   {"$partial": "scenario"}      a scenario that a study completes
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

[[nodiscard]] const std::vector<std::string>& schema_names();  // scenario, study, result

// The schema as indented JSON with a final newline. `name`: one of schema_names().
[[nodiscard]] std::string schema(std::string_view name);

}  // namespace jostle::analyses
