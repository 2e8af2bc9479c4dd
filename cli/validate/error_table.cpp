#include "cli/validate/error_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "input/counted.hpp"

namespace jostle::cli {

std::string percent(double share, const char* format) {
  return fmt::format(fmt::runtime(format), share * 100);
}

namespace {

// The error limit of the row and whether it is met.
std::string limit_text(const validation::ErrorSummary& row) {
  if (!row.bound) return "";
  const std::string limit = percent(row.bound->limit, "{:g}");
  const std::string verdict = row.exceeded() ? "exceeded" : "met";
  if (row.bound->statistic != validation::Statistic::each) {
    const bool mean = row.bound->statistic == validation::Statistic::mean;
    return fmt::format("{} ≤ {}: {}", mean ? "mean" : "median", limit, verdict);
  }
  return fmt::format("each ≤ {}: {}", limit,
                     row.exceeded() ? fmt::format("{} of {} over", row.over_limit, row.count) : verdict);
}

// The share of values inside their intervals, and the 95 % interval of that share: "89 % of 168 in 36 runs
// (75 to 95)".
std::string coverage_text(const validation::ErrorSummary& row) {
  if (row.with_interval == 0) return "";
  const auto [from, to] = row.covered_ci95();
  const std::string runs = row.runs_with_interval < row.with_interval
                               ? fmt::format(" in {}", input::counted(row.runs_with_interval, "run"))
                               : "";
  return fmt::format("{:.0f} % of {}{} ({:.0f} to {:.0f})",
                     100.0 * static_cast<double>(row.covered) / static_cast<double>(row.with_interval),
                     row.with_interval, runs, 100 * from, 100 * to);
}

}  // namespace

Table error_table(const std::vector<validation::ComparisonGroup>& groups) {
  std::vector<std::pair<std::string, validation::ErrorSummary>> rows;
  for (const validation::ComparisonGroup& group : groups) {
    std::string name = group.name;
    for (validation::ErrorSummary& row : validation::summarise(group))
      rows.emplace_back(std::exchange(name, ""), std::move(row));
  }
  std::vector<Column> columns{{"runs", Align::left, 0, true},
                              {"quantity", Align::left, 0, true},
                              {"n", Align::right, 3},
                              {"|error| %", Align::right},
                              {"median %", Align::right, 4},
                              {"P90 %", Align::right, 4},
                              {"bias %", Align::right, 4},
                              {"worst %", Align::right, 2},
                              {"worst run", Align::left, 1, true}};
  const bool intervals =
      std::ranges::any_of(rows, [](const auto& row) { return row.second.with_interval > 0; });
  const bool bounds = std::ranges::any_of(rows, [](const auto& row) { return row.second.bound.has_value(); });
  if (intervals) columns.push_back({"coverage", Align::right, 3});
  if (bounds) columns.push_back({"limit, %", Align::left, 5});
  Table table(columns);
  for (const auto& [name, row] : rows) {
    std::vector<std::string> cells{name,
                                   row.quantity,
                                   fmt::format("{}", row.count),
                                   percent(row.mean_absolute),
                                   percent(row.median_absolute),
                                   percent(row.p90_absolute),
                                   percent(row.bias, "{:+.2f}"),
                                   percent(row.worst, "{:+.2f}"),
                                   row.worst_run};
    if (intervals) cells.push_back(coverage_text(row));
    if (bounds) cells.push_back(limit_text(row));
    table.add(std::move(cells));
  }
  return table;
}

Table details_table(const std::vector<validation::ComparisonGroup>& groups, bool only_over_limit) {
  Table table({{"run", Align::left, 0, true},
               {"quantity", Align::left, 0, true},
               {"measured", Align::right},
               {"predicted", Align::right},
               {"error %", Align::right}});
  for (const validation::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    for (const validation::Comparison& row : group.comparisons) {
      const auto over_limit = [&row](const validation::Bound& bound) {
        return bound.statistic == validation::Statistic::each && bound.quantity == row.quantity &&
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
