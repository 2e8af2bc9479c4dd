#include "cli/terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/terminal/paragraph.hpp"
#include "input/printable.hpp"
#include "sim/contract.hpp"

namespace jostle::cli {
namespace {

constexpr std::size_t column_gap = 2;      // columns of space between two cells
constexpr std::size_t min_cell_width = 6;  // minimum for a shrinking column
constexpr std::size_t name_width = 12;     // to which columns are hidden before it shrinks further

std::size_t total(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown) {
  std::size_t sum = shown.empty() ? 0 : column_gap * (shown.size() - 1);
  for (const std::size_t column : shown) sum += widths[column];
  return sum;
}

// The shown column to hide next: the least important one. Ties: the last. None if all must stay.
std::optional<std::size_t> least_important(const std::vector<Column>& columns,
                                           const std::vector<std::size_t>& shown) {
  std::optional<std::size_t> least;
  for (const std::size_t column : shown) {
    if (columns[column].importance == 0) continue;
    if (!least || columns[column].importance <= columns[*least].importance) least = column;
  }
  return least;
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - display_width(cell), ' ');
  return align == Align::left ? cell + space : space + cell;
}

void strip_trailing_spaces(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

// The note "not shown: a, b", broken into lines.
std::string hidden_columns_note(const std::vector<std::string>& headers, std::size_t width) {
  std::string note = "not shown:";
  std::size_t line_width = note.size();
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string word = headers[i] + (i + 1 < headers.size() ? "," : "");
    const std::size_t needed = 1 + display_width(word);
    if (line_width + needed > width) {
      note += "\n          ";
      line_width = 10;
    }
    note += " " + word;
    line_width += needed;
  }
  return note;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_)
    for (std::string* const name : {&column.header, &column.full})
      *name = input::printable(*name, std::string::npos);
}

void Table::add(std::vector<std::string> cells, Style style) {
  sim::contract(cells.size() == columns_.size(), "a row of a table has a cell for each column");
  for (std::string& cell : cells) cell = input::printable(cell, std::string::npos);
  rows_.push_back({std::move(cells), style});
}

void Table::add_heading(const std::string& text) {
  std::vector<std::string> cells(columns_.size());
  cells.front() = input::printable(text, std::string::npos);
  rows_.push_back({std::move(cells), Style::strong, true});
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].header);
    for (const Row& row : rows_)
      if (!row.heading) width = std::max(width, display_width(row.cells[i]));
    widths.push_back(width);
  }
  return widths;
}

std::string Table::text(int width, bool colour) const {
  const auto available = static_cast<std::size_t>(std::max(width, 1));
  std::vector<std::size_t> widths = natural_widths(), shown(columns_.size()), hidden;
  std::iota(shown.begin(), shown.end(), std::size_t{0});

  // Truncating cells is better than hiding a column, so columns are hidden only if the narrowest widths do
  // not fit.
  const auto narrowest_widths = [&] {
    std::vector<std::size_t> least = widths;
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (columns_[i].shrinks) least[i] = std::min(least[i], std::max(name_width, least[i] / 2));
    }
    return least;
  };
  while (total(narrowest_widths(), shown) > available) {
    const auto least = least_important(columns_, shown);
    if (!least) break;
    std::erase(shown, *least);
    hidden.push_back(*least);
  }
  std::ranges::sort(hidden);
  while (total(widths, shown) > available) {
    std::optional<std::size_t> widest;
    for (const std::size_t column : shown) {
      if (columns_[column].shrinks && widths[column] > min_cell_width &&
          (!widest || widths[column] > widths[*widest])) {
        widest = column;
      }
    }
    if (!widest) break;
    --widths[*widest];
  }

  std::string text;
  const auto add_line = [&](const auto& cell, Style style) {
    std::string line;
    for (const std::size_t column : shown) {
      if (column != shown.front()) line += std::string(column_gap, ' ');
      line += padded(shortened(cell(column), widths[column]), widths[column], columns_[column].align);
    }
    strip_trailing_spaces(line);
    text += styled(line, style, colour) + "\n";
  };
  add_line([&](std::size_t column) { return columns_[column].header; }, Style::strong);
  for (const Row& row : rows_) {
    if (row.heading) {
      std::string lines = paragraph(row.cells.front(), static_cast<int>(available), 0);
      lines.pop_back();
      text += styled(lines, row.style, colour) + "\n";
    } else {
      add_line([&](std::size_t column) { return row.cells[column]; }, row.style);
    }
  }
  if (!hidden.empty()) {
    std::vector<std::string> headers;
    for (const std::size_t column : hidden)
      headers.push_back(columns_[column].full.empty() ? columns_[column].header : columns_[column].full);
    text += styled(hidden_columns_note(headers, available), Style::faint, colour) + "\n";
  }
  return text;
}

nlohmann::ordered_json Table::json() const {
  using Json = nlohmann::ordered_json;
  const auto style_name = [](Style style) {
    return style == Style::strong  ? "strong"
           : style == Style::faint ? "faint"
           : style == Style::bad   ? "bad"
                                   : "plain";
  };
  Json columns = Json::array(), rows = Json::array();
  for (const Column& column : columns_)
    columns.push_back({{"name", column.header},
                       {"right", column.align == Align::right},
                       {"importance", column.importance}});
  for (const Row& row : rows_) rows.push_back({{"cells", row.cells}, {"style", style_name(row.style)}});
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

std::string Table::markdown() const {
  const auto cell = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    return fmt::format(" {} |", text);
  };
  std::string text = "|", rule = "|";
  for (const Column& column : columns_) {
    text += cell(column.header);
    rule += column.align == Align::right ? "--:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const Row& row : rows_) {
    text += "|";
    for (const std::string& entry : row.cells) text += cell(entry);
    text += "\n";
  }
  return text;
}

}  // namespace jostle::cli
