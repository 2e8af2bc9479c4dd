// A table with aligned columns that fits the width of the terminal.
//
// Cells and headers may be any text: characters that control a terminal are shown escaped, so a cell is one
// line.
//
// If it does not fit, optional columns are hidden, the least important first (a line below lists them); then
// the widest shrinkable cells are truncated. Rows are never wrapped or hidden.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

inline const std::string none = "–";  // for an absent value

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
  int importance = 0;     // 0: never hidden; otherwise the smallest is hidden first
  bool shrinks = false;   // cells may be truncated, with an ellipsis
  std::string full = {};  // its name where it is hidden; empty: the header
};

// A column of words; one whose cells may be truncated; one of numbers.
[[nodiscard]] inline Column left(std::string header, int importance = 0) {
  return {std::move(header), Align::left, importance};
}
[[nodiscard]] inline Column shrinking(std::string header, int importance = 0) {
  return {std::move(header), Align::left, importance, true};
}
[[nodiscard]] inline Column right(std::string header, int importance = 0) {
  return {std::move(header), Align::right, importance};
}

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // `cells`: one per column.
  void add(std::vector<std::string> cells, Style style = Style::plain);
  // Adds a line of its own above the rows that follow, whole: broken where it is too wide.
  void add_heading(const std::string& text);
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

  // The table as lines, each ended by a newline. Headers are bold if `colour`.
  [[nodiscard]] std::string text(int width, bool colour) const;
  // All columns as a Markdown table.
  [[nodiscard]] std::string markdown() const;
  // All columns for a page: `columns`, each with its `name`, `right` and `importance`, and `rows`, each with
  // its `cells` and its `style` ("plain", "strong", "faint", "bad").
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
    bool heading = false;  // the first cell alone
  };
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace jostle::cli
