#include "cli/compare/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "analyses/compare/cause.hpp"
#include "analyses/interval/power_interval.hpp"
#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::cli {
namespace {

using analyses::Compared;
using analyses::Difference;
using scenarios::Metric;

std::string with_unit(const Difference& difference) {
  return difference.unit.empty() ? difference.metric : difference.metric + " " + difference.unit;
}

// A row of one metric; all its numbers have the same decimals, enough for five digits of the larger value.
std::vector<std::string> cells_of(const Difference& difference) {
  const double largest = std::max(std::abs(difference.a.value_or(0)), std::abs(difference.b.value_or(0)));
  const std::string shown = significant(largest, 5);
  const std::size_t point = shown.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(shown.size() - point) - 1;
  const auto cell = [decimals](const Metric& value, const char* sign) {
    if (!value) return none;
    const double shown_value = *value == 0 ? 0.0 : *value;  // avoids -0
    return *sign == '+' ? fmt::format("{:+.{}f}", shown_value, decimals)
                        : fmt::format("{:.{}f}", shown_value, decimals);
  };
  const Metric relative = difference.relative();
  return {with_unit(difference),
          cell(difference.a, ""),
          cell(difference.b, ""),
          cell(difference.difference, "+"),
          cell(difference.half_width, ""),
          relative ? fmt::format("{:+.1f}", 100 * *relative + 0.0) : none,
          difference.difference == 0.0 ? "equal"
          : difference.significant()   ? "beyond"
          : difference.half_width      ? "within"
                                       : none};
}

Table table_of(const std::vector<Difference>& differences) {
  Table table({shrinking(""), right("A"), right("B"), right("B - A", 60), right("±95 %", 40), right("%"),
               left("noise", 50)});
  for (const Difference& difference : differences)
    table.add(cells_of(difference), difference.significant() ? Style::strong : Style::plain);
  return table;
}

// A warning for each side on which the process is overloaded. It explains why rows of latency are missing or
// are from fewer pairs.
std::vector<PageWarning> overload_warnings(const analyses::ComparedProcess& process, std::size_t pairs) {
  std::vector<PageWarning> found;
  const auto add = [&](const char* side, const analyses::OverloadedRuns& overload) {
    if (overload.runs == 0) return;
    const std::string up_to =
        overload.stable_share ? fmt::format(" ({})", stable_up_to(*overload.stable_share)) : "";
    const std::string rest = process.with_latency == 0
                                 ? "is not compared"
                                 : fmt::format("is compared over {} of the pairs", process.with_latency);
    found.push_back({fmt::format("{} does not keep up in {}", input::printable(process.label, 200), side),
                     fmt::format("{} of {} runs{}; latency grows without bound there, and {}", overload.runs,
                                 pairs, up_to, rest)});
  };
  add("A", process.overload_a);
  add("B", process.overload_b);
  return found;
}

// The number of pairs, and the precision that was asked for.
std::vector<std::string> pairs_sentences(const Compared& compared) {
  const std::size_t count = compared.a.size();
  const std::uint64_t seed = compared.a.front().seed;
  std::vector<std::string> found{
      count > 1 ? fmt::format("{} pairs of runs, seeds {} to {} in both", count, seed, seed + count - 1)
                : fmt::format("1 pair of runs, seed {}: no confidence intervals", seed)};
  if (!compared.until) return found;
  const std::string share = input::format_quantity(*compared.until, input::share_dimension());
  found.push_back(
      compared.known_to(*compared.until)
          ? fmt::format("differences in throughput are known to {}", share)
          : fmt::format(
                "differences in throughput are not known to {}: more pairs, or longer runs, are needed",
                share));
  return found;
}

// "#0 resnet50 fp16 b1", with both numbers if they differ; "3 x resnet50 fp16 b1", with both counts.
std::string process_heading(const analyses::ComparedProcess& process) {
  if (process.of_a > 1 || process.of_b > 1)
    return fmt::format("{} x {}{}", process.of_a, input::printable(process.label, 200),
                       process.of_a == process.of_b ? "" : fmt::format(" against {}", process.of_b));
  const std::string a = process.a.place(), b = process.b.place();
  return fmt::format("#{}{} ", a, a == b ? "" : " -> #" + b) + input::printable(process.label, 200);
}

Passage passage_of(const analyses::ComparedProcess& process) {
  Passage passage{process_heading(process), {table_of(process.metrics)}};
  if (process.of_a > 1 || process.of_b > 1)
    passage.lines.emplace_back("together: rates are added, of times the worst counts");
  return passage;
}

// The phrases of a text of in_words() that another one lacks.
std::vector<std::string> phrases_beyond(const std::string& text, const std::string& other) {
  std::vector<std::string> found;
  const std::string wrapped = ", " + other + ", ";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(", ", at), text.size());
    std::string phrase = text.substr(at, end - at);
    if (wrapped.find(", " + phrase + ", ") == std::string::npos) found.push_back(std::move(phrase));
    at = end + 2;
  }
  return found;
}

