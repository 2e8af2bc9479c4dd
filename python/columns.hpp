// Columns of answers as Python's objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "analyses/study/store.hpp"

namespace jostle::python {

using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;  // none: no value

struct Column {
  std::string name;
  std::vector<Cell> cells;
};

// The rows of a query, column by column.
[[nodiscard]] std::vector<Column> columns_of(analyses::SqlStatement& rows);

// {name: array or list}. A column of numbers is an array of bool, of integers or of doubles (NaN: no value)
// that owns its memory. One of truths or integers beside empty cells is a list of them and None, as doubles
// would not keep them exact, and so is one of integers and doubles if a double cannot hold one of the
// integers. A column with texts is a list of str or None.
[[nodiscard]] pybind11::dict dict_of(const std::vector<Column>& columns);

}  // namespace jostle::python
