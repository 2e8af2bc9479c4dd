#include "profiles/profile/ranges.hpp"

#include <algorithm>
#include <cmath>

#include "input/csv.hpp"
#include "input/units.hpp"
#include "profiles/embedded.hpp"
#include "sim/math.hpp"

namespace jostle::profiles {
namespace {

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
double between(double from, double to, double part) {
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
  const double found = between(value.number, end, std::abs(2 * score - 1) / within);
  if (is_count(range)) return std::round(found);
  // Percentages end at 100.
  return std::clamp(found, 0.0, value.unit == "%" ? 100.0 : std::max(found, 0.0));
}

}  // namespace jostle::profiles
