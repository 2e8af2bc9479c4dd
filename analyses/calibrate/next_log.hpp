// Which further log would narrow predictions most, by the expected reduction of their intervals.
//
// To first order: a log of a run tells of the parameters what its sensitivities to them and its error let it
// (a Kalman update of their covariance); it needs no measured value. Parameters that no run has told of count
// with their priors.
#pragma once

#include <string>
#include <vector>

#include "analyses/calibrate/calibrate.hpp"

namespace jostle::analyses {

struct NextLog {
  std::string log;               // "a run of mine.onnx with 4 processes"
  std::string narrows;           // "throughput of 4 processes"
  double before = 0, after = 0;  // half-width of its 90 % interval, relative
};

// Best first: logs that would narrow one of the predictions (throughput alone, at another batch, in another
// precision, of 2 and 4 processes; power) by a tenth or more. The candidates are runs like the first of the
// evidence, each changed in one way. Throws Interrupted, RunError.
[[nodiscard]] std::vector<NextLog> next_logs(const calibration::BaseProfile& base,
                                             const std::vector<RunConfiguration>& configurations,
                                             PriorsFrom from, const Calibration& calibration,
                                             const CalibrationControl& control);

}  // namespace jostle::analyses
