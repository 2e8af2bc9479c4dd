// The reasons of a result in the words of `jostle explain`, for the head of a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "analyses/interval/interval.hpp"
#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/counted.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/run/cpu_time.hpp"

namespace jostle::cli {
namespace {

// The effect of a change: "precision int8: mean latency -9.1 %, p99 -3.0 %, power +0.7 %; price: accuracy
// unknown".
std::string change_words(const analyses::Tried& tried, const analyses::Explanation& explanation) {
  std::vector<std::string> parts;
  if (tried.worth.rescues) parts.emplace_back("all processes keep up");
  if (!tried.figure.empty()) parts.push_back(tried.figure);
  const auto add = [&parts](const std::string& name, const analyses::Change& change) {
    if (change.relative()) parts.push_back(fmt::format("{} {} %", name, signed_percent(change.relative())));
  };
  if (!tried.overloaded.empty())
    parts.emplace_back("latency grows");
  else if (explanation.aim.name != explanation.aim.tail)
    add(explanation.aim.tail, tried.p99_ms);
  if (explanation.aim.name != "power") add("power", tried.power_w);
  const auto prices = analyses::prices_in_words(tried, explanation.result);
  return fmt::format("{}: {}{}{}", tried.what_if.label, fmt::join(parts, ", "),
                     prices.empty() ? "" : "; price: ", fmt::join(prices, ", "));
}

// The best change, what it does to each process and why, where it alters how the GPU is shared, and if the
// model's error may be greater.
std::string best_words(const analyses::Explanation& explanation) {
  if (!explanation.leading.empty()) {
    const analyses::Tried& best = explanation.tried[explanation.leading.front()];
    const std::string& outcome = best.outcomes.sentence;
    const auto error = scenarios::usual_error_share(lowest(explanation.result));
    return change_words(best, explanation) + (outcome.empty() ? "" : "; " + outcome) +
           (!error || best.worth.rescues || best.gain > *error
                ? ""
                : fmt::format("; less than the model's usual error, {:.0f} %: try it before you rely on it",
                              100 * *error));
  }
  if (explanation.overload && !explanation.overload->sentence.empty()) return explanation.overload->sentence;
  return explanation.tried.empty() ? std::string()
                                   : fmt::format("none: of {} tried, no one brings more than it costs",
                                                 input::counted(explanation.tried.size(), "change"));
}

}  // namespace

void add_reasons(PageWords& words, const analyses::Explanation& explanation) {
  words.why = analyses::reasons_of(explanation.result, explanation.groups,
                                   explanation.critical ? explanation.critical->sentence : std::string());
  Passage groups{"why, process by process"};
  for (const analyses::Explained& explained : explanation.groups) {
    groups.lines.push_back(explained.group.label + ": " + explained.sentence);
    if (!explained.pieces.empty()) groups.lines.push_back(explained.pieces);
    std::ranges::copy(explained.turns, std::back_inserter(groups.lines));
  }
  std::ranges::copy(explanation.tenants, std::back_inserter(groups.lines));
  words.best = best_words(explanation);
  Passage changes{"the changes that matter most"};
  for (const std::size_t index : explanation.leading)
    changes.lines.push_back(change_words(explanation.tried[index], explanation));
  if (changes.lines.size() > 1) words.more.insert(words.more.begin(), std::move(changes));
  if (groups.lines.size() > 1) words.more.insert(words.more.begin(), std::move(groups));
}

// The result that a page shows.

scenarios::Result with_interval(const scenarios::Result& result, const scenarios::Scenario& scenario,
                                double cpu_seconds, const scenarios::RunControl& control) {
  constexpr double runs = 80;  // rough number for an interval
  if (result.status != "ok" || result.system.throughput_pi90 ||
      runs * cpu_seconds > scenarios::most_unasked_s)
    return result;
  scenarios::RunControl quiet;
  quiet.interrupt = control.interrupt;
  quiet.progress = control.progress;
  return analyses::run_with_interval(scenario, quiet).value_or(result);
}

}  // namespace jostle::cli
