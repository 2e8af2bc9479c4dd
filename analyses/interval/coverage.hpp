// Whether prediction intervals hold what they should: their coverage of held-out runs.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "analyses/evidence/comparison.hpp"
#include "analyses/evidence/run_configuration.hpp"
#include "analyses/interval/drawn_runs.hpp"
#include "analyses/interval/model_error.hpp"

namespace jostle::analyses {

// The comparisons of the quantity `from` as rows. The fold of "c002 ..., process 3" is "c002 ...".
[[nodiscard]] std::vector<HeldOutRow> held_out_rows(const ComparisonGroup& group, const std::string& from,
                                                    const std::string& device, const std::string& quantity,
                                                    const std::string& basis);

// Whether each row is inside its interval if the interval rests on the other folds only, and on no run of the
// same configuration: an out-of-sample test. None if these are too few to tell (conformal.hpp).
[[nodiscard]] std::vector<std::optional<bool>> covered(const std::vector<HeldOutRow>& rows);

// Predictions with a profile and its draws: [configuration][reference value]. Throws RunError, Interrupted.
struct Prediction {
  double value = 0;
  Spread spread;
  std::string basis;
};
[[nodiscard]] std::vector<std::vector<Prediction>> predictions(
    const UncertainProfile& profile, const std::vector<RunConfiguration>& configurations,
    const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::analyses
