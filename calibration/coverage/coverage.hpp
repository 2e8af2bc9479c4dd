// The coverage of prediction intervals: the share of held-out runs that they contain.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "analyses/interval/uncertain_profile.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/run_configuration.hpp"

namespace jostle::calibration {

// A comparison as a row; its configuration is what ran.
[[nodiscard]] analyses::HeldOutRow held_out_row(const Comparison& comparison, const std::string& device,
                                                const std::string& quantity, const std::string& basis,
                                                const std::string& fold);

// The comparisons of the quantity `from` as rows. The fold of "c002 ..., process 3" is the run's name,
// "c002".
[[nodiscard]] std::vector<analyses::HeldOutRow> held_out_rows(const ComparisonGroup& group,
                                                              const std::string& from,
                                                              const std::string& device,
                                                              const std::string& quantity,
                                                              const std::string& basis);

// For each row, whether it is inside its interval if the interval is based only on rows of other folds and
// other configurations: an out-of-sample test. None if these are too few (conformal_half_width).
[[nodiscard]] std::vector<std::optional<bool>> covered(const std::vector<analyses::HeldOutRow>& rows);

// The prediction of a value: with the profile, and its spread over the draws.
struct Prediction {
  double value = 0;
  analyses::Spread spread;
  std::string basis;
};
[[nodiscard]] std::vector<std::vector<Prediction>> predictions(
    const analyses::UncertainProfile& profile, const std::vector<RunConfiguration>& configurations,
    const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::calibration
