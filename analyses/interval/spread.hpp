// The uncertainty of a predicted metric from uncertain parameters of the profile, and from chance.
//
// The scenario is simulated on drawn profiles, each with a seed of its own, and repeated on the profile
// itself with further seeds. Repetitions differ by chance alone (phases of cameras, arrivals, the core of a
// thread), draws by chance and parameters. The difference of the two variances is that of the parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/profile/uncertainty.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

inline constexpr std::size_t repetitions = 16;

// A metric in all runs. Logarithms are compared, so that only values > 0 count.
struct MetricRuns {
  scenarios::Metric point;                  // in the run itself
  std::vector<scenarios::Metric> drawn;     // on the drawn profiles
  std::vector<scenarios::Metric> repeated;  // on the profile, with other seeds
  // If `repeated` are means over the processes of an entry: the value of each process, [process][repetition].
  std::vector<std::vector<scenarios::Metric>> individual;
};

// The spread of a metric, in its logarithm.
struct Spread {
  double below = 0, above = 0;   // by parameters: distances to the 5 % and the 95 % quantile, both >= 0
  double chance = 0;             // to either side: contains nine of ten repetitions
  std::optional<double> middle;  // geometric mean of the repetitions; none: use the value of the run itself
  std::vector<double> middles;   // the same for each process of an entry
  scenarios::NamedParameters shares;  // first-order Sobol indices: shares in the variance by parameters
  // False: the run has no value, fewer than half of the repetitions have one, or more than one draw in twenty
  // lacks it.
  bool known = true;

  // The half-width by parameters: root mean square of both sides.
  [[nodiscard]] double parameters() const;
  // The spread of one process of an entry; `in_entry` counts from 0.
  [[nodiscard]] Spread of_process(std::size_t in_entry) const;
  // The spread for a similar scenario: around that scenario's own value, which is subject to chance itself.
  [[nodiscard]] Spread elsewhere() const;
};

// `as_long`: the draws and repetitions tell as much as the run: they are as long, or differ from it by the
// phases of its sources.
[[nodiscard]] Spread spread_of(const MetricRuns& runs, const std::vector<profiles::Draw>& draws,
                               bool as_long);

// The interval (from, to) from the spread and the model's error, which add in quadrature. It always contains
// `point`.
[[nodiscard]] std::pair<double, double> interval_around(double point, const Spread& spread,
                                                        double half_width);

// The wider spread on each side.
[[nodiscard]] Spread wider(const Spread& a, const Spread& b);

// The inputs on which a metric depends: first-order Sobol indices from an existing sample.
//
// The metric is written as a sum of Legendre polynomials of single inputs (a sparse polynomial chaos
// expansion, Blatman and Sudret 2011). Orthogonal matching pursuit chooses them one after another as long as
// the next one explains more than noise would. The index of an input is the variance of its polynomials over
// the variance of all polynomials and of the residual. The residual contains interactions, chance and many
// small effects.

// Inputs with their indices, greatest first, without inputs that are indistinguishable from noise. `inputs`:
// [input][sample], uniform in (0, 1) and independent. `values`: [sample].
[[nodiscard]] std::vector<std::pair<std::size_t, double>> first_order_indices(
    const std::vector<std::vector<double>>& inputs, const std::vector<double>& values);

}  // namespace jostle::analyses
