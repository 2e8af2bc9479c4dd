#include "cli/compare/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyses/interval/power_interval.hpp"
#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/power_grade.hpp"

namespace jostle::cli {
namespace {

using analyses::Compared;
using analyses::Difference;
using scenarios::Metric;

std::string with_unit(const Difference& difference) {
  return difference.unit.empty() ? difference.metric : difference.metric + " " + difference.unit;
}

// A row of one metric; all its numbers have the same decimals, enough for five digits of the larger value.
std::vector<std::string> cells_of(const Difference& difference) {
  const double largest = std::max(std::abs(difference.a.value_or(0)), std::abs(difference.b.value_or(0)));
  const std::string shown = significant(largest, 5);
  const std::size_t point = shown.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(shown.size() - point) - 1;
  const auto cell = [decimals](const Metric& value, const char* sign) {
    if (!value) return none;
    const double shown_value = *value == 0 ? 0.0 : *value;  // avoids -0
    return *sign == '+' ? fmt::format("{:+.{}f}", shown_value, decimals)
                        : fmt::format("{:.{}f}", shown_value, decimals);
  };
  const Metric relative = difference.relative();
  return {with_unit(difference),
          cell(difference.a, ""),
          cell(difference.b, ""),
          cell(difference.difference, "+"),
          cell(difference.half_width, ""),
          relative ? fmt::format("{:+.1f}", 100 * *relative + 0.0) : none,
          difference.significant() ? "95 %" : "< 95 %"};
}

std::string table_of(const std::vector<Difference>& differences, int width, bool colour) {
  Table table({{"", Align::left, 0, true},
               {"A", Align::right},
               {"B", Align::right},
               {"B - A", Align::right, 60},
               {"±95 %", Align::right, 50},
               {"%", Align::right},
               {"confidence", Align::left}});
  for (const Difference& difference : differences)
    table.add(cells_of(difference), difference.significant() ? Style::strong : Style::plain);
  return table.text(width, colour);
}

// A line for each side on which the process is overloaded. It explains why rows of latency are missing or are
// from fewer pairs.
std::string overload_text(const analyses::ComparedProcess& process, std::size_t pairs, int width) {
  std::string text;
  const auto add = [&](const char* side, const analyses::OverloadedRuns& overload) {
    if (overload.runs == 0) return;
    const std::string up_to =
        overload.stable_share ? fmt::format(" ({})", stable_up_to(*overload.stable_share)) : "";
    const std::string rest = process.with_latency == 0
                                 ? "is not compared"
                                 : fmt::format("is compared over {} of the pairs", process.with_latency);
    text += paragraph(
        fmt::format("{} is overloaded in {} of {} runs{}: latency grows without bound there, and {}", side,
                    overload.runs, pairs, up_to, rest),
        width, 0);
  };
  add("A", process.overload_a);
  add("B", process.overload_b);
  return text;
}

// The grade of power and energy on each side; empty if neither board's power is known.
std::string power_text(const Compared& compared, int width) {
  const auto a = scenarios::power_grade(compared.a.front()), b = scenarios::power_grade(compared.b.front());
  if (!a && !b) return {};
  const char* const unknown = "unknown";
  std::string text = a == b ? fmt::format("power and energy: grade {}", *a)
                            : fmt::format("power and energy: grade {} of A, {} of B", a.value_or(unknown),
                                          b.value_or(unknown));
  const auto range = [&text](const char* side, const scenarios::Result& result) {
    const std::string found = power_range(analyses::relative_power_interval(result));
    if (!found.empty()) text += fmt::format("{} (power of {})", found, side);
  };
  range("A", compared.a.front());
  range("B", compared.b.front());
  return paragraph(text, width, 0);
}

}  // namespace

std::string comparison_text(const Compared& compared, const analyses::ComparedNames& names, int width,
                            bool colour) {
  const std::size_t count = compared.a.size();
  const std::uint64_t seed = compared.a.front().seed;
  std::string text = paragraph("A: " + names.a, width, 0) + paragraph("B: " + names.b, width, 0);
  text += paragraph(
      count > 1 ? fmt::format("{} pairs of runs, seeds {} to {} in both", count, seed, seed + count - 1)
                : fmt::format("1 pair of runs, seed {}: no confidence intervals", seed),
      width, 0);
  if (compared.until) {
    const std::string share = input::format_quantity(*compared.until, input::share_dimension());
    text +=
        paragraph(compared.known_to(*compared.until)
                      ? fmt::format("differences in throughput are known to {}", share)
                      : fmt::format("differences in throughput are not known to {}: more pairs, or longer "
                                    "runs, are needed",
                                    share),
                  width, 0);
  }
  for (const analyses::ComparedProcess& process : compared.processes) {
    const std::string where = process.a == process.b ? fmt::format("#{}", process.a)
                                                     : fmt::format("#{} -> #{}", process.a, process.b);
    text += "\n" + styled(where + " " + input::printable(process.label, 200), Style::strong, colour) + "\n" +
            table_of(process.metrics, width, colour) + overload_text(process, count, width);
  }
  text += "\n" + styled("board", Style::strong, colour) + "\n" + table_of(compared.system, width, colour) +
          power_text(compared, width);
  const auto unmatched = [&](const std::vector<analyses::Unmatched>& processes, const char* which) {
    if (processes.empty()) return;
    std::string line = fmt::format("Only in {}:", which);
    for (const auto& process : processes)
      line +=
          fmt::format(" #{} {}{}", process.index, process.label, &process == &processes.back() ? "" : ",");
    text += "\n" + paragraph(line, width, 0);
  };
  unmatched(compared.only_a, "A");
  unmatched(compared.only_b, "B");
  return text;
}

}  // namespace jostle::cli
