// Predictions of what a laboratory measured, made without any fit on what it measured.
//
// Factors of the cost model are fitted anew for each laboratory, without its rows. The constants of an
// architecture and of a board's power stay: they were chosen on the rows of boards/solo.csv together.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/evidence/comparison.hpp"
#include "analyses/evidence/run_configuration.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::analyses {

// A measured value that its laboratory's rows did not help to predict.
struct JudgedValue {
  std::string lab, run, configuration, metric;
  std::string architecture;  // "sm_87", "sm_87 with DLA", "cores"
  std::string model, family, precision, placement, runtime;
  std::int64_t batch = 1;
  bool presumed = false;  // conditions that the source does not state
  double measured = 0, predicted = 0;

  [[nodiscard]] double error() const { return predicted / measured - 1; }
  [[nodiscard]] double off() const;  // |ln(predicted / measured)|: twice and half as much are equally wrong
};

struct LeftOut {
  std::vector<JudgedValue> values;  // in the order of the evidence
  std::size_t marked = 0;           // values with a mark, which are not judged
  std::vector<NotYet> not_yet;      // rows that wait for something that this build does not have
};

// The configurations that other laboratories measured.
[[nodiscard]] std::vector<RunConfiguration> without_lab(const std::vector<RunConfiguration>& all,
                                                        const std::string& lab);

// The configurations that factors are fitted on, and the factors fitted on all of them.
struct Fit {
  std::vector<RunConfiguration> fitted_on;
  std::vector<dnn::Factor> factors;
};
[[nodiscard]] Fit shipped_fit();

// Judges the values without a mark. A laboratory with rows among those fitted on is predicted with factors
// fitted on the others. Throws RunError, Interrupted, and std::runtime_error if a figure has no prediction:
// no row is passed over.
[[nodiscard]] LeftOut judge_left_out(const Evidence& evidence, const Fit& fit,
                                     const std::function<void(double)>& progress = {});

// The values by quantity, then the times by architecture, family, precision, runtime, batch, laboratory and
// by whether all conditions are stated: the first is a list of them all, the others are views of it.
[[nodiscard]] std::vector<ComparisonGroup> grouped_errors(const LeftOut& left_out);

// The values that are most wrong, of each laboratory, architecture, network, precision, placement and runtime
// only the worst.
[[nodiscard]] std::vector<JudgedValue> worst_of(const LeftOut& left_out, std::size_t count);

// What errors of a kind teach: calibration/teaches.csv. An empty field of a lesson means any.
struct Lesson {
  std::string lab, model, precision, placement, runtime, metric, teaches;
  [[nodiscard]] bool is_of(const JudgedValue& value) const;
};
// Throws CsvError.
[[nodiscard]] std::vector<Lesson> parse_lessons(std::string_view csv, std::string_view name);
[[nodiscard]] const std::vector<Lesson>& shipped_lessons();
// The first that is of the value; empty: nobody has explained it.
[[nodiscard]] std::string taught_by(const std::vector<Lesson>& lessons, const JudgedValue& value);

}  // namespace jostle::analyses
