// Published times of boards that jostle did not measure, against the cost model and its factors.
#pragma once

#include <functional>
#include <vector>

#include "analyses/interval/coverage.hpp"
#include "analyses/validate/validate.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::analyses {

// Three questions to evidence/boards/solo.csv:
//  - how far off is a device of which nothing is known? One factor per network family and precision, fitted
//  on
//    one device and mode; the errors of everything else, by device;
//  - how far off is a device of which one run is known? A factor per device, network and precision: the
//  errors
//    across its modes, clocks and batches;
//  - how far off are other clocks? Fitted in one mode, the errors of the same batch in the others.
struct BoardsValidation {
  std::vector<ComparisonGroup> groups;
  std::vector<UnseenRow> unseen;  // the rows of the first and the last of these questions
};
[[nodiscard]] BoardsValidation validate_boards(const std::function<void(double)>& progress = {});

// The factors that the rows give: those of families first, then those of single devices.
[[nodiscard]] std::vector<dnn::Factor> fit_board_factors(const std::function<void(double)>& progress = {});

// As calibration/factors.csv holds them.
[[nodiscard]] std::string factors_csv(const std::vector<dnn::Factor>& factors);

}  // namespace jostle::analyses
