// Recommends the next log to record: the one that narrows the prediction intervals most.
//
// To first order, the information of a log follows from the sensitivities of its values to the parameters and
// from its error (a Kalman update of the parameters' covariance), so that no measured value is needed.
// Parameters without any measurement count with their priors.
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"

namespace jostle::calibration {

struct NextLog {
  std::string log;               // "a run of mine.onnx with 4 processes"
  std::string narrows;           // "throughput of 4 processes"
  double before = 0, after = 0;  // half-width of its 90 % interval, relative
};

// Best first: logs that would narrow one of the predictions (throughput alone, at another batch, in another
// precision, of 2 and 4 processes; power) by a tenth or more. Each candidate is the first run of the evidence
// with one change. Throws Interrupted, RunError.
[[nodiscard]] std::vector<NextLog> next_logs(const profiles::BaseProfile& base,
                                             const std::vector<RunConfiguration>& configurations,
                                             PriorsFrom from, const Calibration& calibration,
                                             const CalibrationControl& control);

}  // namespace jostle::calibration
