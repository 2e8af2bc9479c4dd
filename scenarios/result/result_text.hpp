// A result as text for other programs: one line of JSON, or rows of CSV.
//
// Numbers are the shortest decimals that read back to the same double, so equal results give equal bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Returns {"schema":"jostle.result/1",...} without a newline.
[[nodiscard]] std::string to_json(const Result& result);

// CSV by RFC 4180, one row per process; absent metrics are empty. Later versions may add columns at the end.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string to_csv(const Result& result);

[[nodiscard]] nlohmann::ordered_json json_of(const Result& result);
[[nodiscard]] nlohmann::ordered_json json_of(const ProcessResult& process);
[[nodiscard]] nlohmann::ordered_json json_of(const Verdict& verdict);

// A result as the rows of a table: one per process, per stream of a process, and per background load.

// The names of the columns, with units: those of CSV (csv_header()).
[[nodiscard]] std::vector<std::string> row_columns();

// The cells by row and column; null: no value. `json` is json_of(result).
[[nodiscard]] std::vector<std::vector<nlohmann::ordered_json>> rows_of(const Result& result,
                                                                       const nlohmann::ordered_json& json);

[[nodiscard]] const nlohmann::ordered_json& result_schema();

// The stream's own metrics and name, and the values it shares with its process: index, entry, runtime, status
// and grades. Other metrics of the process (time_share, memory) are absent.
[[nodiscard]] ProcessResult row_of(const ProcessResult& process, const InstanceResult& instance);

}  // namespace jostle::scenarios
