// A profile from a probe as a page of charts: what was measured, how sure, what differs from the base, what
// next.
#pragma once

#include <string>

#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/probe/folder.hpp"

namespace jostle::cli {

[[nodiscard]] std::string probed_page(const calibration::ProbeCalibration& found,
                                      const calibration::probe::ProbeFolder& folder);

// The probed value over that of the base; 0 if units or values do not allow it.
[[nodiscard]] double ratio_to_base(const calibration::ProbedFigure& figure);

}  // namespace jostle::cli
