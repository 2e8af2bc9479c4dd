// Protocol Buffers' text format, as config.pbtxt of Triton is written in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"

namespace jostle::calibration {

// A field: a scalar, as written and unescaped, or a message with fields. A list is several fields of one
// name.
struct ProtoField {
  std::string name, value;
  int line = 0;
  bool message = false;
  std::vector<ProtoField> fields;

  [[nodiscard]] const ProtoField* find(const std::string& name) const;  // the first of the name, or null
  [[nodiscard]] std::vector<const ProtoField*> all(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name) const;  // empty if it is absent
};

// The fields of a text, as a message without a name. Absent if problems were added. Messages may be nested 64
// deep.
[[nodiscard]] std::optional<ProtoField> parse_protobuf_text(const std::string& text,
                                                            const std::string& origin,
                                                            input::Problems& problems);

}  // namespace jostle::calibration
