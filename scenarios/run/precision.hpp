// Checks how precisely a run so far determines the metrics that `run.until` names.
#pragma once

#include <optional>

#include "models/process/inference.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// For each of these metrics: true if its error at `now` is within the requested one. `stable` is the
// stability of the process by open_load(). An overloaded process has no latency to determine, and its
// throughput is that of its server alone.
[[nodiscard]] Converged converged(const Until& until, const process::Inference& process,
                                  std::optional<bool> stable, sim::Time now);

}  // namespace jostle::scenarios