// "1 process with 3 streams".
std::string counted_processes(const scenarios::Result& result) {
  std::size_t streams = 0;
  for (const scenarios::ProcessResult& process : result.processes) streams += process.instances.size();
  return input::counted(result.processes.size(), "process", "processes") +
         (streams > 0 ? " with " + input::counted(streams, "stream") : std::string());
}

// How B differs from A: "batch 8 in place of batch 1 (2 x resnet50 fp16)"; empty if words do not tell it.
std::string differing_words(const Compared& compared, const scenarios::InWords& a,
                            const scenarios::InWords& b) {
  if (std::ranges::any_of(compared.processes,
                          [](const auto& each) { return each.a.stream || each.b.stream; }))
    return fmt::format("{} in place of {}", counted_processes(compared.b.front()),
                       counted_processes(compared.a.front()));
  std::vector<std::string> all;
  const auto add = [&all](const std::string& before, const std::string& after) {
    const auto gone = phrases_beyond(before, after), come = phrases_beyond(after, before);
    if (gone.empty() && come.empty()) return;
    std::string text = gone.empty() ? fmt::format("with {}", fmt::join(come, ", "))
                       : come.empty()
                           ? fmt::format("without {}", fmt::join(gone, ", "))
                           : fmt::format("{} in place of {}", fmt::join(come, ", "), fmt::join(gone, ", "));
    const std::string first = before.substr(0, before.find(", "));
    if (after.starts_with(first + ", ")) text += fmt::format(" ({})", first);
    all.push_back(std::move(text));
  };
  add(a.board, b.board);
  for (std::size_t i = 0; i < std::min(a.processes.size(), b.processes.size()); ++i)
    add(a.processes[i], b.processes[i]);
  for (std::size_t i = b.processes.size(); i < a.processes.size(); ++i)
    all.push_back("without " + a.processes[i]);
  for (std::size_t i = a.processes.size(); i < b.processes.size(); ++i)
    all.push_back("with " + b.processes[i]);
  return fmt::format("{}", fmt::join(all, "; "));
}

// The lower grade of both sides.
std::string grade_of_both(const Compared& compared) {
  return scenarios::lower_grade(lowest(compared.a.front()), lowest(compared.b.front()));
}

std::optional<std::string> power_grade_of_both(const Compared& compared) {
  const auto a = scenarios::power_grade(compared.a.front()), b = scenarios::power_grade(compared.b.front());
  return a && b ? std::optional(scenarios::lower_grade(*a, *b)) : std::nullopt;
}

// How far real boards may be from both sides.
std::vector<std::string> trust_of_both(const Compared& compared) {
  std::vector<std::string> found{grade_sentence("Throughput and latency", grade_of_both(compared))};
  const auto &a = compared.a.front().room, &b = compared.b.front().room;
  if (a || b) {
    const bool is_b = !a || (b && b->slower <= a->slower);
    found.front() += fmt::format("; {} in {}", room_words((is_b ? compared.b : compared.a).front()),
                                 a && b && a->slower == b->slower ? "both"
                                 : is_b                           ? "B"
                                                                  : "A");
  }
  if (const auto power = power_grade_of_both(compared)) {
    found.push_back(grade_sentence("Power and energy", *power));
    for (const auto& [side, runs] : {std::pair("A", &compared.a), std::pair("B", &compared.b)})
      if (const auto relative = analyses::relative_power_interval(runs->front()))
        found.back() += fmt::format("{} (power of {})", power_range(relative), side);
  }
  std::string repeats = repeats_sentence;
  for (const std::string& sentence : pairs_sentences(compared)) repeats += "; " + sentence;
  found.push_back(std::move(repeats));
  return found;
}

