// A short, stable fingerprint of a text: 64-bit FNV-1a. It distinguishes inputs but does not protect against
// forgery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jostle::input {

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

// The FNV-1a step over eight bytes at a time: faster, for the contents of large files.
[[nodiscard]] std::uint64_t fnv1a_of_words(std::string_view text);

// The hash as sixteen hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t hash);

// SHA-256 (FIPS 180-4): the checksum that `sha256sum` prints; recordings identify their ONNX files by it.

// The checksum in hexadecimal, 64 digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace jostle::input
