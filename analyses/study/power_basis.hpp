// The trust in metrics that rest on the power model.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analyses/metrics/metric.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

// True if one of them rests on the power of the board (metrics/metric.hpp).
[[nodiscard]] bool rest_on_power(const std::vector<std::string>& metric_paths);

// True for a card in a server, whose power is the card's alone; it has a limit of its own.
[[nodiscard]] bool is_card(const profiles::Profile& profile);

// The boards whose watts an answer names, by device.
using PoweredBoards = std::map<std::string, std::shared_ptr<const profiles::Profile>>;

// Sentences for whoever chooses or judges by their watts: which are assumed, and which are of a card without
// the server around it. Empty if none is. `with_server`: cards whose server is counted.
[[nodiscard]] std::string power_note(const PoweredBoards& boards,
                                     const std::set<std::string>& with_server = {});

}  // namespace jostle::analyses