constexpr double no_percent = 0.0005;  // relative differences below this are printed as none

// Says if the sign of a difference would survive the model's usual error; adds one that would not to `small`.
std::string sign_words(const Difference& difference, const std::string& grade,
                       std::vector<std::string>& small) {
  const auto error = scenarios::usual_error_share(grade);
  const Metric relative = difference.relative();
  if (!error || !relative || std::abs(*relative) < no_percent) return {};
  const std::string percent = fmt::format("{} %", signed_percent(relative));
  if (!difference.significant())
    return fmt::format("{} {} may be chance: more pairs or longer runs would tell", difference.metric,
                       percent);
  // A ratio of two errors: the one side too high by `error`, and the other right.
  const double least = *relative > 0 ? *error : 1 - 1 / (1 + *error);
  if (std::abs(*relative) > least)
    return fmt::format("{} stays {} in B if one side alone is off by the model's usual {:.0f} %",
                       difference.metric, *relative > 0 ? "higher" : "lower", 100 * *error);
  small.push_back(fmt::format("{} {} ({:.0f} %)", difference.metric, percent, 100 * *error));
  return {};
}

// The differences that a reader asks for first: throughput, power and energy of the board, and of the
// processes what changes most beyond noise; if nothing does, the p99 latency that changes most.
std::vector<Difference> told_differences(const Compared& compared) {
  std::vector<Difference> told;
  for (const Difference& difference : compared.system)
    if (difference.relative() &&
        (difference.metric == "throughput" || difference.metric == "power" || difference.metric == "energy"))
      told.push_back(difference);
  std::optional<Difference> most;
  const auto weight = [](const Difference& one) {
    return std::pair(one.significant(), std::abs(*one.relative()));
  };
  const bool several = compared.groups.size() > 1;
  for (const analyses::ComparedProcess& group : compared.groups)
    for (Difference difference : group.metrics) {
      const bool said = difference.metric == "latency p50" || (!several && difference.metric == "throughput");
      if (!difference.relative() || said) continue;
      if (!difference.significant() && difference.metric != "latency p99") continue;
      if (most && weight(difference) <= weight(*most)) continue;
      if (several) difference.metric += " of " + input::printable(group.a.label, 100);
      most = std::move(difference);
    }
  if (most) told.push_back(std::move(*most));
  return told;
}

// The same for what the answer tells; energy is as sure as power.
std::vector<std::string> decision_sentences(const Compared& compared) {
  std::vector<std::string> found, small;
  for (const Difference& difference : told_differences(compared)) {
    if (difference.metric == "energy") continue;
    const std::string grade =
        difference.metric == "power" ? power_grade_of_both(compared).value_or("") : grade_of_both(compared);
    if (std::string words = sign_words(difference, grade, small); !words.empty())
      found.push_back(std::move(words));
  }
  if (!small.empty())
    found.insert(found.begin(),
                 fmt::format("beyond the simulation's noise, but less than the model's usual error: {}; both "
                             "sides share most of it, so measure both before you decide",
                             fmt::join(small, ", ")));
  return found;
}

// "; B is better in none of these", or A, if the differences beyond noise all say so.
std::string conclusion_of(const std::vector<Difference>& told) {
  std::size_t better = 0, worse = 0;
  for (const Difference& one : told) {
    if (!one.significant() || std::abs(*one.relative()) < no_percent) continue;
    const bool rises = *one.difference > 0, more_is_better = one.unit.ends_with("/s");
    ++(rises == more_is_better ? better : worse);
  }
  if ((better > 0) == (worse > 0)) return {};
  return fmt::format("; {} is better in none of these", better > 0 ? "A" : "B");
}

