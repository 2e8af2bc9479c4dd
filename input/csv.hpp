// Comma-separated values, read strictly: truncated or wrongly edited evidence must be rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::input {

// An error in a file, as "name:line: message".
class CsvError : public std::runtime_error {
 public:
  CsvError(std::string_view name, std::size_t line, std::string_view message);
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

// Fields stored one after another in one text, to avoid an allocation for each.
struct CsvFields {
  std::string text;
  std::vector<std::size_t> ends;  // end of each field
  [[nodiscard]] std::string_view at(std::size_t index) const {
    const std::size_t end = ends.at(index), begin = index == 0 ? 0 : ends[index - 1];
    return std::string_view(text).substr(begin, end - begin);
  }
};

// A complete file, with or without a byte order mark: a header line, then rows with the same number of
// fields. Fields in double quotes may contain commas, newlines and doubled quotes. The last line must end in
// a newline; otherwise the file is truncated.
class CsvTable {
 public:
  // One data row; valid as long as the table.
  class Row {
   public:
    Row(const CsvTable& table, std::size_t index) : table_(&table), index_(index) {}
    // `column` is an index, from CsvTable::column().
    [[nodiscard]] std::string_view view(
        std::size_t column) const;  // valid as long as the table stays where it is
    [[nodiscard]] std::string text(std::size_t column) const { return std::string(view(column)); }
    [[nodiscard]] double number(std::size_t column) const;         // finite; throws CsvError
    [[nodiscard]] std::int64_t integer(std::size_t column) const;  // throws CsvError
    // The same by the name of the column, which is looked for each time; throw CsvError if there is none.
    [[nodiscard]] std::string_view view(std::string_view name) const { return view(table_->column(name)); }
    [[nodiscard]] std::string text(std::string_view name) const { return text(table_->column(name)); }
    [[nodiscard]] double number(std::string_view name) const { return number(table_->column(name)); }
    [[nodiscard]] std::int64_t integer(std::string_view name) const { return integer(table_->column(name)); }
    [[nodiscard]] std::size_t line() const;
    [[noreturn]] void fail(std::string_view message) const;  // CsvError with this row's line

   private:
    const CsvTable* table_;
    std::size_t index_;
  };

  // Over the data rows.
  struct Iterator {
    const CsvTable* table;
    std::size_t index;
    Row operator*() const { return {*table, index}; }
    Iterator& operator++() {
      ++index;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, rows()}; }

  // Parses a table. `name` is for messages. All of `required` must be in the header, and no column may be
  // duplicated. Throws CsvError.
  [[nodiscard]] static CsvTable parse(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> required = {});
  [[nodiscard]] static CsvTable read(const std::filesystem::path& path,
                                     std::span<const std::string_view> required = {});

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  [[nodiscard]] Row row(std::size_t index) const { return {*this, index}; }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] std::size_t column(std::string_view name) const;  // throws CsvError if there is none

 private:
  std::string name_;
  std::vector<std::string> header_;
  CsvFields fields_;                // row after row
  std::vector<std::size_t> lines_;  // line number at which each row starts, from 1
};

// The text of an optional column; empty if the table does not have it.
[[nodiscard]] std::string text_in(const CsvTable& table, const CsvTable::Row& row, std::string_view column);

// A field as written into a CSV file: quoted if necessary. Text that a spreadsheet would evaluate as a
// formula (= + - @, tab, carriage return) gets an apostrophe in front, which CsvTable removes; numbers are
// unchanged.
[[nodiscard]] std::string csv_field(const std::string& text);

// The contents of a file, or of standard input for `-`. Throws CsvError (line 0) if it cannot be read or has
// more than 2^30 bytes.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace jostle::input
