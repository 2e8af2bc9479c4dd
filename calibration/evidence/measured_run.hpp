// Measured runs that ship: each as a scenario and the values measured of it, compared by one runner.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/evidence/comparison.hpp"
#include "input/csv.hpp"
#include "models/dnn/factors.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::calibration {

// A row of an evidence file, its fields by the names of their columns.
using EvidenceRow = std::map<std::string, std::string>;
// The rows of a file that ships, without those that have a `mark`.
[[nodiscard]] std::vector<EvidenceRow> evidence_rows(const char* file);
[[nodiscard]] std::vector<EvidenceRow> rows_of(const input::CsvTable& table);
// The rows with the same `run`, which are neighbours.
[[nodiscard]] std::vector<std::vector<EvidenceRow>> by_run(std::vector<EvidenceRow> rows);
[[nodiscard]] double number(const EvidenceRow& row, const char* column);
// The watts of a load, of which a meter that averages over a second has seen the share `seen` when it was
// read, and for the rest the watts before the load.
[[nodiscard]] constexpr double settled_watts(double reading, double seen, double before) {
  return before + (reading - before) / seen;
}
// The same of the columns board_power_w, meter_share and watts_before of a row; without the last two the
// reading.
[[nodiscard]] double watts(const EvidenceRow& row);
// A text with the field of the row in place of each <column>.
[[nodiscard]] std::string filled(const std::string& text, const EvidenceRow& row);

struct MeasuredValue {
  std::string run, quantity;  // as in Comparison
  double measured = 0;
  std::string metric;  // path in the result (analyses/metrics/metric.hpp): "processes.0.throughput"
  double scale = 1;    // measured value over that of the metric
  std::function<scenarios::Metric(const scenarios::Result&)> of = {};  // in place of a path
  bool if_predicted = false;  // left out where there is no prediction, such as a latency that grows
};
struct MeasuredRun {
  std::string scenario;
  std::size_t group = 0;  // number of the group in which its values are compared
  std::vector<MeasuredValue> values;
  std::vector<sim::Time> arrivals = {};   // of the first process, in place of those of the scenario
  std::vector<dnn::Factor> factors = {};  // beside those that ship
};

// A scenario and the profile of its device. Throws std::runtime_error if one of them is wrong.
struct BoardAndWork {
  scenarios::Scenario scenario;
  profiles::Profile profile;
};
[[nodiscard]] BoardAndWork board_and_work(const std::string& scenario);

// The groups of a validation in calibration/groups.csv, with their limits, still without comparisons.
[[nodiscard]] std::vector<ComparisonGroup> groups_of(std::string_view validation);

// Simulates the runs side by side, and compares each value. Throws scenarios::RunError, Interrupted, and
// std::runtime_error if a value is not predicted. `progress` as for simulated_at_once().
[[nodiscard]] std::vector<std::vector<Comparison>> compared(const std::vector<MeasuredRun>& runs,
                                                            const std::function<void(double)>& progress = {});
// The same, into the groups.
void compare_in(std::vector<ComparisonGroup>& groups, const std::vector<MeasuredRun>& runs,
                const std::function<void(double)>& progress);

}  // namespace jostle::calibration
