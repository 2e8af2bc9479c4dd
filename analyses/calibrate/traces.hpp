// Fits a profile to traces of the form of calibration/evidence/h200, mechanism by mechanism.
//
// Nearly every figure shows directly in some file, so its estimator is a median or a line (calibration/fit);
// where two figures share an observable, both are fitted to it with priors (least_squares.hpp). Runs of
// several networks' processes (contended, eager_repeats, open loop with more than one process) are not read:
// they are what the profile is held against. refill_after_expiry shows nowhere else and stays as the profile
// has it.
#pragma once

#include <string>

#include "analyses/calibrate/calibrate.hpp"
#include "calibration/evidence/trace_files.hpp"

namespace jostle::analyses {

// Figures come in the order of a profile. One that the files do not tell is left as the profile has it, or,
// `from` reference ranges, put at its prior and assumed. Where figures are fitted, they begin at reference
// ranges in any case. Throws CalibrationError if the files tell nothing, calibration::CsvError.
[[nodiscard]] Calibration calibrate_traces(const calibration::BaseProfile& base,
                                           const calibration::TraceFiles& files, PriorsFrom from);

}  // namespace jostle::analyses
