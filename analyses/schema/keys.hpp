// The keys that a schema allows at a path, and the values that they take: for completion, and to compare the
// schema with the loader.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

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
