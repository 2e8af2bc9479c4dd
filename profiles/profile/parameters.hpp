// The parameters of a profile, each with its origin.
//
// A parameter is written `key: {value: 2.091 ms, grade: measured, source: "..."}`, or as `key: 2.091 ms`
// inside a mapping with `from: {grade, source}`. That `from` applies to all plain parameters of the mapping
// and of the mappings inside it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/cursor.hpp"

namespace jostle::profiles {

// The quality of a parameter's source, best first.
enum class ParameterGrade { measured, fitted, datasheet, assumed };
[[nodiscard]] const char* to_string(ParameterGrade grade);

struct Provenance {
  ParameterGrade grade = ParameterGrade::assumed;
  std::string source;
};

// One parameter as shown to users.
struct ProfileParameter {
  std::string path;   // "gpu.time_slicing.slice"
  std::string value;  // text in the profile, with its unit
  Provenance from;
};

// A mapping of parameters (and of nested blocks), read strictly.
class Block {
 public:
  // `outer` is the `from` that applies here unless this mapping has a `from` of its own.
  Block(const input::Cursor& at, const std::string& what, std::vector<ProfileParameter>& parameters,
        const std::optional<Provenance>& outer = std::nullopt);

  template <class T, class Reader>
  bool required(const std::string& key, T& target, const Reader& read) {
    return read_parameter(mapping_.require(key), target, read);
  }
  template <class T, class Reader>
  bool optional(const std::string& key, T& target, const Reader& read) {
    return read_parameter(mapping_.find(key), target, read);
  }

  // The mapping, for entries of the block that are not parameters (a name, a policy).
  [[nodiscard]] input::Mapping& words() { return mapping_; }
  [[nodiscard]] const std::optional<Provenance>& from() const { return from_; }
  [[nodiscard]] std::vector<ProfileParameter>& parameters() const { return *parameters_; }

 private:
  template <class T, class Reader>
  bool read_parameter(const std::optional<input::Cursor>& at, T& target, const Reader& read) {
    if (!at) return false;
    const std::optional<input::Cursor> value_at = with_provenance(*at);
    if (!value_at) return false;
    auto value = read(*value_at);
    if (!value) return false;
    target = std::move(*value);
    return true;
  }

  // Records the parameter at `at` and returns the cursor of its value.
  [[nodiscard]] std::optional<input::Cursor> with_provenance(const input::Cursor& at);

  input::Mapping mapping_;
  std::vector<ProfileParameter>* parameters_;
  std::optional<Provenance> from_;
};

}  // namespace jostle::profiles
