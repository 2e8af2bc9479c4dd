#include "cli/validate/error_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "calibration/claims/reproduce.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/counted.hpp"

namespace jostle::cli {

std::string percent(double share, const char* format) {
  return fmt::format(fmt::runtime(format), share * 100);
}

namespace {

// The error limit of the row and whether it is met.
std::string limit_text(const calibration::ErrorSummary& row) {
  if (!row.bound) return "";
  const std::string limit = percent(row.bound->limit, "{:g}");
  const std::string verdict = row.exceeded() ? "exceeded" : "met";
  if (row.bound->statistic != calibration::Statistic::each) {
    const bool mean = row.bound->statistic == calibration::Statistic::mean;
    return fmt::format("{} ≤ {}: {}", mean ? "mean" : "median", limit, verdict);
  }
  return fmt::format("each ≤ {}: {}", limit,
                     row.exceeded() ? fmt::format("{} of {} over", row.over_limit, row.count) : verdict);
}

// The share of values inside their intervals, and the 95 % interval of that share: "89 % of 168 in 36 runs
// (75 to 95)".
std::string coverage_text(const calibration::ErrorSummary& row) {
  if (row.with_interval == 0) return "";
  const auto [from, to] = row.covered_ci95();
  const std::string runs = row.runs_with_interval < row.with_interval
                               ? fmt::format(" in {}", input::counted(row.runs_with_interval, "run"))
                               : "";
  return fmt::format("{:.0f} % of {}{} ({:.0f} to {:.0f})",
                     100.0 * static_cast<double>(row.covered) / static_cast<double>(row.with_interval),
                     row.with_interval, runs, 100 * from, 100 * to);
}

using Summaries = std::vector<std::pair<const calibration::ComparisonGroup*, calibration::ErrorSummary>>;

Summaries summaries_of(const std::vector<calibration::ComparisonGroup>& groups) {
  Summaries all;
  for (const calibration::ComparisonGroup& group : groups)
    for (calibration::ErrorSummary& row : calibration::summarise(group))
      all.emplace_back(&group, std::move(row));
  return all;
}

// The columns behind the names of a row, and their cells.
struct ErrorCells {
  explicit ErrorCells(const Summaries& rows)
      : intervals(std::ranges::any_of(rows, [](const auto& row) { return row.second.with_interval > 0; })),
        bounds(std::ranges::any_of(rows, [](const auto& row) { return row.second.bound.has_value(); })) {}

  void add_columns(std::vector<Column>& columns) const {
    columns.insert(columns.end(), {right("n", 3), right("|error| %"), right("median %", 1), right("P90 %", 1),
                                   right("bias %", 1), right("worst %", 2), shrinking("worst run", 1)});
    if (intervals) columns.push_back(right("coverage", 2));
    if (bounds) columns.push_back(left("limit, %"));
  }
  void add(std::vector<std::string>& cells, const calibration::ErrorSummary& row) const {
    cells.insert(cells.end(), {fmt::format("{}", row.count), percent(row.mean_absolute),
                               percent(row.median_absolute), percent(row.p90_absolute),
                               percent(row.bias, "{:+.2f}"), percent(row.worst, "{:+.2f}"), row.worst_run});
    if (intervals) cells.push_back(coverage_text(row));
    if (bounds) cells.push_back(limit_text(row));
  }

