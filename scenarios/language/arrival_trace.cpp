#include "scenarios/language/arrival_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::scenarios {
namespace {

constexpr double max_seconds = 1e6;  // the longest run; 11 days

std::optional<double> time_in(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return input::parse_real(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

// Appends the time in a field of this line; throws input::CsvError.
void take(std::string_view field, std::size_t line, const std::string& name, std::vector<sim::Time>& times) {
  const std::optional<double> seconds = time_in(field);
  const bool within = seconds && *seconds >= 0 && *seconds <= max_seconds;
  const sim::Time time = sim::Time::zero() + sim::seconds(within ? *seconds : 0);
  const char* const wrong = !seconds  ? "not a time in seconds (one decimal number a line, for example 0.025)"
                            : !within ? "not between 0 and 1000000 s"
                            : !times.empty() && time < times.back()
                                ? "before the arrival above it (sort the trace by time)"
                                : nullptr;
  if (wrong != nullptr)
    throw input::CsvError(name, line, fmt::format("'{}' is {}", input::printable(std::string(field)), wrong));
  times.push_back(time);
}

}  // namespace

std::optional<std::vector<sim::Time>> parse_arrival_trace(const std::string& text, const std::string& origin,
                                                          input::Problems& problems) {
  const std::string name = input::printable(origin, 400);
  std::vector<sim::Time> times;
  try {
    const auto csv = input::CsvTable::parse(text, name);
    const std::vector<std::string>& header = csv.header();
    const bool plain = header.size() == 1 && time_in(header.front());  // no header: the first time
    const auto column = plain ? header.begin() : std::ranges::find(header, "time_s");
    if (plain) take(header.front(), 1, name, times);
    if (column == header.end())
      throw input::CsvError(name, 1, "neither a time in seconds nor a header with a column 'time_s'");
    for (const auto row : csv)
      take(row.view(static_cast<std::size_t>(column - header.begin())), row.line(), name, times);
    if (times.empty()) throw input::CsvError(name, 1, "the trace holds no arrival");
  } catch (const input::CsvError& error) {
    problems.add({}, {}, error.what());
    return std::nullopt;
  }
  return times;
}

std::optional<std::vector<sim::Time>> read_arrival_trace(const std::string& path, input::Problems& problems) {
  const std::optional<std::string> text = input::read_text_file(path, max_trace_bytes, problems);
  return text ? parse_arrival_trace(*text, path, problems) : std::nullopt;
}

}  // namespace jostle::scenarios
