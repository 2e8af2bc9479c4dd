// How wide intervals have to be, and whether they are: from predictions of runs that no fit had seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/evidence/comparison.hpp"
#include "analyses/evidence/run_configuration.hpp"
#include "analyses/interval/interval.hpp"
#include "calibration/profile/uncertainty.hpp"

namespace jostle::analyses {

// A measured figure, and what was predicted of it without it.
struct UnseenRow {
  std::string device, quantity, basis;
  std::string fold;  // rows that were left out together
  double measured = 0, predicted = 0;
  Spread spread;  // of the draws

  // The residual half-width at which its interval would just hold it.
  [[nodiscard]] double needed() const;
};

// The comparisons of the quantity `from` as rows; of "c002 ..., process 3" the fold is "c002 ...".
[[nodiscard]] std::vector<UnseenRow> unseen_rows(const ComparisonGroup& group, const std::string& from,
                                                 const std::string& device, const std::string& quantity,
                                                 const std::string& basis);

// For each quantity and basis what nine rows in ten need: of any device, then of single devices that have at
// least four rows of it while others have some too. Of n rows it is the ceil(0.9 (n + 1))-th smallest (split
// conformal prediction, Vovk et al. 2005), or the greatest.
[[nodiscard]] std::vector<calibration::Residual> residuals_of(const std::vector<UnseenRow>& rows);

// Whether each row is inside the interval that the rows of other folds (of its device, if they do) ask for:
// an honest trial, for the row itself had no say. None where other folds have fewer than four rows of its
// quantity and basis.
[[nodiscard]] std::vector<std::optional<bool>> covered(const std::vector<UnseenRow>& rows);

// Predictions of settings on a profile and on its draws, setting by setting as their figures are.
struct Prediction {
  double value = 0;
  Spread spread;
  std::string basis;
};
[[nodiscard]] std::vector<std::vector<Prediction>> predictions(const calibration::BaseProfile& base,
                                                               const calibration::Uncertainty& uncertainty,
                                                               const std::vector<RunConfiguration>& settings,
                                                               const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::analyses
