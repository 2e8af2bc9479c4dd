// A board on which everything takes longer than the model says, by one factor: kernels, launches, copies and
// stages alike.
//
// It is the same board in a time of its own, which passes more slowly: there, requests come sooner, a link is
// faster and users think less. So such a run needs no other profile, and takes in every time that is
// modelled.
#pragma once

#include <string>

#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

// The scenario in the time of a board whose times are all `factor` times as long. The same requests arrive,
// with the same random numbers. Periods of power controllers and governors stay those of the faster board.
[[nodiscard]] scenarios::Scenario on_slower_board(const scenarios::Scenario& scenario, double factor);
[[nodiscard]] scenarios::Link on_slower_board(scenarios::Link link, double factor);

// The value of a metric of that board's run in the time of the scenario: latencies are `factor` times as
// long, rates lower, and energies greater, by the same factor.
[[nodiscard]] double in_scenario_time(const std::string& metric, double value, double factor);

// Makes requests come `factor` times as fast, in the same order.
void raise_rate(process::Arrivals& arrivals, double factor);

}  // namespace jostle::analyses
