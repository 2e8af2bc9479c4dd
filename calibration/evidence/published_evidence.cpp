#include "calibration/evidence/published_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "calibration/evidence/evidence_files.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "profiles/onnx/network_files.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;

// A slow run is simulated for at least this many of its batches, or requests, but not for longer than this.
constexpr double least_batches = 12, longest_s = 600;

void run_long_enough(RunConfiguration& configuration) {
  scenarios::Scenario& scenario = *configuration.scenario;
  double slowest_s = 0;
  for (const ReferenceValue& reference : configuration.reference_values) {
    if (reference.metric == "throughput")
      slowest_s = std::max(slowest_s, static_cast<double>(configuration.batch) / reference.value);
    if (reference.metric == "batch_time" || reference.metric == "gpu_time")
      slowest_s = std::max(slowest_s, reference.value / 1e3);
  }
  const process::Arrivals& arrivals = scenario.processes.front().arrivals;
  if (arrivals.kind == process::ArrivalKind::periodic) slowest_s = 1 / arrivals.rate_per_s;
  scenario.run.duration =
      std::max(scenario.run.duration, sim::seconds(std::min(least_batches * slowest_s, longest_s)));
}

void check(const input::CsvTable& table) {
  const std::size_t metrics = table.column("metric"), labs = table.column("lab");
  for (const input::CsvTable::Row row : table) {
    if (kind_of(row.text(metrics)) == MetricKind::unknown)
      row.fail(fmt::format("unknown metric '{}'", input::printable(row.text(metrics))));
    if (row.text(labs).empty()) row.fail("who measured it is not said: lab is empty");
  }
}

}  // namespace

Evidence shipped_evidence() {
  std::vector<input::CsvTable> tables;
  for (const profiles::EmbeddedFile& file : embedded_files())
    if (file.path == "evidence/boards/solo.csv" || file.path.starts_with("evidence/published/"))
      tables.push_back(input::CsvTable::parse(file.contents, file.path));
  return published_evidence(tables);
}

Evidence published_evidence(std::span<const input::CsvTable> tables) {
  std::size_t rows = 0, accounted = 0;
  for (const input::CsvTable& table : tables) {
    check(table);
    rows += table.rows();
  }
  profiles::NetworkFiles networks({}, {""});
  Evidence found = evidence_of(tables, networks, Missing::count);
  for (const std::size_t used : found.used) accounted += used;
  for (const NotYet& waiting : found.not_yet) accounted += waiting.rows;
  if (rows != accounted)
    throw std::runtime_error(fmt::format("of {} of published evidence, {} are used or counted",
                                         input::counted(rows, "row"), accounted));
  for (RunConfiguration& configuration : found.configurations) run_long_enough(configuration);
  return found;
}

}  // namespace jostle::calibration
