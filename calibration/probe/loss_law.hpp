// The law by which a thread loses its cached state while others run: 1 - exp(-t / time constant), of a whole
// (models/cpu/cache_debt.hpp), fitted to debts after several times.
#pragma once

#include <optional>
#include <vector>

#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

struct LossLaw {
  Summary time_constant_ms;  // the error is of jackknife: how far it moves without one of the points
  double whole = 0;          // the debt after all is lost, in the unit of the debts
  // The share that is lost after a time.
  [[nodiscard]] double lost(double ms) const;
};

struct LossPoint {
  double ms = 0;    // others ran for so long
  double debt = 0;  // loads that came back more slowly
};

// Least squares of the ratios of law and debts. Absent with fewer than four points, if a debt is not
// positive, or if the best time constant lies outside 0.002 to 30 ms: then the points do not show it.
[[nodiscard]] std::optional<LossLaw> fit_loss_law(const std::vector<LossPoint>& points);

}  // namespace jostle::calibration::probe
