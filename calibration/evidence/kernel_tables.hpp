// Measured kernel times from evidence: kernels.csv and solo.csv of one device.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/dnn/kernel_tables.hpp"

namespace jostle::calibration {

// `kernels_csv`, `solo_csv`: the contents of the files, columns as evidence/README.md says. `source` names
// the device's evidence, in messages and provenance. Throws CsvError: unknown precision, mode or kind, a
// kernel out of order, a duration that is not positive, a batch below 1.
[[nodiscard]] dnn::KernelTables parse_kernel_tables(std::string_view kernels_csv, std::string_view solo_csv,
                                                    std::string_view source);

// The same from the files in the binary, read once: `device` is a folder under evidence/, e.g. "h200".
// Without evidence the tables are empty, so that kernels_for() falls back on its cost model.
[[nodiscard]] const dnn::KernelTables& embedded_kernel_tables(std::string_view device);

// The same from a folder, e.g. calibration/evidence/h200. Throws CsvError.
[[nodiscard]] dnn::KernelTables read_kernel_tables(const std::filesystem::path& folder);

// By a profile's `evidence`: the name of a folder in the binary, or, if it has a '/', a path; read once.
// Throws CsvError.
[[nodiscard]] const dnn::KernelTables& kernel_tables(std::string_view evidence);

}  // namespace jostle::calibration
