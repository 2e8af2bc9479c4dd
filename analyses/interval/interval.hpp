// Prediction intervals: the range around a prediction that contains 90 % of measurements.
//
// There are two sources of error: uncertain parameters of the profile, and the model itself. For the first,
// the scenario is simulated on 16 drawn profiles with the same random numbers, and the 5 % and 95 % quantiles
// are taken. The second is the residual error of predictions of that quantity with the same basis on held-out
// runs. The two half-widths are independent and add in quadrature, in the logarithm.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calibration/profile/base_profile.hpp"
#include "calibration/profile/uncertainty.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// The distances of the 5 % and 95 % quantiles of the draws from the point, in the logarithm, both >= 0. Draws
// without a value do not count; 0 and 0 if fewer than half have one.
struct Spread {
  double below = 0, above = 0;
};
[[nodiscard]] Spread spread_of(double point, std::vector<double> draws);

// The interval from both sources of error: from, to.
[[nodiscard]] std::pair<double, double> interval_around(double point, Spread spread, double half_width);

// The residual half-width of predictions of a quantity on this basis, or else on the next weaker one known.
[[nodiscard]] double residual_half_width(const calibration::Uncertainty& uncertainty,
                                         const std::string& device, const std::string& quantity,
                                         const std::string& basis);

// A profile with the uncertainty of its parameters: a shipped one by name, or a file (`path` not empty) with
// its uncertainty in a file next to it, if there is one. `set` overrides parameters. An unreadable table is a
// problem.
struct UncertainProfile {
  calibration::BaseProfile base;
  calibration::Uncertainty uncertainty;
};
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const std::string& name,
                                                                const std::string& path,
                                                                input::Problems& problems,
                                                                const std::vector<std::string>& set = {});

// The profile of a scenario, with its parameter overrides.
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                                input::Problems& problems);

// The spread of a result over the draws of the profile, by entry of the scenario: the processes of an entry
// are averaged, because their ranking differs from draw to draw.
struct EntrySpread {
  Spread throughput, latency;
};
struct Spreads {
  std::vector<EntrySpread> entries;
  Spread throughput, power;  // of the system
};
// The results on all draws of the profile, simulated on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<std::vector<scenarios::Result>> drawn_results(
    const scenarios::Scenario& scenario, const UncertainProfile& profile,
    const scenarios::RunControl& control);
// The weakest basis of the processes (basis.hpp).
[[nodiscard]] std::string weakest_basis(const scenarios::Result& result, const scenarios::Scenario& scenario,
                                        const calibration::Profile& profile);

// Simulates the draws, on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<Spreads> spreads_of(const scenarios::Scenario& scenario,
                                                const UncertainProfile& profile,
                                                const scenarios::Result& point,
                                                const scenarios::RunControl& control);

// The part of a prediction interval of images/s that is possible where processes are offered requests: no
// more than they are offered, no less while they keep up. `of`: the process it is of; null: their sum.
[[nodiscard]] scenarios::Interval possible_throughput(const scenarios::Interval& predicted,
                                                      const scenarios::Result& result,
                                                      const scenarios::ProcessResult* of);

// Adds pi90 to a result of the scenario. The spreads may be those of a similar scenario.
void add_intervals(scenarios::Result& result, const scenarios::Scenario& scenario,
                   const UncertainProfile& profile, const Spreads& spreads);

// As run(), with pi90 of the throughput and latency of each process, of the total throughput and of the
// power. Costs about 17 runs, on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                                 const scenarios::RunControl& control);

}  // namespace jostle::analyses
