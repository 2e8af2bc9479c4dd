#include "python/columns.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace jostle::python {
namespace {

namespace py = pybind11;

Cell cell_of(const analyses::SqlStatement& rows, int at) {
  if (rows.is_null(at)) return {};
  if (rows.is_integer(at)) return rows.integer(at);
  if (rows.is_number(at)) return rows.real(at);
  return std::string(rows.text(at));
}

}  // namespace

std::vector<Column> columns_of(analyses::SqlStatement& rows) {
  std::vector<Column> columns(static_cast<std::size_t>(rows.columns()));
  for (int i = 0; i < rows.columns(); ++i) columns[static_cast<std::size_t>(i)].name = rows.name(i);
  while (rows.step())
    for (int i = 0; i < rows.columns(); ++i)
      columns[static_cast<std::size_t>(i)].cells.push_back(cell_of(rows, i));
  return columns;
}

namespace {

template <class T>
bool every(const Column& column) {
  return std::ranges::all_of(column.cells, [](const Cell& cell) { return std::holds_alternative<T>(cell); });
}

// True if every cell is a number or none, and doubles lose nothing of them: no column of integers beside
// empty cells.
bool fit_doubles(const Column& column) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  bool doubles = false, integers = false;
  for (const Cell& cell : column.cells) {
    if (std::holds_alternative<std::string>(cell) || std::holds_alternative<bool>(cell)) return false;
    doubles |= std::holds_alternative<double>(cell);
    const auto* const integer = std::get_if<std::int64_t>(&cell);
    integers |= integer != nullptr;
    if (integer != nullptr && (*integer < -most || *integer > most)) return false;
  }
  return doubles || !integers;
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
  if (const auto* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  return std::nullopt;
}

// An array that owns the results of `number` for each cell.
template <class T, class Number>
py::object array_of(const std::vector<Cell>& cells, const Number& number) {
  auto numbers = std::make_unique<T[]>(cells.size());
  std::ranges::transform(cells, numbers.get(), number);
  T* const kept = numbers.release();
  const py::capsule owner(kept, [](void* array) { delete[] static_cast<T*>(array); });
  return py::array_t<T>(static_cast<py::ssize_t>(cells.size()), kept, owner);
}

py::object object_of(const Column& column) {
  const bool words = column.name == "status" || column.name == "limited_by" || column.name == "stop" ||
                     column.name == "problem";  // texts even if all cells are empty
  if (!words && every<std::int64_t>(column))
    return array_of<std::int64_t>(column.cells,
                                  [](const Cell& cell) { return std::get<std::int64_t>(cell); });
  if (!words && !column.cells.empty() && every<bool>(column))
    return array_of<bool>(column.cells, [](const Cell& cell) { return std::get<bool>(cell); });
  if (!words && fit_doubles(column)) return array_of<double>(column.cells, number_of);
  const bool texts = words || std::ranges::any_of(column.cells, [](const Cell& cell) {
                       return std::holds_alternative<std::string>(cell);
                     });
  if (!texts) return py::cast(column.cells);
  std::vector<std::optional<std::string>> list;
  for (const Cell& cell : column.cells) list.push_back(text_of(cell));
  return py::cast(list);
}

}  // namespace

py::dict dict_of(const std::vector<Column>& columns) {
  py::dict dict;
  for (const Column& column : columns) dict[py::str(column.name)] = object_of(column);
  return dict;
}

}  // namespace jostle::python
