// JSON as text, and the text that jostle wrote as JSON. These are the only units that contain nlohmann's
// printer and parser, which take seconds to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace jostle::output {

// The text in one line, or with `indent` spaces a level. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

// A text as a JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

// The value of a text. Throws nlohmann::ordered_json::parse_error if it is not JSON.
[[nodiscard]] nlohmann::ordered_json parsed_json(std::string_view text);

// The value of a text; a discarded value if it is not JSON.
[[nodiscard]] nlohmann::ordered_json parsed_json_or_discarded(std::string_view text);

}  // namespace jostle::output
