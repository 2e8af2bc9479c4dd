// How far a predicted figure may be off because parameters of the profile are uncertain, and by chance.
//
// The scenario is simulated on drawn profiles, each with a seed of its own, and repeated on the profile
// itself with further seeds. Repetitions differ by chance alone (phases of cameras, arrivals, which core a
// thread gets), draws by chance and parameters; the difference of the two variances is that of the
// parameters.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/profile/uncertainty.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

inline constexpr std::size_t repetitions = 16;

// A figure in all runs. The logarithms are compared: only values > 0 count.
struct FigureRuns {
  scenarios::Metric point;                  // in the run itself
  std::vector<scenarios::Metric> drawn;     // on the drawn profiles
  std::vector<scenarios::Metric> repeated;  // on the profile, with other seeds
  // If `repeated` are means over the processes of an entry: each of these, [process][repetition].
  std::vector<std::vector<scenarios::Metric>> individual;
};

// What varies a figure, in its logarithm.
struct Spread {
  double below = 0, above = 0;        // by parameters: to the 5 % and the 95 % quantile, both >= 0
  double chance = 0;                  // to either side: contains nine of ten repetitions
  std::optional<double> middle;       // of the repetitions; none: use the figure of the run itself
  std::vector<double> middles;        // likewise of each process of an entry
  scenarios::NamedParameters shares;  // of the variance by parameters: first-order Sobol indices
  bool known = true;  // false: more than one draw in twenty has no such figure, so the ends are unknown

  // The half-width by parameters, of both sides together.
  [[nodiscard]] double parameters() const;
  // For one process of an entry, counted from 0.
  [[nodiscard]] Spread of_process(std::size_t in_entry) const;
  // For a similar scenario: around its own figure, which is itself a matter of chance.
  [[nodiscard]] Spread elsewhere() const;
};

// `as_long`: the draws and repetitions are as long as the run.
[[nodiscard]] Spread spread_of(const FigureRuns& runs, const std::vector<calibration::Draw>& draws,
                               bool as_long);

// The interval from the spread and from the model's error, which add in quadrature: from, to. It always
// contains `point`.
[[nodiscard]] std::pair<double, double> interval_around(double point, const Spread& spread,
                                                        double half_width);

// The spread that is wider on each side.
[[nodiscard]] Spread wider(const Spread& a, const Spread& b);

}  // namespace jostle::analyses
