#include "python/sweep.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "analyses/study/store.hpp"
#include "analyses/study/sweep.hpp"
#include "python/call.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::python {
namespace {

namespace py = pybind11;

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;  // the types of SQLite

struct Column {
  std::string name;
  std::vector<Cell> cells;
};

Cell cell_of(const analyses::SqlStatement& rows, int at) {
  if (rows.is_null(at)) return {};
  if (rows.is_integer(at)) return rows.integer(at);
  if (rows.is_number(at)) return rows.real(at);
  return std::string(rows.text(at));
}

std::vector<Column> columns_of(analyses::Database& database) {
  analyses::SqlStatement rows(database, "SELECT * FROM results");
  std::vector<Column> columns(static_cast<std::size_t>(rows.columns()));
  for (int i = 0; i < rows.columns(); ++i) columns[static_cast<std::size_t>(i)].name = rows.name(i);
  while (rows.step())
    for (int i = 0; i < rows.columns(); ++i)
      columns[static_cast<std::size_t>(i)].cells.push_back(cell_of(rows, i));
  return columns;
}

template <class T>
bool every(const Column& column) {
  return std::ranges::all_of(column.cells, [](const Cell& cell) { return std::holds_alternative<T>(cell); });
}

// True if a double holds each of the cells, none as NaN. No text is a number.
bool fit_doubles(const Column& column) {
  return std::ranges::all_of(column.cells, [](const Cell& cell) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const auto* const integer = std::get_if<std::int64_t>(&cell);
    return !std::holds_alternative<std::string>(cell) &&
           (integer == nullptr || (-most <= *integer && *integer <= most));
  });
}

double number_of(const Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* const real = std::get_if<double>(&cell)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

// The cell as text, numbers with the fewest digits that reproduce them.
std::optional<std::string> text_of(const Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  return std::nullopt;
}

// An array that owns the results of `number` for each cell.
template <class T, class Number>
py::object array_of(const std::vector<Cell>& cells, const Number& number) {
  auto numbers = std::make_unique<std::vector<T>>();
  numbers->reserve(cells.size());
  for (const Cell& cell : cells) numbers->push_back(number(cell));
  std::vector<T>* const kept = numbers.release();
  const py::capsule owner(kept, [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

py::object object_of(const Column& column) {
  const bool words = column.name == "status" || column.name == "limited_by" || column.name == "stop" ||
                     column.name == "problem";  // texts even if all cells are empty
  if (!words && every<std::int64_t>(column))
    return array_of<std::int64_t>(column.cells,
                                  [](const Cell& cell) { return std::get<std::int64_t>(cell); });
  if (!words && fit_doubles(column)) return array_of<double>(column.cells, number_of);
  const bool texts = words || std::ranges::any_of(column.cells, [](const Cell& cell) {
                       return std::holds_alternative<std::string>(cell);
                     });
  if (!texts) return py::cast(column.cells);
  std::vector<std::optional<std::string>> list;
  for (const Cell& cell : column.cells) list.push_back(text_of(cell));
  return py::cast(list);
}

struct Swept {
  analyses::SweepSummary summary;
  std::vector<Column> columns;
  std::vector<std::string> lines;
  Warnings warnings;
};

Swept swept(const Source& source, const SweepOptions& options, Call& call) {
  Swept swept;
  analyses::Profiles profiles;
  analyses::Study study = study_of(source, {calibration::DocumentKind::study});
  study.interval |= options.interval;
  const ReadyStudy ready =
      checked(std::move(study), profiles, options.threads, call.interrupt(), swept.warnings);
  analyses::Store store(options.output);
  store.begin(ready.study, ready.checked, options.replace ? analyses::Replace::yes : analyses::Replace::no);
  analyses::SweepControl control;
  control.threads = options.threads;
  control.interrupt = call.interrupt();
  control.progress = [&call](std::size_t done, std::size_t of) { call.tell(done, of); };
  swept.summary = analyses::sweep({ready.study, ready.checked, profiles, store}, control);
  if (swept.summary.interrupted) throw scenarios::Interrupted();
  swept.columns = columns_of(store.database());
  analyses::write_points(store.database(),
                         [&swept](std::string_view line) { swept.lines.emplace_back(line); });
  return swept;
}

}  // namespace

py::dict sweep(const Source& source, const SweepOptions& options, py::object progress) {
  Call call(std::move(progress));
  Swept found = call.run([&] { return swept(source, options, call); });
  py::dict columns;
  for (const Column& column : found.columns) columns[py::str(column.name)] = object_of(column);
  py::dict all;
  all["columns"] = columns;
  all["lines"] = found.lines;
  all["warnings"] = found.warnings;
  const analyses::SweepSummary& summary = found.summary;
  const std::pair<const char*, std::size_t> counts[] = {{"computed", summary.computed},
                                                        {"reused", summary.reused},
                                                        {"infeasible", summary.infeasible},
                                                        {"not_supported", summary.not_supported},
                                                        {"failed", summary.failed}};
  for (const auto& [name, count] : counts) all[name] = count;
  return all;
}

}  // namespace jostle::python
