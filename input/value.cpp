#include "input/value.hpp"

#include <array>

namespace jostle::input {

const char* to_string(Kind kind) {
  static constexpr std::array<const char*, 4> words{"nothing", "a single value", "a list", "a mapping"};
  return words.at(static_cast<std::size_t>(kind));
}

Node Value::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].name == key) return children[i];
  }
  return nullptr;
}

}  // namespace jostle::input
