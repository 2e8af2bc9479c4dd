#include "cli/query/rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/table.hpp"
#include "input/csv.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

using analyses::SqlStatement;

constexpr std::size_t print_buffer_size = 1 << 16;  // bytes

// A number with five significant digits; other text unchanged.
std::string table_cell(const SqlStatement& rows, int column) {
  const std::string text(rows.text(column));
  if (!rows.is_number(column)) return text;
  if (text.find_first_of(".e") == std::string::npos) return text;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return fmt::format("{:.5g}", number);
}

// `brief`: without the columns that have no value in any row.
void print_table(SqlStatement& rows, bool brief, Terminal& terminal) {
  const int count = rows.columns();
  std::vector<std::vector<std::string>> cells;
  std::vector<bool> numbers(static_cast<std::size_t>(count), true), shown(numbers.size(), !brief);
  while (rows.step()) {
    std::vector<std::string>& row = cells.emplace_back();
    for (int i = 0; i < count; ++i) {
      row.push_back(table_cell(rows, i));
      if (rows.is_null(i)) continue;
      shown[static_cast<std::size_t>(i)] = shown[static_cast<std::size_t>(i)] || !row.back().empty();
      if (!rows.is_number(i)) numbers[static_cast<std::size_t>(i)] = false;
    }
  }
  std::vector<Column> columns;
  for (int i = 0; i < count; ++i) {
    const bool number = numbers[static_cast<std::size_t>(i)];
    if (!shown[static_cast<std::size_t>(i)]) continue;
    columns.push_back({rows.name(i), number ? Align::right : Align::left, i == 0 ? 0 : count - i, !number});
  }
  Table table(std::move(columns));
  for (std::vector<std::string>& row : cells) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (shown[i]) kept.push_back(std::move(row[i]));
    table.add(std::move(kept));
  }
  terminal.print(table.text(terminal.width(), terminal.colour()));
}

std::string line_of(const SqlStatement& rows, RowFormat format) {
  if (format == RowFormat::json) {
    auto object = nlohmann::ordered_json::object();
    for (int i = 0; i < rows.columns(); ++i) object[rows.name(i)] = json_cell(rows, i);
    return output::json_text(object) + "\n";
  }
  std::string line;
  for (int i = 0; i < rows.columns(); ++i)
    line += (i == 0 ? "" : ",") + input::csv_field(std::string(rows.text(i)));
  return line + "\n";
}

}  // namespace

nlohmann::ordered_json json_cell(const SqlStatement& rows, int column) {
  if (rows.is_null(column)) return nullptr;
  const std::string text(rows.text(column));
  if (!rows.is_number(column)) return text;
  auto number = output::parsed_json_or_discarded(text);
  return number.is_number() ? number : nlohmann::ordered_json(text);  // Inf stays text
}

void print_rows(SqlStatement& rows, RowFormat format, Terminal& terminal) {
  if (format == RowFormat::table || format == RowFormat::brief_table)
    return print_table(rows, format == RowFormat::brief_table, terminal);
  std::string text;
  if (format == RowFormat::csv) {
    for (int i = 0; i < rows.columns(); ++i) text += (i == 0 ? "" : ",") + input::csv_field(rows.name(i));
    text += "\n";
  }
  while (rows.step()) {
    text += line_of(rows, format);
    if (text.size() < print_buffer_size) continue;
    terminal.print_data(text);
    text.clear();
  }
  terminal.print_data(text);
}

}  // namespace jostle::cli
