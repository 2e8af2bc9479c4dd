// JSON Schemas (draft 07) of scenarios, studies and results, for editors and other tools.
//
// The files beside this one say what keys there are; words and units come from the tables that the loader
// reads with:
//   {"$names": "precision"}       one of these words
//   {"$quantity": "time"}         a number with a unit of the dimension
//   {"$path": "onnx"}             the path of a file with this ending
//   {"$shares": true}             an object with all shares of time
//   {"$partial": "scenario"}      a scenario that a study completes
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

[[nodiscard]] const std::vector<std::string>& schema_names();  // scenario, study, result

// The schema as indented JSON with a newline at its end. `name`: one of those.
[[nodiscard]] std::string schema(std::string_view name);

}  // namespace jostle::analyses
