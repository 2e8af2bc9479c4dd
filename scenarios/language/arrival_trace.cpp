#include "scenarios/language/arrival_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"

namespace jostle::scenarios {
namespace {

constexpr double max_seconds = 1e6;  // the longest run; 11 days

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t comma = line.find(',');
    result.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    line.remove_prefix(comma + 1);
  }
}

class TraceReader {
 public:
  TraceReader(const std::string& origin, input::Problems& problems)
      : origin_(std::make_shared<const std::string>(input::printable(origin, 400))), problems_(problems) {}

  std::optional<std::vector<sim::Time>> read(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return fail("the trace is empty");
    while (!text.empty()) {
      ++line_;
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        return fail("the last line does not end: the trace seems truncated",
                    "end it with a newline if it is whole");
      }
      if (!take(trimmed(text.substr(0, end)))) return std::nullopt;
      text.remove_prefix(end + 1);
    }
    if (times_.empty()) return fail("the trace holds no arrival");
    return std::move(times_);
  }

 private:
  bool take(std::string_view line) {
    const std::vector<std::string_view> row = fields(line);
    if (line_ == 1 && !input::parse_real(row[0])) return take_header(row);
    if (row.size() != columns_) {
      fail(fmt::format("{} fields where the others have {}", row.size(), columns_));
      return false;
    }
    const std::string shown = input::printable(std::string(row[column_]));
    const std::optional<double> seconds = input::parse_real(row[column_]);
    if (!seconds) {
      fail(fmt::format("'{}' is not a time in seconds", shown),
           "one decimal number a line, for example 0.025");
    } else if (*seconds < 0 || *seconds > max_seconds) {
      fail(fmt::format("'{}' is not between 0 and {} s", shown, max_seconds));
    } else if (const sim::Time time = sim::Time::zero() + sim::seconds(*seconds);
               !times_.empty() && time < times_.back()) {
      fail(fmt::format("'{}' is before the arrival above it", shown), "sort the trace by time");
    } else {
      times_.push_back(time);
      return true;
    }
    return false;
  }

  bool take_header(const std::vector<std::string_view>& row) {
    columns_ = row.size();
    const auto found = std::find(row.begin(), row.end(), "time_s");
    column_ = static_cast<std::size_t>(found - row.begin());
    if (found != row.end()) return true;
    const std::vector<std::string> valid{"time_s"};
    bool near = false;
    for (const std::string_view name : row) near = near || !input::nearest(name, valid).empty();
    fail("neither a time in seconds nor a header with a column 'time_s'",
         near ? "did you mean 'time_s'?" : "");
    return false;
  }

  std::nullopt_t fail(std::string message, std::string hint = {}) {
    problems_.add({origin_, line_, 1}, {}, std::move(message), std::move(hint));
    return std::nullopt;
  }

  std::shared_ptr<const std::string> origin_;
  input::Problems& problems_;
  int line_ = 0;
  std::size_t columns_ = 1, column_ = 0;
  std::vector<sim::Time> times_;
};

}  // namespace

std::optional<std::vector<sim::Time>> parse_arrival_trace(const std::string& text, const std::string& origin,
                                                          input::Problems& problems) {
  return TraceReader(origin, problems).read(text);
}

std::optional<std::vector<sim::Time>> read_arrival_trace(const std::string& path, input::Problems& problems) {
  const std::optional<std::string> text = input::read_text_file(path, max_trace_bytes, problems);
  return text ? parse_arrival_trace(*text, path, problems) : std::nullopt;
}

}  // namespace jostle::scenarios
