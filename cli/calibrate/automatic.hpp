// `jostle calibrate auto DIR`: a profile from a probe's folder.
#pragma once

#include <string>

#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

struct AutomaticOptions {
  std::string folder, output, name, html;
  bool host = false;  // the cores and the memory alone
};

[[nodiscard]] ExitCode calibrate_automatically(const AutomaticOptions& options, Context& context);

[[nodiscard]] std::string probed_page(const calibration::ProbeCalibration& found,
                                      const calibration::probe::ProbeFolder& folder);

// The probed value over that of the base; 0 if units or values do not allow it.
[[nodiscard]] double ratio_to_base(const calibration::ProbedFigure& figure);

}  // namespace jostle::cli
