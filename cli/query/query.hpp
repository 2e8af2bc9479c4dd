// The rows of a statement as a table, CSV or lines of JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyses/study/database.hpp"
#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

// brief_table: without the columns that have no value in any row.
enum class RowFormat { table, brief_table, csv, json };

// A cell of the current row: null, a number, or text.
[[nodiscard]] nlohmann::ordered_json json_cell(const analyses::SqlStatement& rows, int column);

// Runs the statement to its end and prints the rows. If a table is too wide, its last columns are hidden
// first.
void print_rows(analyses::SqlStatement& rows, RowFormat format, Terminal& terminal);

}  // namespace jostle::cli
