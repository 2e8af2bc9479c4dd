// A table for people: aligned columns, made to fit the width at hand.
//
// What does not fit goes in this order: columns that may be left out, the least important first (a line below
// says which); then words that may be cut, the widest first. Rows are never broken or left out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

inline const std::string none = "–";  // what stands for a figure that is not there

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
  int importance = 0;    // columns of 0 are never left out; of the others the smallest goes first
  bool shrinks = false;  // its cells may be cut, with an ellipsis
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells, Style style = Style::plain);
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

  // The lines, each ended by a newline. Headers are strong where there is colour.
  [[nodiscard]] std::string text(int width, bool colour) const;
  // All columns as a Markdown table.
  [[nodiscard]] std::string markdown() const;
  // All columns as a table of a web page.
  [[nodiscard]] std::string html() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace jostle::cli
