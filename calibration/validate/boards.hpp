// Validation of the cost model and its factors with published times of boards.
#pragma once

#include <functional>
#include <vector>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "calibration/validate/validate.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::calibration {

// Three tests on evidence/boards/solo.csv:
//  - A device without measurements: one factor per network family and precision is fitted to one device and
//    mode. Errors are those of all other runs, by device.
//  - A device with a measured run: a factor per device, network and precision is fitted. Errors are those
//    over its modes, clocks and batches.
//  - Other clocks: the factor is fitted in one mode. Errors are those of the same batch in the other modes.
struct BoardsValidation {
  std::vector<ComparisonGroup> groups;
  std::vector<analyses::HeldOutRow> held_out;  // rows of the first and the last test
};
[[nodiscard]] BoardsValidation validate_boards(const std::function<void(double)>& progress = {});

// The factors fitted to the configurations on a GPU: of families first, then of single devices. The shipped
// factors are fitted to shipped_run_configurations().
[[nodiscard]] std::vector<dnn::Factor> fit_board_factors(const std::vector<RunConfiguration>& fitted_on,
                                                         const std::function<void(double)>& progress = {});

// The content of profiles/factors.csv.
[[nodiscard]] std::string factors_csv(const std::vector<dnn::Factor>& factors);

}  // namespace jostle::calibration
