#include "cli/run/reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/terminal/paragraph.hpp"
#include "input/counted.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::cli {
namespace {

// What a change would bring: "precision int8: +9.1 % images/s, p99 -3.0 %, power +0.7 %; price: accuracy
// unknown".
std::string change_words(const analyses::Tried& tried, const scenarios::Result& before) {
  std::vector<std::string> parts;
  if (tried.worth.rescues) parts.emplace_back("all processes keep up");
  constexpr double shown_from = 0.0005;  // less would print as 0.0 %
  for (const analyses::UnitChange& unit : tried.units)
    if (std::abs(unit.per_s.relative().value_or(0)) >= shown_from)
      parts.push_back(fmt::format("{} % {}/s", signed_percent(unit.per_s.relative()), unit.unit));
  if (!tried.overloaded.empty())
    parts.emplace_back("latency grows");
  else if (tried.p99_ms.relative())
    parts.push_back(fmt::format("p99 {} %", signed_percent(tried.p99_ms.relative())));
  else if (tried.latency_ms.relative())
    parts.push_back(fmt::format("mean latency {} %", signed_percent(tried.latency_ms.relative())));
  if (tried.power_w.relative())
    parts.push_back(fmt::format("power {} %", signed_percent(tried.power_w.relative())));
  const auto prices = analyses::prices_in_words(tried, before);
  return fmt::format("{}: {}{}{}", tried.what_if.label, fmt::join(parts, ", "),
                     prices.empty() ? "" : "; price: ", fmt::join(prices, ", "));
}

double rate_gained(const analyses::Tried& tried) {
  return tried.units.empty() ? 0 : tried.units.front().per_s.relative().value_or(0);
}

// ". Most images/s, +37.4 %, would come from: as streams of one process": the change of the same subject with
// the highest rate, if that is clearly more than the best change brings. Empty: there is none.
std::string more_by_rate(const analyses::Explanation& explanation, const analyses::Tried& best) {
  constexpr double clearly = 0.05;
  const analyses::Tried* most = nullptr;
  for (const analyses::Tried& tried : explanation.tried)
    if (tried.what_if.kind == best.what_if.kind && tried.is_stable() &&
        rate_gained(tried) > rate_gained(most != nullptr ? *most : best))
      most = &tried;
  if (most == nullptr || rate_gained(*most) - rate_gained(best) < clearly) return {};
  return fmt::format(". Most {}/s, {} %, would come from: {}", most->units.front().unit,
                     signed_percent(rate_gained(*most)), most->what_if.label);
}

// The best change, what it does to each process and why, where it alters how the GPU is shared.
std::string best_words(const analyses::Explanation& explanation) {
  if (!explanation.leading.empty()) {
    const analyses::Tried& best = explanation.tried[explanation.leading.front()];
    const std::string& outcome = best.outcomes.sentence;
    return change_words(best, explanation.result) + (outcome.empty() ? "" : "; " + outcome) +
           more_by_rate(explanation, best);
  }
  if (explanation.overload && !explanation.overload->sentence.empty()) return explanation.overload->sentence;
  return explanation.tried.empty() ? std::string()
                                   : fmt::format("none: of {} tried, no one brings more than it costs",
                                                 input::counted(explanation.tried.size(), "change"));
}

// Says whether the best change would be one if the model is off by its usual error for one side alone. Empty
// without a best change or a grade.
std::string decision_words(const analyses::Explanation& explanation) {
  if (explanation.leading.empty()) return {};
  const analyses::Tried& best = explanation.tried[explanation.leading.front()];
  const auto error = scenarios::usual_error_share(lowest(explanation.result));
  if (!error || best.worth.rescues) return {};
  const scenarios::Metric tail = best.p99_ms.relative(), mean = best.latency_ms.relative();
  const double gain = std::max(rate_gained(best), -(tail ? *tail : mean.value_or(0)));
  if (gain > *error)
    return fmt::format(
        "the best change is one even if the model is off by its usual {:.0f} % for one side alone",
        100 * *error);
  return fmt::format(
      "the best change brings less than the model's usual error, {:.0f} %, most of which both sides share: "
      "try it "
      "before you rely on it",
      100 * *error);
}

}  // namespace

void add_reasons(PageWords& words, const analyses::Explanation& explanation) {
  Passage groups{"why, process by process"};
  for (const analyses::Explained& explained : explanation.groups) {
    const std::string sentence = explained.group.label + ": " + explained.sentence;
    if (words.why.empty() && !explained.latency.empty()) words.why.push_back(explained.latency);
    if (words.why.size() < 2) words.why.push_back(sentence);
    if (words.why.size() == 1 && explanation.critical) words.why.push_back(explanation.critical->sentence);
    groups.lines.push_back(sentence);
    if (!explained.pieces.empty()) groups.lines.push_back(explained.pieces);
    std::ranges::copy(explained.turns, std::back_inserter(groups.lines));
  }
  std::ranges::copy(explanation.tenants, std::back_inserter(groups.lines));
  words.best = best_words(explanation);
  if (std::string decision = decision_words(explanation); !decision.empty())
    words.trust.insert(words.trust.begin(), std::move(decision));
  Passage changes{"the changes that matter most"};
  for (const std::size_t index : explanation.leading)
    changes.lines.push_back(change_words(explanation.tried[index], explanation.result));
  if (changes.lines.size() > 1) words.more.insert(words.more.begin(), std::move(changes));
  if (groups.lines.size() > 1) words.more.insert(words.more.begin(), std::move(groups));
}

}  // namespace jostle::cli
