#include "cli/terminal/paragraph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal/terminal.hpp"
#include "input/printable.hpp"

namespace jostle::cli {

std::string paragraph(std::string_view any_text, int width, int indent) {
  const std::string safe = input::printable(any_text, std::string::npos);
  std::string_view text = safe;
  const auto max_columns = static_cast<std::size_t>(std::min(width, max_prose_width));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string lines = margin;
  std::size_t column = margin.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t columns = display_width(word);
    if (column > margin.size() && column + 1 + columns > max_columns) {
      lines += "\n" + margin;
      column = margin.size();
    }
    if (column > margin.size()) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns;
  }
  return lines + "\n";
}

std::string bar(double share, int columns) {
  const double exact = std::clamp(share, 0.0, 1.0) * columns;
  const int whole = static_cast<int>(std::lround(exact));
  if (whole == 0) return exact > 0 ? "▏" : "";
  std::string text;
  for (int i = 0; i < whole; ++i) text += "█";
  return text;
}

std::string significant(double value, int digits) {
  int before = 1;
  for (double bound = 10; std::abs(value) >= bound && before < digits; bound *= 10) ++before;
  return fmt::format("{:.{}f}", value, digits - before);
}

std::string significant(const std::optional<double>& value, int digits) {
  return value ? significant(*value, digits) : "–";
}

std::string signed_percent(const std::optional<double>& share) {
  if (!share) return "–";
  const std::string text = fmt::format("{:+.1f}", 100 * *share);
  return text == "-0.0" ? "+0.0" : text;
}

}  // namespace jostle::cli
