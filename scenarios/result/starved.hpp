// Warnings about processes and streams that were served nothing although they could have been, and about
// processes whose share of a core is a matter of luck; and the share of its time that a process has work.
#pragma once

#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// One sentence for each, which says where most of its time went: "process 1 served nothing in 4 s: it waited
// for a core for 100 % of the time".
[[nodiscard]] std::vector<std::string> starved(const Result& result);
// Puts these sentences before the other warnings.
void warn_of_starved(Result& result);

// Adds a sentence for each entry whose processes wait for a core for other shares of the time from one of the
// `replications` to the next, which `pooled` is the pool of: it "settles in one of several ways: 178 to 510
// images/s".
void tell_ways(Result& pooled, const std::vector<Result>& replications);

// The busy share of a process (result.hpp); where it takes turns on the GPU, at least the share of it
// that all with requests need when this one always waits: by equal turns (max-min fairness) each other has at
// most as much as this one needs. Closed loops take what requests leave.
[[nodiscard]] Metric busy_share(const Result& result, const ProcessResult& process);

// A sentence for each runtime of the result's processes that is computed as another
// (RuntimeTraits::computed_as); they are among its warnings.
[[nodiscard]] std::vector<std::string> computed_as(const Result& result);

}  // namespace jostle::scenarios
