// A result as text for other programs: one line of JSON, or rows of CSV.
//
// Numbers are the shortest decimals that read back to the same double, so equal results give equal bytes.
#pragma once

#include <string>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Returns {"schema":"jostle.result/1",...} without a newline.
[[nodiscard]] std::string to_json(const Result& result);

// CSV by RFC 4180, one row per process; absent metrics are empty. Later versions may add columns at the end.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string to_csv(const Result& result);

}  // namespace jostle::scenarios
