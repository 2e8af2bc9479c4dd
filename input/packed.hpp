// A document as bytes that need no parsing: the form in which shipped profiles are compiled into jostle.
#pragma once

#include <string>
#include <string_view>

#include "input/value.hpp"

namespace jostle::input {

[[nodiscard]] std::string packed(const Value& document);
// The document that was packed, with its locations in `origin`. The bytes must be what packed() has made.
[[nodiscard]] Node unpacked(std::string_view bytes, const std::string& origin);

}  // namespace jostle::input