// "throughput +4.0 ± 0.3 % (545 to 567 images/s)", "throughput stays 545 images/s"; of a difference that may
// be chance, that it may be so.
std::string difference_words(const Difference& difference) {
  const std::string unit = difference.unit.empty() ? "" : " " + difference.unit;
  if (std::abs(*difference.relative()) < no_percent)
    return fmt::format("{} stays {}{}", difference.metric, significant(difference.b, 3), unit);
  const double half = difference.half_width.value_or(0) / std::abs(*difference.a);
  const std::string sure = half < no_percent ? "" : fmt::format(" ± {:.1f}", 100 * half);
  return fmt::format("{} {}{} % ({} to {}{}{})", difference.metric, signed_percent(difference.relative()),
                     sure, significant(difference.a, 3), significant(difference.b, 3), unit,
                     difference.significant() ? "" : "; may be chance");
}

// "B against A: throughput +4.0 % (545 to 567 images/s), ..."
std::string answer_of(const std::vector<Difference>& told) {
  std::vector<std::string> parts;
  for (const Difference& difference : told) parts.push_back(difference_words(difference));
  return fmt::format("B against A: {}{}", fmt::join(parts, ", "), conclusion_of(told));
}

Passage board_passage(const Compared& compared) {
  Passage passage{"board", {table_of(compared.system)}};
  if (compared.isolation_a != compared.isolation_b)
    passage.lines.push_back(fmt::format("A: {}; B: {}", compared.isolation_a, compared.isolation_b));
  return passage;
}

}  // namespace

PageWords comparison_words(const Compared& compared, const analyses::ComparedNames& names) {
  const scenarios::InWords a = scenarios::in_words(compared.a.front().resolved),
                           b = scenarios::in_words(compared.b.front().resolved);
  PageWords words = page_words(a);
  words.run = words.run.substr(0, words.run.rfind("seed ")) + pairs_sentences(compared).front();
  words.verdict = compared.verdict;
  const std::string differs = differing_words(compared, a, b);
  // The question says how B's differs, unless words do not tell it.
  words.scenario = a.board == b.board ? a.board
                   : !differs.empty() ? "A: " + a.board
                                      : fmt::format("A: {}; B: {}", a.board, b.board);
  words.question =
      fmt::format("What changes from A to B: {}",
                  differs.empty() ? fmt::format("{} in place of {}", names.b, names.a) : differs);
  for (std::size_t i = 0; i < std::max(a.processes.size(), b.processes.size()); ++i) {
    if (i < a.processes.size() && i < b.processes.size() && a.processes[i] == b.processes[i]) continue;
    if (i < a.processes.size()) words.processes[i] = "A: " + a.processes[i];
    // The question says how B's differs, unless words do not tell it.
    if (i < b.processes.size() && differs.empty()) words.processes.push_back("B: " + b.processes[i]);
  }
  for (const analyses::ComparedProcess& process : compared.groups)
    std::ranges::move(overload_warnings(process, compared.a.size()), std::back_inserter(words.warnings));
  const std::vector<Difference> told = told_differences(compared);
  if (!told.empty()) {
    std::string answer = answer_of(told);
    for (const PageWarning& warning : words.warnings) answer += "; " + warning.title;
    words.answer.push_back({"", {}, {std::move(answer)}});
    words.answer.push_back({"", {table_of(told)}});
  }
  Passage sides{"A and B", {}, {"A: " + names.a, "B: " + names.b}};
  const auto unmatched = [&](const std::vector<analyses::Unit>& units, const char* which, auto side) {
    for (const analyses::Unit& unit : units)
      if (std::ranges::none_of(compared.groups,
                               [&](const auto& group) { return (group.*side).label == unit.label; }))
        sides.lines.push_back(fmt::format("only in {}: #{} {}", which, unit.place(), unit.label));
  };
  unmatched(compared.only_a, "A", &analyses::ComparedProcess::a);
  unmatched(compared.only_b, "B", &analyses::ComparedProcess::b);
  words.more.push_back(std::move(sides));
  words.more.push_back(board_passage(compared));
  words.why = analyses::causes_of(compared);
  words.trust = trust_of_both(compared);
  const auto decisions = decision_sentences(compared);
  words.trust.insert(words.trust.begin() + 1, decisions.begin(), decisions.end());
  for (const analyses::ComparedProcess& process : compared.groups) words.more.push_back(passage_of(process));
  return words;
}

}  // namespace jostle::cli
