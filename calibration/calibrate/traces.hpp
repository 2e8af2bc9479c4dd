// Fits a profile to traces in the format of calibration/evidence/h200, mechanism by mechanism.
//
// Most parameters can be estimated directly from one file, by a median or a linear fit (calibration/fit). If
// two parameters share an observable, both are fitted to it with priors (least_squares.hpp). Contention runs
// (contended, eager_repeats, open loop with more than one process) are not used for the fit, so that they can
// validate it. refill_after_expiry is visible only in those runs and keeps the value of the profile.
#pragma once

#include "calibration/calibrate/calibrate.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::calibration {

// Parameters are in the order of a profile. Priors are the values of the profile, or, with `from` =
// reference, published ranges. A parameter that the files do not identify keeps the value of the profile, or
// gets the centre of its range and the grade "assumed". Throws CalibrationError if the files identify no
// parameter, input::CsvError.
[[nodiscard]] Calibration calibrate_traces(const profiles::BaseProfile& base,
                                           const profiles::TraceFiles& files, PriorsFrom from);

}  // namespace jostle::calibration
