// Where nine in ten measurements are expected around a prediction.
//
// Two things make it wrong: figures of the profile that are not known well, and what the model leaves out.
// The first is simulated: the scenario again on 16 drawn profiles with the same random numbers, of which the
// 5 % and 95 % quantiles are taken. The second is what predictions of that quantity, resting on the same,
// were off by on runs that no fit had seen. Their half-widths add as independent ones do, in the logarithm.
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

// Of the logarithm, both >= 0: how far the quantiles of draws are below and above the point. Draws without a
// figure do not count; 0 and 0 if fewer than half have one.
struct Spread {
  double below = 0, above = 0;
};
[[nodiscard]] Spread spread_of(double point, std::vector<double> draws);

// Both causes together: from, to.
[[nodiscard]] std::pair<double, double> interval_around(double point, Spread spread, double half_width);

// How far off predictions of a quantity are known to be; if not on this basis, then on a weaker one.
[[nodiscard]] double residual_half_width(const calibration::Uncertainty& uncertainty,
                                         const std::string& device, const std::string& quantity,
                                         const std::string& basis);

// A profile that can be drawn from: by a shipped name, or (`path` not empty) of a file, whose uncertainty is
// in the file beside it if there is one; `set` puts figures over it. A table that cannot be read is a
// problem.
struct UncertainProfile {
  calibration::BaseProfile base;
  calibration::Uncertainty uncertainty;
};
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const std::string& name,
                                                                const std::string& path,
                                                                input::Problems& problems,
                                                                const std::vector<std::string>& set = {});

// That of a scenario, with the figures that it puts over it.
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                                input::Problems& problems);

// How an answer spreads over the draws of its profile, by entry of the scenario: equal processes are taken
// together, for which of them is unlucky differs from draw to draw.
struct EntrySpread {
  Spread throughput, latency;
};
struct Spreads {
  std::vector<EntrySpread> entries;
  Spread throughput, power;  // of the system
};
// The answers on all draws of the profile, simulated on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<std::vector<scenarios::Result>> drawn_results(
    const scenarios::Scenario& scenario, const UncertainProfile& profile,
    const scenarios::RunControl& control);
// What the least known of the processes rests on (basis.hpp).
[[nodiscard]] std::string weakest_basis(const scenarios::Result& result, const scenarios::Scenario& scenario,
                                        const calibration::Profile& profile);

// Simulates the draws, on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<Spreads> spreads_of(const scenarios::Scenario& scenario,
                                                const UncertainProfile& profile,
                                                const scenarios::Result& point,
                                                const scenarios::RunControl& control);

// Puts pi90 into an answer of the scenario, or of one much like that whose spreads these are.
void add_intervals(scenarios::Result& result, const scenarios::Scenario& scenario,
                   const UncertainProfile& profile, const Spreads& spreads);

// As run(), with pi90 of each process's throughput and latency, of their sum and of the power; some 17 times
// the work, on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                                 const scenarios::RunControl& control);

}  // namespace jostle::analyses
