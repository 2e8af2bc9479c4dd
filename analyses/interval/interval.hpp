// Prediction intervals: the range around a prediction that contains 90 % of measurements.
//
// A measurement deviates from its prediction for three reasons: uncertain parameters of the profile, chance
// (spread.hpp for both), and the error of the model itself (model_error.hpp). They are independent and add in
// quadrature, in the logarithm.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "analyses/interval/spread.hpp"
#include "analyses/interval/uncertain_profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// The spreads of the metrics of an entry of the scenario.
struct EntrySpread {
  Spread throughput;
  std::array<Spread, 5> latency;        // the mean's, p50's, p90's, p95's and p99's
  std::vector<EntrySpread> parts = {};  // by part, for one stream, if the process has several streams
};
struct Spreads {
  std::vector<EntrySpread> entries;
  Spread throughput, power;     // the whole system's
  Spread tokens, token_energy;  // sums over all language models; unknown without any
};
[[nodiscard]] Spreads spreads_of(const scenarios::Scenario& scenario, const DrawnRuns& runs);

// Spreads for scenarios similar to these two: the wider of the two.
[[nodiscard]] Spreads elsewhere(const Spreads& here, const Spreads& there);

// The batch furthest beyond measured ones among the processes (octaves_beyond_tables()).
[[nodiscard]] double furthest_batch(const scenarios::Scenario& scenario, const profiles::Profile& profile);
// The weakest basis of the processes (basis.hpp).
[[nodiscard]] std::string weakest_basis(const scenarios::Result& result, const scenarios::Scenario& scenario,
                                        const profiles::Profile& profile);

// The part of a prediction interval of images/s that is possible if processes are offered requests: not more
// than the offered rate, and not less while they keep up. `of`: the process; null: the sum of all.
[[nodiscard]] scenarios::Interval possible_throughput(const scenarios::Interval& predicted,
                                                      const scenarios::Result& result,
                                                      const scenarios::ProcessResult* of);

// The same of an interval of the tokens/s of all language models: as many are served as their requests ask
// for.
[[nodiscard]] scenarios::Interval possible_tokens(const scenarios::Interval& predicted,
                                                  const scenarios::Result& result);

// Adds pi90 to a result of the scenario. The spreads may be those of a similar scenario.
void add_intervals(scenarios::Result& result, const scenarios::Scenario& scenario,
                   const UncertainProfile& profile, const Spreads& spreads);

// The runs are enough: of each interval that add_intervals() adds, with the model's error, the standard error
// of the ends is at most 1.5 % (by the moments of normal numbers; scrambled Sobol points do better).
[[nodiscard]] bool are_enough(const scenarios::Scenario& scenario, const UncertainProfile& profile,
                              const DrawnRuns& runs, Sought sought);

// Runs the scenario as run() does, and adds pi90 of the throughput and latency of each process, of the total
// throughput, of the power, and of the tokens/s of all language models and the energy of a token. Costs 24
// to 80 runs, on all cores. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                                 const scenarios::RunControl& control,
                                                                 Sought sought = Sought::shares);

}  // namespace jostle::analyses
