#include "analyses/explain/reach.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analyses/verdict/verdict.hpp"
#include "input/counted.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/objective.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Metric;

bool is_one_board(const Tried& tried) {
  const std::vector<WhatIfBoard>& boards = tried.what_if.boards;
  if (boards.size() != 1) return false;
  for (std::size_t i = 0; i < boards.front().parts.size(); ++i)
    if (boards.front().parts[i] != i) return false;
  return true;
}

}  // namespace

std::vector<EntryLimit> missed_limits(const scenarios::Scenario& scenario, const scenarios::Result& before) {
  std::vector<EntryLimit> all;
  if (!before.verdict || before.verdict->met != false) return all;
  scenarios::Scenario asked = scenario;
  const auto add = [&](const scenarios::Constraint& constraint, const std::string& metric) {
    asked.objective = metric;
    const auto objective = scenarios::objective_of(asked);
    if (!objective) return;  // an entry without tokens
    const Aim aim{Aim::Of::objective, objective, std::string(objective->metric.words),
                  std::string(objective->metric.unit), objective->metric.more_is_better};
    if (constraint.min) all.push_back({aim, *constraint.min, true});
    if (constraint.max) all.push_back({aim, *constraint.max, false});
  };
  for (const scenarios::Constraint& constraint : scenario.constraints) {
    const auto path = scenarios::process_path(constraint.metric);
    if (!path || path->place) {
      add(constraint, constraint.metric);
      continue;
    }
    for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry)
      add(constraint, fmt::format("processes.{}.{}", place_of_entry(scenario, entry), path->metric));
  }
  return all;
}

Metric room_of(const std::vector<EntryLimit>& limits, const Tried& tried, const scenarios::Scenario& scenario,
               const scenarios::Result& before) {
  Metric least;
  for (const EntryLimit& limit : limits) {
    const Metric value = aim_change(limit.aim, tried, scenario, before).after;
    if (!value) return std::nullopt;
    const double room = room_to(limit.limit, limit.least, *value);
    least = std::min(least.value_or(room), room);
  }
  return least;
}

std::vector<WhatIf> pairs_of(const std::vector<Tried>& tried, const std::string& directory) {
  constexpr std::size_t most = 6;
  std::map<ChangeKind, const Tried*> nearest;
  std::vector<const Tried*> order;
  for (const Tried& one : tried) {
    if (one.what_if.role != Role::advice || !one.all_fit || !is_one_board(one)) continue;
    if (one.what_if.kind == ChangeKind::stages) {  // two stages are no alternatives
      order.push_back(&one);
      continue;
    }
    const Tried*& best = nearest[one.what_if.kind];
    if (best == nullptr || one.room.value_or(-1e9) > best->room.value_or(-1e9)) best = &one;
  }
  for (const auto& [kind, one] : nearest) order.push_back(one);
  std::ranges::stable_sort(order, std::greater{}, [](const Tried* one) { return one->room.value_or(-1e9); });
  if (order.size() > most) order.resize(most);
  std::vector<WhatIf> pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const scenarios::Scenario& first = order[i]->what_if.boards.front().scenario;
    input::Problems problems;
    const auto profile = scenarios::device_profile(first, problems);
    if (!profile) continue;
    const auto next = what_ifs(first, *profile->spec, order[i]->results.front(), directory);
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const WhatIf& other = order[j]->what_if;
      auto found = std::ranges::find(next, other.label, &WhatIf::label);
      const bool alike = other.kind == order[i]->what_if.kind;
      if (found == next.end() && !alike) found = std::ranges::find(next, other.name, &WhatIf::name);
      if (found == next.end() ||
          (alike && to_json(found->boards.front().scenario) == to_json(other.boards.front().scenario)))
        continue;
      WhatIf& pair = pairs.emplace_back(*found);
      pair.name = order[i]->what_if.name + "+" + other.name;
      pair.label = order[i]->what_if.label + " and " + found->label;
      pair.kind = ChangeKind::pair;
      pair.resource.reset();
      pair.shares_otherwise = false;
    }
  }
  return pairs;
}

std::string reach_words(const std::vector<Tried>& tried) {
  constexpr std::size_t most = 2;
  std::vector<const Tried*> meet;
  for (const Tried& one : tried)
    if (one.meets == true && one.what_if.role == Role::advice) meet.push_back(&one);
  const auto pairs =
      std::ranges::count(tried, ChangeKind::pair, [](const Tried& one) { return one.what_if.kind; });
  if (meet.empty())
    return fmt::format("; none of {} that were tried meets it, and none of {} of the nearest",
                       input::counted(tried.size() - static_cast<std::size_t>(pairs), "change"),
                       input::counted(pairs, "pair"));
  std::ranges::stable_sort(meet, std::greater{}, [](const Tried* one) { return one->worth.net(); });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, meet.size()); ++i) names.push_back(meet[i]->named());
  return fmt::format("; met with {}", fmt::join(names, ", or with "));
}

}  // namespace jostle::analyses
