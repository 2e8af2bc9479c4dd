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

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

[[nodiscard]] const std::vector<std::string>& schema_names();  // scenario, study, result

// The schema as indented JSON with a final newline. `name`: one of schema_names().
[[nodiscard]] std::string schema(std::string_view name);

// The names of a kind, such as "precision"; throws std::out_of_range for any other kind.
[[nodiscard]] std::vector<std::string> words(std::string_view what);

struct SchemaKey {
  std::string name;
  std::string description;  // may be empty
  bool has_keys = false;    // there are keys below it
};

// The keys below a dotted path of the document: "processes.0", "processes.*.arrivals"; "": the top level.
// Sorted by name. `schema`: one of schema_names().
[[nodiscard]] std::vector<SchemaKey> keys_at(std::string_view schema, std::string_view path);

// The names that the value at the path may have; none if it is not a name.
[[nodiscard]] std::vector<std::string> words_at(std::string_view schema, std::string_view path);

// The paths of all objects whose keys the schema lists, with `*` for every index and every free key.
[[nodiscard]] std::set<std::string> objects_of(std::string_view schema);

}  // namespace jostle::analyses
