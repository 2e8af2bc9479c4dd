// The error of predictions that remains with the right parameters: residuals of held-out runs, and the choice
// of the residual for a prediction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/interval/spread.hpp"
#include "profiles/profile/uncertainty.hpp"

namespace jostle::analyses {

// A measured value and its prediction from a fit without it.
struct HeldOutRow {
  std::string device, quantity, basis;
  std::string fold;           // rows that were held out together
  std::string configuration;  // name of what ran; equal ones are repeats or parts of one run, not independent
  std::string value;          // name of the measured value; it counts once if it was held out twice
  double measured = 0, predicted = 0;
  Spread spread;  // spread over the draws

  // The smallest residual half-width at which the interval contains the measured value.
  [[nodiscard]] double needed() const;
};

// The half-width that contains nine runs in ten (conformal_half_width), for each quantity and basis: for all
// devices together, then for each device with enough runs. A value counts once, as it was first held out.
[[nodiscard]] std::vector<profiles::Residual> residuals_of(const std::vector<HeldOutRow>& rows);

// The residual for predictions of a quantity on this basis: that of the device on this basis or the next
// weaker known one, else that of all devices, else the widest known. The tail of latency ("latency p99") has
// a residual of its own. If that was measured only on a better basis, the wider of it and of the mean's
// residual on this basis counts. None if nothing is known of the quantity.
[[nodiscard]] std::optional<profiles::Residual> residual_for(const profiles::Uncertainty& uncertainty,
                                                             const std::string& device,
                                                             const std::string& quantity,
                                                             const std::string& basis);

// The half-width of the error at a batch that is `octaves` beyond those of the measured kernels. Nine in ten
// sums of kernels by the law of batches (models/dnn/batch_law.hpp) are off by up to 10 % an octave: of 142
// pairs of batches of 28 configurations on the H100, 93 % are.
[[nodiscard]] inline double batch_error(double octaves) {
  return 0.1 * octaves;
}
// The residual there.
[[nodiscard]] std::optional<profiles::Residual> beyond_tables(std::optional<profiles::Residual> residual,
                                                              double octaves);

// The origin of a residual, for people: "36 runs of all boards (throughput, family)".
[[nodiscard]] std::string origin_of(const profiles::Residual& residual);

// Split conformal prediction (Vovk, Gammerman and Shafer 2005): finds the width of an interval from the
// widths that held-out runs would have needed. It assumes no distribution, only that the next run is
// exchangeable with these.

// The half-width that one held-out value needed. Values of one run are not independent: together they weigh
// as one.
struct Needed {
  double half_width = 0;
  std::string run;
};

// The half-width that contains the next run with 90 % probability: for n runs, the ceil(0.9 (n + 1))-th
// smallest of the needed ones. None for fewer than nine runs, which are too few. (With several values per
// run: the smallest half-width that suffices for values of total weight 0.9 (n + 1); Dunn, Wasserman and
// Ramdas 2022.)
[[nodiscard]] std::optional<double> conformal_half_width(std::vector<Needed> needed);

// The number of different runs.
[[nodiscard]] std::size_t runs_in(const std::vector<Needed>& needed);

}  // namespace jostle::analyses
