// How precisely a run so far tells the figures that `run.until` names.
#pragma once

#include <optional>

#include "models/process/inference.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Which of them are known to the error that is asked for, at `now`. `stable`: of the process, as open_load()
// says; one that does not keep up has no latency to know, and its throughput follows its server alone.
[[nodiscard]] Converged converged(const Until& until, const process::Inference& process,
                                  std::optional<bool> stable, sim::Time now);

}  // namespace jostle::scenarios
