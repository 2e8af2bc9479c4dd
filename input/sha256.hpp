// SHA-256 (FIPS 180-4): the checksum that `sha256sum` prints, by which recordings name their ONNX files.
#pragma once

#include <string>
#include <string_view>

namespace jostle::input {

// In hexadecimal, 64 digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace jostle::input
