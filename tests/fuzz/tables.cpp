// Any bytes as a CSV file of measurements: the first says of which kind. Either it is read, and its fields
// read back from what csv_field makes of them, or it is refused with its line.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "calibration/evidence/run_configuration.hpp"
#include "input/csv.hpp"
#include "profiles/profile/uncertainty.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "profiles/tables/trace_files.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;

void check_fields(const input::CsvTable& table) {
  const std::size_t columns = table.header().size();
  std::string again;
  for (std::size_t i = 0; i < columns; ++i)
    again += (i == 0 ? "" : ",") + input::csv_field(table.header()[i]);
  again += '\n';
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < columns; ++i)
      again += (i == 0 ? "" : ",") + input::csv_field(table.row(row).text(i));
    again += '\n';
  }
  const auto copy = input::CsvTable::parse(again, "copy.csv");
  fuzz::require(copy.header() == table.header() && copy.rows() == table.rows(), "a table reads back");
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (std::size_t i = 0; i < columns; ++i)
      fuzz::require(copy.row(row).text(i) == table.row(row).text(i), "its fields read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] == 'k') {
      const std::size_t half = text.find("\n\n");
      (void)profiles::parse_kernel_tables(text.substr(0, half == std::string::npos ? half : half + 1),
                                          half == std::string::npos ? "" : text.substr(half + 2), "fuzz");
    } else if (data[0] == 'u') {
      (void)profiles::parse_uncertainty(text, "fuzz.csv", "jetson-nano");
    } else {
      auto table = input::CsvTable::parse(text, "fuzz.csv");
      check_fields(table);
      table = profiles::as_evidence(std::move(table));
      if (!profiles::trace_kind(table)) (void)calibration::run_configurations_of(table);
    }
  } catch (const input::CsvError& error) {
    fuzz::require(std::string(error.what()).starts_with("fuzz"), "a refusal names its file");
  }
  return 0;
}
