// Measured kernel times from evidence: kernels.csv and solo.csv of one device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "models/dnn/kernel_tables.hpp"

namespace jostle::calibration {

// `kernels_csv`, `solo_csv`: contents of the files, with the columns described in evidence/README.md.
// `source` names the device's evidence in messages and provenance. Throws CsvError for an unknown precision,
// mode or kind, a kernel out of order, a duration that is not positive, or a batch below 1.
[[nodiscard]] dnn::KernelTables parse_kernel_tables(std::string_view kernels_csv, std::string_view solo_csv,
                                                    std::string_view source);

// The same from the embedded files, read once. `device` is a folder under evidence/, for example "h200".
// Without evidence the tables are empty, and kernels_for() falls back on its cost model. `about`: only rows
// whose model, and what follows in the row, begin like this ("resnet50,fp16,"), which takes a fraction of the
// time.
[[nodiscard]] const dnn::KernelTables& embedded_kernel_tables(std::string_view device,
                                                              std::string_view about = {});

// The same from a folder, for example calibration/evidence/h200. Throws CsvError.
[[nodiscard]] dnn::KernelTables read_kernel_tables(const std::filesystem::path& folder);

// The tables of a profile's `evidence`: the name of an embedded folder or, if it contains a '/', a path. Read
// once, and again when the files have changed. Throws CsvError.
[[nodiscard]] const dnn::KernelTables& kernel_tables(std::string_view evidence);

// Differs when the files in the folder have changed; empty for embedded ones.
[[nodiscard]] std::string state_of_tables(std::string_view evidence);

// The same for one network. If the device has it, but no batch as large, the tables include what is known
// from those of `sibling` (sibling_tables.hpp); empty: there is none.
struct WantedTable {
  std::string_view model;
  dnn::Precision precision = dnn::Precision::fp32;
  std::int64_t batch = 1;
};
[[nodiscard]] const dnn::KernelTables& kernel_tables_for(std::string_view evidence, std::string_view sibling,
                                                         const WantedTable& wanted);

}  // namespace jostle::calibration
