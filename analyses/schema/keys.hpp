// Where a schema lets keys stand, and which words they take: for completion, and to hold it to the loader.
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

// The keys below a dotted path of the document: "processes.0", "processes.*.arrivals"; "": the top. Sorted by
// name. `schema`: schema_names().
[[nodiscard]] std::vector<SchemaKey> keys_at(std::string_view schema, std::string_view path);

// The words that the value at the path may be; none if it is no word.
[[nodiscard]] std::vector<std::string> words_at(std::string_view schema, std::string_view path);

// The paths of all objects whose keys the schema lists, with `*` for every index and every free key.
[[nodiscard]] std::set<std::string> objects_of(std::string_view schema);

}  // namespace jostle::analyses
