// The CSV reader: what it accepts, and what it refuses by line.
#include "input/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

namespace jostle::input {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string error_of(std::string_view text, std::span<const std::string_view> required = {}) {
  try {
    const CsvTable table = CsvTable::parse(text, "file.csv", required);
    for (std::size_t i = 0; i < table.rows(); ++i) (void)table.row(i).number(0);
  } catch (const CsvError& error) {
    return error.what();
  }
  return "";
}

TEST(Csv, reads_numbers_and_text_by_column) {
  const CsvTable table = CsvTable::parse("name,us\nconv,1.5\npool,-2e3\n", "file.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.row(0).text(table.column("name")), "conv");
  EXPECT_EQ(table.row(1).number(table.column("us")), -2000);
  EXPECT_EQ(table.row(1).line(), 3U);
}

TEST(Csv, a_quoted_field_may_hold_commas_quotes_and_newlines) {
  const CsvTable table = CsvTable::parse("a,b\n\"x, \"\"y\"\"\nz\",2\n3,4\n", "file.csv");
  EXPECT_EQ(table.row(0).text(0), "x, \"y\"\nz");
  EXPECT_EQ(table.row(1).line(), 4U);
}

TEST(Csv, windows_line_ends_are_line_ends) {
  const CsvTable table = CsvTable::parse("a,b\r\n1,2\r\n", "file.csv");
  EXPECT_EQ(table.row(0).integer(1), 2);
}

TEST(Csv, a_byte_order_mark_is_no_part_of_the_first_column) {
  const CsvTable table = CsvTable::parse("\xEF\xBB\xBFprompt,tokens\r\n5,6\r\n", "requests.csv");
  EXPECT_EQ(table.row(0).integer(table.column("prompt")), 5);
  EXPECT_THROW((void)CsvTable::parse("\xEF\xBB\xBF", "empty.csv"), CsvError);
  const std::string marked = "\xEF\xBB\xBFx";
  EXPECT_EQ(CsvTable::parse(csv_field(marked) + "\n", "own.csv").header().front(), marked);
}

TEST(Csv, a_file_cut_off_in_a_line_is_refused_with_its_line) {
  EXPECT_THAT(error_of("a,b\n1,2\n3,4"), HasSubstr("file.csv:3: the last line has no newline"));
}

TEST(Csv, a_row_of_another_length_is_refused_with_its_line) {
  EXPECT_THAT(error_of("a,b\n1,2\n3\n"), HasSubstr("file.csv:3: 1 fields where the header has 2"));
  EXPECT_THAT(error_of("a,b\n1,2,3\n"), HasSubstr("file.csv:2: 3 fields"));
}

TEST(Csv, a_quote_that_is_never_closed_names_the_line_that_opened_it) {
  EXPECT_THAT(error_of("a,b\n1,\"2\n3,4\n"), HasSubstr("file.csv:2: the quote opened here"));
}

TEST(Csv, text_after_a_closing_quote_is_refused) {
  EXPECT_THAT(error_of("a,b\n\"1\"x,2\n"), HasSubstr("file.csv:2: expected a comma"));
}

TEST(Csv, a_header_without_a_required_column_is_refused) {
  constexpr std::array<std::string_view, 2> required{"a", "c"};
  EXPECT_THAT(error_of("a,b\n1,2\n", required), HasSubstr("file.csv:1: the header has no column 'c'"));
}

TEST(Csv, a_column_that_is_there_twice_is_refused) {
  EXPECT_THAT(error_of("a,a\n1,2\n"), HasSubstr("duplicate column 'a'"));
}

TEST(Csv, what_is_not_a_finite_number_is_refused) {
  EXPECT_THAT(error_of("a\n1x\n"), HasSubstr("file.csv:2: column 'a': '1x' is not a number"));
  EXPECT_THAT(error_of("a\n\n"), HasSubstr("is not a number"));
  EXPECT_THAT(error_of("a\ninf\n"), HasSubstr("not finite"));
}

TEST(Csv, an_empty_file_and_a_directory_are_refused) {
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_THROW((void)CsvTable::read(std::filesystem::temp_directory_path()), CsvError);
}

// An apostrophe in front may be one that csv_field() put there.
RC_GTEST_PROP(Csv, any_field_comes_back_from_its_quotes, (const std::vector<std::string>& fields)) {
  RC_PRE(!fields.empty());
  RC_PRE(std::ranges::none_of(fields, [](const std::string& field) { return field.starts_with('\''); }));
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) text.append(i > 0 ? ",c" : "c").append(std::to_string(i));
  text += '\n';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    text += i > 0 ? ",\"" : "\"";
    for (const char c : fields[i]) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  text += '\n';
  const CsvTable table = CsvTable::parse(text, "file.csv");
  for (std::size_t i = 0; i < fields.size(); ++i) RC_ASSERT(table.row(0).text(i) == fields[i]);
}

RC_GTEST_PROP(Csv, any_bytes_are_read_or_refused_but_never_crash, (const std::string& text)) {
  try {
    (void)CsvTable::parse(text, "file.csv");
  } catch (const CsvError&) {
  }
}

TEST(Csv, a_zero_byte_is_no_text_in_quotes_either) {
  using namespace std::string_literals;
  EXPECT_THROW((void)CsvTable::parse("a\n\0\n"s, "t"), CsvError);
  EXPECT_THROW((void)CsvTable::parse("a\n\"\0\"\n"s, "t"), CsvError);
}

TEST(Csv, a_formula_is_text_and_reads_back_as_it_was) {
  for (const char* const text :
       {"=1+1", "+cmd", "-cmd|x", "@sum", "\t=1", "\r=1", "'=1", "''@", "-", "=a,\"b\""}) {
    const std::string field = csv_field(text);
    EXPECT_TRUE(field.starts_with("'") || field.starts_with("\"'")) << field;
    EXPECT_EQ(CsvTable::parse("a,b\n" + field + ",1\n", "t").row(0).text(0), text);
  }
  for (const char* const plain : {"-1.5", "-3", "1e-9", "a=b", "'quoted'", "it's", ""})
    EXPECT_EQ(csv_field(plain), plain);
  EXPECT_EQ(CsvTable::parse("a\n'quoted'\n", "t").row(0).text(0), "'quoted'");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::input
