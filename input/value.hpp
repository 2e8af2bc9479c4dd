// A YAML document as a tree of values with their locations.
//
// This is not the tree of yaml-cpp, which loses duplicate keys, expands aliases without limit and converts
// leniently. Values are immutable and shared: an alias costs a pointer, not a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "input/problems.hpp"

namespace jostle::input {

enum class Kind { nothing, scalar, sequence, mapping };
[[nodiscard]] const char* to_string(Kind kind);  // "nothing", "a scalar", ...

struct Value;
using Node = std::shared_ptr<const Value>;

struct Key {
  std::string name;
  Location location;
};

struct Value {
  Kind kind = Kind::nothing;
  Location location;
  std::string text;            // scalar: as written, unescaped
  bool quoted = false;         // scalar: written in quotes, so never a number
  std::vector<Key> keys;       // mapping: in file order, each once
  std::vector<Node> children;  // items of a sequence, or the values of a mapping in the order of `keys`
  std::size_t expanded = 1;    // number of values in this tree; those behind an alias count each time

  // The value under `key`, or null.
  [[nodiscard]] Node find(const std::string& key) const;
};

}  // namespace jostle::input
