// A result as the rows of a table: one per process, per stream of a process, and per background load.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The names of the columns, with units: those of CSV (csv_header()).
[[nodiscard]] std::vector<std::string> row_columns();

// The cells by row and column; null: no value. `json` is json_of(result).
[[nodiscard]] std::vector<std::vector<nlohmann::ordered_json>> rows_of(const Result& result,
                                                                       const nlohmann::ordered_json& json);

}  // namespace jostle::scenarios
