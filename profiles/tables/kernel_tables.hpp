// Measured kernel times from evidence: kernels.csv and solo.csv of one device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/kernel_tables.hpp"

namespace jostle::profiles {

// Parses the contents of the two files, whose columns are described in evidence/README.md. `source` names the
// device's evidence in messages and provenance. Throws input::CsvError for an unknown precision, mode or
// kind, a kernel out of order, a duration that is not positive, or a batch below 1.
[[nodiscard]] dnn::KernelTables parse_kernel_tables(std::string_view kernels_csv, std::string_view solo_csv,
                                                    std::string_view source);

// The tables of the embedded files, which are read once. `device` is a folder under evidence/, for example
// "h200". Without evidence the tables are empty, and kernels_for() falls back on its cost model. `about`
// selects the rows in which the text from the model on begins like this ("resnet50,fp16,"), which takes a
// fraction of the time.
[[nodiscard]] const dnn::KernelTables& embedded_kernel_tables(std::string_view device,
                                                              std::string_view about = {});

// The tables of a folder, for example calibration/evidence/h200. Throws input::CsvError.
[[nodiscard]] dnn::KernelTables read_kernel_tables(const std::filesystem::path& folder);

// The tables of a profile's `evidence`: the name of an embedded folder or, if it contains a '/', a path. They
// are read once, and again if the files have changed. Throws input::CsvError.
[[nodiscard]] const dnn::KernelTables& kernel_tables(std::string_view evidence);

// The networks of a profile's own `evidence` that no built-in name and no file describes: known by their
// kernels alone.
[[nodiscard]] std::vector<std::string> traced_networks(std::string_view evidence);

// A text that changes if the files in the folder change; empty for embedded ones.
[[nodiscard]] std::string state_of_tables(std::string_view evidence);

// The network, precision and batch whose kernel times are needed.
struct WantedTable {
  std::string_view model;
  dnn::Precision precision = dnn::Precision::fp32;
  std::int64_t batch = 1;
  int input = 0;  // chooses among sources that have the network at different inputs; 0: any
};
// The tables for one network: of the first source of `evidence` (evidence_list.hpp) that has it. If the
// device has been measured with the network, but with no batch as large, the tables include those derived
// from `sibling` (sibling_tables.hpp); empty: there is no sibling.
[[nodiscard]] const dnn::KernelTables& kernel_tables_for(std::string_view evidence, std::string_view sibling,
                                                         const WantedTable& wanted);

}  // namespace jostle::profiles