  bool intervals, bounds;
};

}  // namespace

Table error_table(const std::vector<calibration::ComparisonGroup>& groups) {
  const Summaries rows = summaries_of(groups);
  const ErrorCells behind(rows);
  std::vector<Column> columns{left("runs"), left("quantity")};
  behind.add_columns(columns);
  Table table(columns);
  const calibration::ComparisonGroup* before = nullptr;
  for (const auto& [group, row] : rows) {
    std::vector<std::string> cells{std::exchange(before, group) == group ? "" : group->name, row.quantity};
    behind.add(cells, row);
    table.add(std::move(cells));
  }
  return table;
}

std::string error_text(const std::vector<calibration::ComparisonGroup>& groups, ErrorRows shown, int width,
                       bool colour) {
  const Summaries rows = summaries_of(groups);
  const auto limited =
      std::ranges::count_if(rows, [](const auto& row) { return row.second.bound.has_value(); });
  const auto over = std::ranges::count_if(rows, [](const auto& row) { return row.second.exceeded(); });
  const bool every = shown == ErrorRows::all || limited == 0;
  const ErrorCells behind(rows);
  std::vector<Column> columns{shrinking("runs")};
  behind.add_columns(columns);
  Table table(columns);
  const calibration::ComparisonGroup* before = nullptr;
  for (const auto& [group, row] : rows) {
    if (!every && !row.exceeded()) continue;
    if (std::exchange(before, group) != group) table.add_heading(group->name);
    std::vector<std::string> cells{"  " + row.quantity};
    behind.add(cells, row);
    table.add(std::move(cells), row.exceeded() ? Style::bad : Style::plain);
  }
  std::string text = table.rows() > 0 ? table.text(width, colour) : "";
  if (limited == 0) return text;
  const auto without = static_cast<std::ptrdiff_t>(rows.size()) - limited;
  std::string summary = fmt::format("{} of {} limits are met, {} exceeded", limited - over, limited, over);
  if (without > 0)
    summary += fmt::format("; {} {} none", input::counted(without, "row"), without == 1 ? "has" : "have");
  if (!every) summary += "; --all prints every row";
  text += (text.empty() ? "" : "\n") + paragraph(summary, width, 0);
  for (const std::string& cause : why_exceeded(groups)) text += paragraph(cause, width, 2);
  return text;
}

// The size and sign of an error whose cause is not known: "images/s 7.2 % too high on balance, at worst
// +24.3 % (s018 resnet50)".
std::string shape_of(const calibration::ErrorSummary& row) {
  return fmt::format("{} {:.1f} % too {} on balance, at worst {} % ({})", row.quantity,
                     100 * std::abs(row.bias), row.bias < 0 ? "low" : "high", percent(row.worst, "{:+.2f}"),
                     row.worst_run);
}

std::vector<std::string> why_exceeded(const std::vector<calibration::ComparisonGroup>& groups) {
  struct Cause {
    std::string words;
    std::size_t limits = 0;
    std::vector<std::string> runs = {};
  };
  std::vector<Cause> causes;
  Cause unknown{"no cause is known yet"};
  std::size_t all = 0;
  for (const auto& [group, row] : summaries_of(groups)) {
    if (!row.exceeded()) continue;
    ++all;
    const auto* const deviation = calibration::deviation_of(group->name, row.quantity);
    if (deviation == nullptr) {
      ++unknown.limits;
      unknown.runs.push_back(fmt::format("{}: {}", group->name, shape_of(row)));
      continue;
    }
    auto cause = std::ranges::find(causes, deviation->why(), &Cause::words);
    if (cause == causes.end()) cause = causes.insert(cause, Cause{deviation->why()});
    ++cause->limits;
    if (std::ranges::find(cause->runs, group->name) == cause->runs.end()) cause->runs.push_back(group->name);
  }
  std::ranges::stable_sort(causes, std::greater{}, &Cause::limits);
  if (unknown.limits > 0) causes.push_back(std::move(unknown));
  std::vector<std::string> found;
  for (const Cause& cause : causes)
    found.push_back(fmt::format("{} of {}: {} ({})", cause.limits,
                                input::counted(all, "exceeded limit", "exceeded limits"), cause.words,
                                fmt::join(cause.runs, "; ")));
  return found;
}

Table exceeded_table(const std::vector<calibration::ComparisonGroup>& groups) {
  Table table({left("over its limit"), right("values", 2), right("mean error %"), right("worst %", 1),
               left("limit, %")});
  for (const auto& [group, row] : summaries_of(groups))
    if (row.exceeded())
      table.add({fmt::format("{}: {}", group->name, row.quantity), fmt::format("{}", row.count),
                 percent(row.mean_absolute), percent(row.worst, "{:+.2f}"), limit_text(row)});
  return table;
}

Table details_table(const std::vector<calibration::ComparisonGroup>& groups, bool only_over_limit) {
  Table table(
      {shrinking("run"), shrinking("quantity"), right("measured"), right("predicted"), right("error %")});
  for (const calibration::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    for (const calibration::Comparison& row : group.comparisons) {
      const auto over_limit = [&row](const calibration::Bound& bound) {
        return bound.statistic == calibration::Statistic::each && bound.quantity == row.quantity &&
               std::abs(row.error()) > bound.limit;
      };
      if (only_over_limit && std::ranges::none_of(group.bounds, over_limit)) continue;
      table.add({row.run, row.quantity, fmt::format("{:.2f}", row.measured),
                 fmt::format("{:.2f}", row.predicted), percent(row.error(), "{:+.2f}")});
    }
  }
  return table;
}

}  // namespace jostle::cli
