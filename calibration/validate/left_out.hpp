// Predictions of a laboratory's measurements that are made without any fit to them.
//
// Factors of the cost model are fitted anew for each laboratory, without its rows. The constants of an
// architecture and of a board's power stay: they were chosen with all rows of boards/solo.csv in view.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::calibration {

// A measured value, predicted without the rows of its laboratory.
struct JudgedValue {
  std::string lab, run, configuration, metric;
  std::string architecture;  // "sm_87", "sm_87 with DLA", "cores"
  std::string model, family, precision, placement, runtime;
  std::int64_t batch = 1;
  bool presumed = false;  // the source does not state all conditions
  double measured = 0, predicted = 0;

  [[nodiscard]] double error() const { return predicted / measured - 1; }
  [[nodiscard]] double off() const;  // |ln(predicted / measured)|: twice and half are equally wrong
};

struct LeftOut {
  std::vector<JudgedValue> values;  // in the order of the evidence
  std::size_t marked = 0;           // number of values with a mark, which are not judged
  std::vector<NotYet> not_yet;      // rows that need something that this build does not have
};

// The configurations that other laboratories measured.
[[nodiscard]] std::vector<RunConfiguration> without_lab(const std::vector<RunConfiguration>& all,
                                                        const std::string& lab);

// The configurations to which factors are fitted, and the factors fitted to all of them.
struct Fit {
  std::vector<RunConfiguration> fitted_on;
  std::vector<dnn::Factor> factors;
};
[[nodiscard]] Fit shipped_fit();

// Judges the values without a mark. For a laboratory with rows among the fitted ones, the factors are fitted
// to the rows of the others. Throws RunError, Interrupted, and std::runtime_error if a metric has no
// prediction: no row is skipped.
[[nodiscard]] LeftOut judge_left_out(const Evidence& evidence, const Fit& fit,
                                     const std::function<void(double)>& progress = {});

// The values by quantity, then the times by architecture, family, precision, runtime, batch, laboratory, and
// by whether all conditions are stated. The first group has all values, the others are views of it.
[[nodiscard]] std::vector<ComparisonGroup> grouped_errors(const LeftOut& left_out);

// The values with the greatest errors. For each laboratory, architecture, network, precision, placement and
// runtime only the worst one counts.
[[nodiscard]] std::vector<JudgedValue> worst_of(const LeftOut& left_out, std::size_t count);

// The explanation of a kind of error, from calibration/teaches.csv. An empty field matches any value.
struct Lesson {
  std::string lab, model, precision, placement, runtime, metric, teaches;
  [[nodiscard]] bool is_of(const JudgedValue& value) const;
};
// Parses lessons. Throws CsvError.
[[nodiscard]] std::vector<Lesson> parse_lessons(std::string_view csv, std::string_view name);
[[nodiscard]] const std::vector<Lesson>& shipped_lessons();
// The text of the first lesson that applies to the value; empty: it is unexplained.
[[nodiscard]] std::string taught_by(const std::vector<Lesson>& lessons, const JudgedValue& value);

}  // namespace jostle::calibration
