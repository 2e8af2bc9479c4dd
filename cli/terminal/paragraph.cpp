#include "cli/terminal/paragraph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

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

namespace {

constexpr std::string_view example = "  jostle ";

std::size_t columns_for(int width) {
  return static_cast<std::size_t>(std::min(width, max_prose_width));
}

// Splits `text` at spaces outside of quotation marks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c != ' ' || quoted)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The indent of the lines after the first: under the description of an option, or else under the line.
std::size_t indent_of(const std::string& line, std::size_t columns) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (line.starts_with(example)) return first + 4;
  const std::size_t gap = line.find("  ", first);
  const std::size_t described = gap == std::string::npos ? first : line.find_first_not_of(' ', gap);
  return described < columns / 2 ? described : first;
}

std::string broken(const std::string& line, std::size_t columns) {
  if (display_width(line) <= columns) return line;
  const std::string mark = line.starts_with(example) ? " \\" : "";
  const std::size_t indent = indent_of(line, columns);
  const std::size_t kept = line.starts_with(example) ? 2 : std::min(indent, line.size());
  std::string text = line.substr(0, kept);
  std::size_t column = display_width(text);
  bool first = true;
  for (const std::string& word : words_of(line.substr(kept))) {
    const std::size_t needed = display_width(word) + mark.size();
    if (!first && column + 1 + needed > columns) {
      text += mark + "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) text += ' ';
    column += display_width(word) + (first ? 0 : 1);
    text += word;
    first = false;
  }
  return text;
}

}  // namespace

std::string help_text(const std::string& help, int width) {
  std::string text, line;
  for (std::istringstream lines(help); std::getline(lines, line);) {
    const bool doubled = line.empty() && (text.empty() || text.ends_with("\n\n"));
    if (!doubled) text += broken(line, columns_for(width)) + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::size_t description_column(int width) {
  return std::min<std::size_t>(32, columns_for(width) * 2 / 5);
}

}  // namespace jostle::cli
