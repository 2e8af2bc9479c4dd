// SHA-256 (FIPS 180-4): the checksum that `sha256sum` prints; recordings identify their ONNX files by it.
#pragma once

#include <string>
#include <string_view>

namespace jostle::input {

// The checksum in hexadecimal, 64 digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace jostle::input
