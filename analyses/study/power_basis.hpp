// The trust in metrics that rest on the power model.
#pragma once

#include <string>
#include <vector>

namespace jostle::analyses {

// True for watts, energies and tokens per joule of the board; false for the sender of a link, whose energy
// the scenario gives.
[[nodiscard]] bool rests_on_power(const std::string& metric_path);
[[nodiscard]] bool rest_on_power(const std::vector<std::string>& metric_paths);  // any of them

// A sentence about the boards whose power is assumed, for whoever chooses or judges by it; empty without
// such boards. Names may repeat.
[[nodiscard]] std::string assumed_power_note(std::vector<std::string> devices);

}  // namespace jostle::analyses
