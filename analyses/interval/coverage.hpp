// The width that intervals need, and their coverage, from predictions of held-out runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/evidence/comparison.hpp"
#include "analyses/evidence/run_configuration.hpp"
#include "analyses/interval/interval.hpp"
#include "calibration/profile/uncertainty.hpp"

namespace jostle::analyses {

// A measured value and its prediction from a fit without it.
struct HeldOutRow {
  std::string device, quantity, basis;
  std::string fold;  // rows that were held out together
  double measured = 0, predicted = 0;
  Spread spread;  // of the draws

  // The smallest residual half-width at which the interval contains the measured value.
  [[nodiscard]] double needed() const;
};

// The comparisons of the quantity `from` as rows. The fold of "c002 ..., process 3" is "c002 ...".
[[nodiscard]] std::vector<HeldOutRow> held_out_rows(const ComparisonGroup& group, const std::string& from,
                                                    const std::string& device, const std::string& quantity,
                                                    const std::string& basis);

// The half-width that 90 % of the rows need, for each quantity and basis: of all devices, then of each device
// that has at least four rows while others have some too. Of n rows it is the ceil(0.9 (n + 1))-th smallest
// (split conformal prediction, Vovk et al. 2005), at most the greatest.
[[nodiscard]] std::vector<calibration::Residual> residuals_of(const std::vector<HeldOutRow>& rows);

// Whether each row is inside the interval estimated from the rows of the other folds (of its device, if there
// are enough): an out-of-sample test. None if the other folds have fewer than four rows of its quantity and
// basis.
[[nodiscard]] std::vector<std::optional<bool>> covered(const std::vector<HeldOutRow>& rows);

// Predictions with a profile and its draws: [configuration][reference value].
struct Prediction {
  double value = 0;
  Spread spread;
  std::string basis;
};
[[nodiscard]] std::vector<std::vector<Prediction>> predictions(
    const calibration::BaseProfile& base, const calibration::Uncertainty& uncertainty,
    const std::vector<RunConfiguration>& configurations, const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::analyses
