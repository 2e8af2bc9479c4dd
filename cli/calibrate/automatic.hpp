// `jostle calibrate auto DIR`: a profile from a probe's folder.
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

struct CalibrateOptions : calibration::BoardCalibrationQuestion {
  std::string device, html;
  std::vector<std::string> onnx;
  bool host = false;  // with `auto`: the cores and the memory alone
};

[[nodiscard]] ExitCode calibrate_automatically(const CalibrateOptions& options, Context& context);

}  // namespace jostle::cli
