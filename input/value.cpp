#include "input/value.hpp"

namespace jostle::input {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::nothing:
      return "nothing";
    case Kind::scalar:
      return "a single value";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
  }
  return "?";
}

Node Value::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].name == key) return children[i];
  }
  return nullptr;
}

}  // namespace jostle::input
