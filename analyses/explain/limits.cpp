#include "analyses/explain/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "analyses/explain/explain.hpp"
#include "scenarios/result/board_result.hpp"

namespace jostle::analyses {
namespace {

constexpr double least_limited = 0.01;  // share of the time for which a limit must bind to be named
constexpr double ended = 0.1;           // remaining part of that share up to which a limit counts as ended

double share_of_limit(const scenarios::Result& result, std::string_view name) {
  for (const auto& [limit, share] : result.system.limited_share)
    if (limit == name) return share;
  return 0;
}

// A change that shortens the time of the limit to at most `ended` of what it was.
bool ends(const Tried& tried, const ActiveLimit& limit) {
  return tried.all_fit && std::ranges::all_of(tried.results, [&](const scenarios::Result& result) {
           return result.system.stop != "thermal_shutdown" &&
                  share_of_limit(result, limit.name) <= ended * limit.share;
         });
}

std::string limit_sentence(const ActiveLimit& limit, const std::vector<Tried>& tried) {
  std::string text = fmt::format("{} for {:.0f} % of the time",
                                 scenarios::limit_in_words(limit.name, "clocks"), 100 * limit.share);
  const auto without =
      std::ranges::find_if(tried, [](const Tried& each) { return each.what_if.name == "no-limits"; });
  if (without != tried.end() && without->gain > 0)
    text += fmt::format("; with {}: {}", without->what_if.label, without->figure);
  std::vector<std::string> ways, others;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const bool over = std::ranges::find(limit.ended_by, i) != limit.ended_by.end();
    if (over && tried[i].helps()) ways.push_back(tried[i].named());
    if (!over && tried[i].what_if.kind == ChangeKind::limits && tried[i].what_if.role == Role::advice)
      others.push_back(tried[i].named());
  }
  if (!ways.empty()) text += fmt::format("; it ends with any of: {}", fmt::join(ways, ", "));
  if (!others.empty()) text += fmt::format("; not with: {}", fmt::join(others, ", "));
  return text;
}

}  // namespace

std::vector<ActiveLimit> active_limits(const scenarios::Result& result, const std::vector<Tried>& tried) {
  std::vector<ActiveLimit> limits;
  for (const auto& [name, share] : result.system.limited_share) {
    if (name == "power_mode" || share < least_limited) continue;
    ActiveLimit limit{name, share, {}, {}};
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const WhatIf& change = tried[i].what_if;
      const bool of_limits = change.kind == ChangeKind::limits || change.kind == ChangeKind::power_mode ||
                             change.kind == ChangeKind::clocks;
      if (change.role == Role::advice && of_limits && ends(tried[i], limit)) limit.ended_by.push_back(i);
    }
    limit.sentence = limit_sentence(limit, tried);
    limits.push_back(std::move(limit));
  }
  std::ranges::stable_sort(limits, std::ranges::greater(), &ActiveLimit::share);
  return limits;
}

}  // namespace jostle::analyses
