#include "input/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "input/file.hpp"

namespace jostle::input {
namespace {

constexpr std::size_t max_csv_bytes = std::size_t{1} << 30U;

// True if a spreadsheet would evaluate the text as a formula, possibly after removing apostrophes in front.
bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

// Reads one record after another from the text and counts lines.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  // Appends the fields of the next record, and returns their number.
  std::size_t record(CsvFields& fields) {
    for (std::size_t count = 1;; ++count) {
      const std::size_t begin = fields.text.size();
      if (peek() == '"')
        quoted(fields.text);
      else
        plain(fields.text);
      if (fields.text.size() > begin && fields.text[begin] == '\'' &&
          is_formula(std::string_view(fields.text).substr(begin)))
        fields.text.erase(begin, 1);
      fields.ends.push_back(fields.text.size());
      const char end = take("the last line has no newline: the file is truncated");
      if (end == '\n') {
        ++line_;
        return count;
      }
      if (end != ',') throw CsvError(name_, line_, "expected a comma after a quoted field");
    }
  }

 private:
  // The next character; '\0' at the end of the text. "\r\n" counts as one newline.
  [[nodiscard]] char peek() const {
    if (at_end()) return '\0';
    if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') return '\n';
    return text_[position_];
  }

  char take(std::string_view message_at_end) {
    if (at_end()) throw CsvError(name_, line_, message_at_end);
    const char c = peek();
    position_ += c != text_[position_] ? 2 : 1;
    return c;
  }

  void plain(std::string& to) {
    const std::size_t begin = position_;
    for (; !at_end(); ++position_) {
      const char c = text_[position_];
      if (c == ',' || c == '\n' || (c == '\r' && peek() == '\n')) break;
      if (c == '"') throw CsvError(name_, line_, "a quote inside a field that does not start with one");
      if (c == '\0') throw CsvError(name_, line_, "a zero byte: this is not text");
    }
    to += text_.substr(begin, position_ - begin);
  }

  void quoted(std::string& to) {
    const std::size_t opened = line_;
    ++position_;
    for (;;) {
      if (at_end()) throw CsvError(name_, opened, "the quote opened here is not closed");
      const char c = text_[position_++];
      if (c == '\0') throw CsvError(name_, line_, "a zero byte: this is not text");
      if (c == '"') {
        if (peek() != '"') return;
        ++position_;
      }
      if (c == '\n') ++line_;
      to += c;
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

std::string located(std::string_view name, std::size_t line, std::string_view message) {
  std::string text{name};
  if (line > 0) text.append(":").append(std::to_string(line));
  return text.append(": ").append(message);
}

template <class Number>
Number number_in(const CsvTable::Row& row, const std::string& column, std::string_view text,
                 std::string_view kind) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) {
    row.fail("column '" + column + "': '" + std::string(text) + "' is not " + std::string(kind));
  }
  return value;
}

}  // namespace

CsvError::CsvError(std::string_view name, std::size_t line, std::string_view message)
    : std::runtime_error(located(name, line, message)), line_(line) {}

std::string_view CsvTable::Row::view(std::size_t column) const {
  return table_->fields_.at(index_ * table_->header_.size() + column);
}

double CsvTable::Row::number(std::size_t column) const {
  const auto value = number_in<double>(*this, table_->header_.at(column), view(column), "a number");
  if (!std::isfinite(value)) fail("column '" + table_->header_[column] + "' is not finite");
  return value;
}

std::int64_t CsvTable::Row::integer(std::size_t column) const {
  return number_in<std::int64_t>(*this, table_->header_.at(column), view(column), "a whole number");
}

std::size_t CsvTable::Row::line() const {
  return table_->lines_.at(index_);
}

void CsvTable::Row::fail(std::string_view message) const {
  throw CsvError(table_->name_, line(), message);
}

CsvTable CsvTable::parse(std::string_view text, std::string_view name,
                         std::span<const std::string_view> required) {
  CsvTable table;
  table.name_ = name;
  text = without_mark(text);
  if (text.empty()) throw CsvError(name, 1, "the file is empty");
  Scanner scanner(text, name);
  CsvFields header;
  const std::size_t columns = scanner.record(header);
  for (std::size_t i = 0; i < columns; ++i) table.header_.emplace_back(header.at(i));
  for (const std::string& column : table.header_) {
    if (std::ranges::count(table.header_, column) > 1)
      throw CsvError(name, 1, "duplicate column '" + column + "'");
  }
  for (const std::string_view column : required) (void)table.column(column);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  table.lines_.reserve(lines);
  table.fields_.text.reserve(text.size());
  table.fields_.ends.reserve(lines * columns);
  while (!scanner.at_end()) {
    const std::size_t line = scanner.line();
    const std::size_t fields = scanner.record(table.fields_);
    if (fields != table.header_.size()) {
      throw CsvError(
          name, line,
          std::to_string(fields) + " fields where the header has " + std::to_string(table.header_.size()));
    }
    table.lines_.push_back(line);
  }
  return table;
}

CsvTable CsvTable::read(const std::filesystem::path& path, std::span<const std::string_view> required) {
  return parse(read_text(path), file_name(path.string()), required);
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(header_, name);
  if (found == header_.end())
    throw CsvError(name_, 1, "the header has no column '" + std::string(name) + "'");
  return static_cast<std::size_t>(found - header_.begin());
}

std::string text_in(const CsvTable& table, const CsvTable::Row& row, std::string_view column) {
  const auto at = std::ranges::find(table.header(), column);
  return at == table.header().end() ? std::string()
                                    : row.text(static_cast<std::size_t>(at - table.header().begin()));
}

std::string csv_field(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  const bool plain_number = error == std::errc{} && stopped == end;
  const std::string safe = !plain_number && is_formula(text) ? "'" + text : text;
  const bool marked = without_mark(safe).size() < safe.size();  // a mark in the first field is lost
  if (!marked && safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string result = "\"";
  for (const char c : safe) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string read_text(const std::filesystem::path& path) {
  std::string problem;
  auto text = read_bytes(path.string(), max_csv_bytes, problem);
  if (!text) throw CsvError(file_name(path.string()), 0, problem);
  return *std::move(text);
}

}  // namespace jostle::input
