// `jostle calibrate auto DIR`: a profile from a probe's folder.
#pragma once

#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

struct AutomaticOptions {
  std::string folder, output, name, html;
  bool host = false;  // the cores and the memory alone
};

// Writes the kernel tables into the folder beside the profile at `output`.
void write_tables(const calibration::BoardCalibration& outcome, const std::string& output);

[[nodiscard]] ExitCode calibrate_automatically(const AutomaticOptions& options, Context& context);

}  // namespace jostle::cli
