#include "input/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace jostle::input {
namespace {

// A code point and the bytes that encode it; no bytes: malformed.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;
};

CodePoint code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xC2 && lead < 0xE0   ? 2
                            : (lead & 0xF0U) == 0xE0      ? 3
                            : lead >= 0xF0 && lead < 0xF5 ? 4
                                                          : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  // Overlong encodings, halves of surrogate pairs, and values beyond Unicode are malformed.
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (value < least[bytes] || (value >= 0xD800 && value < 0xE000) || value > 0x10FFFF) return {};
  return {value, bytes};
}

// True for characters beyond ASCII that control a terminal or are invisible.
bool hidden(std::uint32_t value) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr std::array ranges{Range{0x80, 0x9F},      Range{0xAD, 0xAD},     Range{0x61C, 0x61C},
                                     Range{0x180E, 0x180E},  Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
                                     Range{0x2060, 0x206F},  Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
                                     Range{0xE0000, 0xE007F}};
  return std::ranges::any_of(
      ranges, [value](const Range& range) { return value >= range.first && value <= range.last; });
}

void append(std::string& to, std::string_view text, const CodePoint& at) {
  if (at.bytes > 0 && at.value == '\n')
    to += "\\n";
  else if (at.value == '\t')
    to += "\\t";
  else if (at.bytes == 0 || at.value < 0x20 || at.value == 0x7F)
    to += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
  else if (hidden(at.value))
    to += fmt::format("\\u{:04X}", at.value);
  else
    to += text.substr(0, at.bytes);
}

std::string shown(std::string_view text, std::size_t max_bytes, bool keep_lines) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= max_bytes) return result + "...";
    const CodePoint at = code_point(text);
    if (keep_lines && at.value == '\n')
      result += '\n';
    else
      append(result, text, at);
    text.remove_prefix(std::max<std::size_t>(at.bytes, 1));
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  return shown(text, max_bytes, false);
}

std::string printable_lines(std::string_view text) {
  return shown(text, std::string_view::npos, true);
}

}  // namespace jostle::input
