#include "analyses/study/power_basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/grades_of.hpp"

namespace jostle::analyses {

bool rest_on_power(const std::vector<std::string>& metric_paths) {
  return std::ranges::any_of(metric_paths, rests_on_power);
}

bool is_card(const profiles::Profile& profile) {
  return profile.spec->power && profile.spec->power->limit;
}

std::string power_note(const PoweredBoards& boards, const std::set<std::string>& with_server) {
  std::vector<std::string> assumed, cards, notes;
  for (const auto& [device, profile] : boards) {
    if (scenarios::power_grade(*profile) == "assumed") assumed.push_back(device);
    if (is_card(*profile) && !with_server.contains(device)) cards.push_back(device);
  }
  if (!assumed.empty())
    notes.push_back(fmt::format(
        "the power of {} is assumed, not fitted to measurements: measure it before you decide by watts, "
        "energy or their cost",
        fmt::join(assumed, ", ")));
  if (!cards.empty())
    notes.push_back(fmt::format(
        "the power of {} is that of the card, without its server, and so are energy and its cost: other "
        "boards are counted whole",
        fmt::join(cards, ", ")));
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace jostle::analyses
