#include "profiles/profile/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/embedded.hpp"
#include "sim/math.hpp"

namespace jostle::profiles {
namespace {

constexpr std::array<std::string_view, 6> columns{"device", "kind", "name", "other", "value", "rows"};
// The smallest correlation that is written.
constexpr double slight = 0.005;

std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (at == names.size()) names.push_back(name);
  return at;
}

constexpr double within = 0.9;  // share of the draws

// The quantity in `unit`, for times and shares.
std::optional<double> in_unit(const input::Written& written, const std::string& unit) {
  if (written.unit == unit) return written.number;
  const auto& times = input::time_dimension().units;
  const auto from = std::ranges::find(times, written.unit, &input::Unit::name);
  const auto to = std::ranges::find(times, unit, &input::Unit::name);
  if (from == times.end() || to == times.end()) return std::nullopt;
  return written.number * from->factor / to->factor;
}

std::optional<double> end_of(const std::string& written, const input::Written& value,
                             const input::Written& of) {
  const auto end = input::amount(written);
  if (!end) return std::nullopt;
  if (end->unit != "x") return in_unit(*end, value.unit);
  const auto base = in_unit(of, value.unit);
  return base ? std::optional(end->number * *base) : std::nullopt;
}

// Interpolates from `from` to `to`; a `part` over 1 extrapolates.
double part_way(double from, double to, double part) {
  return from > 0 && to > 0 ? from * sim::exp(part * sim::log(to / from)) : from + part * (to - from);
}

// True if both ends are plain whole numbers.
bool is_count(const Range& range) {
  const auto whole = [](const std::string& end) {
    return !end.empty() && std::ranges::all_of(end, [](char c) { return c >= '0' && c <= '9'; });
  };
  return whole(range.from) && whole(range.to);
}

}  // namespace

const Residual* Uncertainty::residual(std::string_view device, std::string_view quantity,
                                      std::string_view basis) const {
  const Residual* of_any = nullptr;
  for (const Residual& known : residuals) {
    if (known.quantity != quantity || known.basis != basis) continue;
    if (known.device == device) return &known;
    if (known.device.empty()) of_any = &known;
  }
  return of_any;
}

Uncertainty parse_uncertainty(std::string_view csv, std::string_view name, std::string_view device) {
  const input::CsvTable table = input::CsvTable::parse(csv, name, columns);
  const std::size_t of = table.column("device"), kind = table.column("kind"), what = table.column("name"),
                    other = table.column("other"), value = table.column("value"), rows = table.column("rows");
  Uncertainty found;
  std::vector<double> sd;
  std::vector<std::tuple<std::size_t, std::size_t, double>> correlations;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const double number = row.number(value);
    if (row.text(kind) == "residual") {
      if (number < 0) row.fail("the half-width must not be negative");
      const auto runs = static_cast<std::size_t>(std::max<std::int64_t>(row.integer(rows), 0));
      if (runs >= fewest_runs)
        found.residuals.push_back(
            {row.text(of), row.text(what), row.text(other), number, runs, input::text_in(table, row, "of")});
      continue;
    }
    if (row.text(kind) != "sd" && row.text(kind) != "correlation")
      row.fail("unknown kind '" + row.text(kind) + "' (sd, correlation, residual)");
    if (row.text(of) != device) continue;
    const std::size_t at = index_of(found.figures, row.text(what));
    sd.resize(found.figures.size(), -1);
    if (row.text(kind) == "sd") {
      if (!(number >= 0 && number < 10))
        row.fail("the standard deviation of a logarithm must be from 0 to 10");
      sd[at] = number;
    } else {
      if (!(std::abs(number) <= 1)) row.fail("a correlation must be from -1 to 1");
      const std::size_t with = index_of(found.figures, row.text(other));
      sd.resize(found.figures.size(), -1);
      correlations.emplace_back(at, with, number);
    }
  }
  const std::size_t n = found.figures.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (sd[i] < 0) throw input::CsvError(name, 0, "no sd of " + found.figures[i]);
  }
  found.covariance.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) found.covariance[i * n + i] = sd[i] * sd[i];
  for (const auto& [i, j, correlation] : correlations)
    found.covariance[i * n + j] = found.covariance[j * n + i] = correlation * sd[i] * sd[j];
  return found;
}

std::string uncertainty_csv_header() {
  return fmt::format("{},of\n", fmt::join(columns, ","));
}

std::string uncertainty_csv(const Uncertainty& uncertainty, const std::string& device) {
  std::string text;
  const std::size_t n = uncertainty.figures.size();
  const auto sd = [&](std::size_t i) { return std::sqrt(uncertainty.covariance[i * n + i]); };
  for (std::size_t i = 0; i < n; ++i)
    text += fmt::format("{},sd,{},,{:.4f},,\n", input::csv_field(device),
                        input::csv_field(uncertainty.figures[i]), sd(i));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double both = sd(i) * sd(j);
      const double correlation =
          both > 0 ? std::clamp(uncertainty.covariance[i * n + j] / both, -1.0, 1.0) : 0;
      if (std::abs(correlation) >= slight)
        text += fmt::format("{},correlation,{},{},{:.4f},,\n", input::csv_field(device),
                            input::csv_field(uncertainty.figures[i]),
                            input::csv_field(uncertainty.figures[j]), correlation);
    }
  }
  for (const Residual& residual : uncertainty.residuals)
    text += fmt::format("{},residual,{},{},{:.4f},{},{}\n", input::csv_field(residual.device),
                        input::csv_field(residual.quantity), input::csv_field(residual.basis),
                        residual.half_width, residual.rows, input::csv_field(residual.of));
  return text;
}

Uncertainty shipped_uncertainty(const std::string& device) {
  const auto csv = embedded_file("uncertainty.csv");
  return csv ? parse_uncertainty(*csv, "uncertainty.csv", device) : Uncertainty{};
}

std::string uncertainty_path(const std::string& profile_path) {
  return std::filesystem::path(profile_path).replace_extension(".uncertainty.csv").string();
}

const std::vector<Range>& ranges() {
  static const std::vector<Range> rows = [] {
    constexpr const char* name = "ranges.csv";
    const input::CsvTable csv = input::CsvTable::parse(embedded_file(name).value(), name);
    const std::size_t path = csv.column("parameter"), from = csv.column("from"), to = csv.column("to"),
                      of = csv.column("of"), source = csv.column("source");
    std::vector<Range> found;
    for (std::size_t i = 0; i < csv.rows(); ++i) {
      const auto row = csv.row(i);
      found.push_back({row.text(path), row.text(from), row.text(to), row.text(of), row.text(source)});
    }
    return found;
  }();
  return rows;
}

const Range* range_of(std::string_view path) {
  const auto row = std::ranges::find(ranges(), path, &Range::path);
  return row != ranges().end() ? &*row : nullptr;
}

std::optional<double> at_score(const Range& range, const input::Written& value,
                               const std::optional<input::Written>& of, double score) {
  const auto from = end_of(range.from, value, of.value_or(value));
  const auto to = end_of(range.to, value, of.value_or(value));
  if (!from || !to) return std::nullopt;
  const double end = score < 0.5 ? std::min(*from, value.number) : std::max(*to, value.number);
  const double found = part_way(value.number, end, std::abs(2 * score - 1) / within);
  if (is_count(range)) return std::round(found);
  // Percentages end at 100.
  return std::clamp(found, 0.0, value.unit == "%" ? 100.0 : std::max(found, 0.0));
}

}  // namespace jostle::profiles
