// Any bytes as a log: the first says of which format (or that it is to be found out), the rest is the file.
// Either there are runs whose rows are figures and can be written as evidence, or there is a problem to show.

#include <cmath>
#include <cstdint>
#include <string>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/run_logs.hpp"
#include "input/csv.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;
using fuzz::require;

void check(const calibration::Import& run) {
  require(!run.rows.empty(), "a run has rows");
  require(!run.setting.tool.empty(), "a run names its tool");
  for (const calibration::Measurement& row : run.rows) {
    require(!row.metric.empty() && !row.unit.empty(), "a row says what it is");
    require(std::isfinite(row.value), "a value is a number");
    require(row.count >= 0, "a count is no debt");
    for (const auto& figure : {row.sd, row.median, row.p90, row.p99})
      require(!figure || std::isfinite(*figure), "a spread is a number");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // 'a' is the first format, 'b' the second; what is beyond is told by the bytes that follow.
  const auto formats = calibration::formats();
  const std::size_t index = data[0] - std::size_t{'a'};
  const calibration::Format* const format = index < formats.size() ? &formats[index] : nullptr;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  input::Problems problems;
  const auto source = calibration::Source::of_text(text, "fuzz.log");
  // Straight to the reader, past the guess at the format.
  auto runs = format != nullptr ? format->read(*source, problems)
                                : calibration::import_log(*source, nullptr, problems);
  require(runs.empty() != problems.empty(), "there are runs exactly when there is no problem");
  if (runs.empty()) return 0;
  std::size_t rows = 0;
  for (const calibration::Import& run : runs) {
    check(run);
    rows += run.rows.size();
  }
  profiles::NetworkFiles networks;
  std::vector<calibration::LogFile> files;
  files.push_back({std::move(runs), {}});
  const std::string csv = calibration::evidence_header() + calibration::evidence_rows(calibration::run_logs(
                                                               std::move(files), networks, problems));
  require(input::CsvTable::parse(csv, "evidence").rows() == rows, "rows of evidence can be read again");
  return 0;
}
