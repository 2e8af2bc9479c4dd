#include "input/printable.hpp"

#include <fmt/format.h>

namespace jostle::input {
namespace {

// Length of the well-formed UTF-8 sequence at `at`; 0 if there is none.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string printable(const std::string& text, std::size_t max_bytes) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (result.size() >= max_bytes) return result + "...";
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_length(text, at);
    if (byte == '\n') {
      result += "\\n";
      ++at;
    } else if (byte == '\t') {
      result += "\\t";
      ++at;
    } else if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02X}", byte);
      ++at;
    } else {
      result.append(text, at, length);
      at += length;
    }
  }
  return result;
}

}  // namespace jostle::input
