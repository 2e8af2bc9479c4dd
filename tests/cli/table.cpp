// A table keeps its rows and gives up columns, then words.
#include "cli/terminal/table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "sim/contract.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest_line(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

Table processes() {
  Table table({{"process", Align::left, 0, true},
               {"images/s", Align::right},
               {"grade", Align::left, 1},
               {"p99 ms", Align::right, 2}});
  table.add({"resnet50", "2143.4", "measured", "3.90"});
  table.add({"mobilenet_v2", "9.8", "interpolated", "12.11"});
  return table;
}

TEST(Table, columns_are_aligned_and_lines_have_no_trailing_space) {
  EXPECT_EQ(processes().text(100, false),
            "process       images/s  grade         p99 ms\n"
            "resnet50        2143.4  measured        3.90\n"
            "mobilenet_v2       9.8  interpolated   12.11\n");
}

TEST(Table, a_row_without_a_cell_for_each_column_is_a_broken_contract) {
  Table table = processes();
  EXPECT_THROW(table.add({"resnet50", "2143.4"}), sim::BrokenContract);
}

TEST(Table, the_least_important_column_goes_first_and_is_named) {
  EXPECT_EQ(processes().text(32, false),
            "process       images/s  p99 ms\n"
            "resnet50        2143.4    3.90\n"
            "mobilenet_v2       9.8   12.11\n"
            "not shown: grade\n");
}

TEST(Table, hidden_columns_of_one_header_are_told_by_their_full_names) {
  Table table({{"way", Align::left},
               {.header = "/s", .importance = 1, .full = "front /s"},
               {.header = "/s", .importance = 2, .full = "rear /s"}});
  table.add({"as it is", "12", "34"});
  EXPECT_EQ(table.text(40, false), "way       /s  /s\nas it is  12  34\n");
  EXPECT_EQ(table.text(9, false), "way\nas it is\nnot shown:\n           front /s,\n           rear /s\n");
}

TEST(Table, words_are_cut_only_when_no_column_may_go) {
  EXPECT_EQ(processes().text(18, false),
            "process   images/s\n"
            "resnet50    2143.4\n"
            "mobilen…       9.8\n"
            "not shown: grade,\n"
            "           p99 ms\n");
}

TEST(Table, a_heading_stands_whole_above_its_rows_and_widens_no_column) {
  Table table({{"runs", Align::left, 0, true}, {"limit", Align::left}});
  table.add_heading("language models beside others, streams of one process");
  table.add({"  rate", "6: exceeded"});
  EXPECT_EQ(table.text(30, false),
            "runs    limit\n"
            "language models beside others,\n"
            "streams of one process\n"
            "  rate  6: exceeded\n");
  EXPECT_EQ(lines_of(table.text(100, false)).at(1), "language models beside others, streams of one process");
}

TEST(Table, multi_byte_characters_count_as_one_column) {
  Table table({{"±95 %", Align::right}, {"x", Align::left}});
  table.add({"–", "a"});
  EXPECT_EQ(table.text(100, false), "±95 %  x\n    –  a\n");
}

TEST(Table, colour_marks_the_header_and_bad_rows_without_moving_anything) {
  Table table({{"a"}});
  table.add({"1"});
  table.add({"2"}, Style::bad);
  EXPECT_EQ(table.text(80, true), "\x1b[1ma\x1b[0m\n1\n\x1b[31m2\x1b[0m\n");
}

RC_GTEST_PROP(Table, never_exceeds_a_width_that_its_essential_columns_fit, ()) {
  const int width = *rc::gen::inRange(40, 200);
  std::vector<Column> columns{{"name", Align::left, 0, true}, {"value", Align::right}};
  const int extra = *rc::gen::inRange(0, 12);
  for (int i = 0; i < extra; ++i) {
    columns.push_back(
        {std::string(*rc::gen::inRange<std::size_t>(1, 15), 'h'), Align::left, *rc::gen::inRange(1, 9)});
  }
  Table table(columns);
  const int rows = *rc::gen::inRange(0, 5);
  for (int i = 0; i < rows; ++i) {
    std::vector<std::string> cells{std::string(*rc::gen::inRange<std::size_t>(0, 300), 'n'), "12345.6"};
    for (int j = 0; j < extra; ++j) cells.push_back(std::string(*rc::gen::inRange<std::size_t>(0, 20), 'c'));
    table.add(cells);
  }
  const std::string text = table.text(width, false);
  // "name" may need all 300 columns, of which it keeps half before a column is dropped, then as few as it
  // must.
  RC_ASSERT(widest_line(text) <= static_cast<std::size_t>(width));
  RC_ASSERT(lines_of(text).size() >= static_cast<std::size_t>(rows) + 1);
}

TEST(Table, markdown_has_every_column_and_escapes_what_would_end_a_cell) {
  Table table({{"run", Align::left, 0, true}, {"|e| %", Align::right, 1}});
  table.add({"a", "1.5"});
  table.add({"b|c", ""});
  EXPECT_EQ(table.markdown(), "| run | \\|e\\| % |\n|---|--:|\n| a | 1.5 |\n| b\\|c |  |\n");
}

TEST(Table, shows_cells_and_headers_on_one_line_whatever_they_hold) {
  Table table({{"na\nme", Align::left}, {"x"}});
  table.add({"a\n0  forged\x1b[8m\u202e", "1"});
  EXPECT_EQ(table.text(200, false), "na\\nme                     x\na\\n0  forged\\x1B[8m\\u202E  1\n");
  EXPECT_EQ(table.markdown(), "| na\\nme | x |\n|---|--:|\n| a\\n0  forged\\x1B[8m\\u202E | 1 |\n");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
