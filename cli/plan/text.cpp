#include "cli/plan/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/study/power_basis.hpp"
#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/metric_json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using analyses::Criterion;
using analyses::plain_setting_name;
using analyses::plain_settings;
using analyses::Plan;
using analyses::PlanPoint;
using analyses::setting_value_text;
using scenarios::Interval;

constexpr int plan_digits = 4;

// The keys that differ between the points: full path, and a column header (the last step of the path if that
// is unambiguous).
std::vector<std::pair<std::string, std::string>> varying_keys(const std::vector<PlanPoint>& points) {
  std::vector<std::pair<std::string, std::string>> keys;
  const Json first = output::parsed_json(points.front().settings);
  for (const auto& [key, value] : first.items()) {
    const bool same = std::ranges::all_of(points, [&, name = key, here = value](const PlanPoint& point) {
      return output::parsed_json(point.settings).at(name) == here;
    });
    if (!same) keys.emplace_back(key, key.substr(key.rfind('.') + 1));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto has_same_header = [&](const auto& other) { return other.second == keys[i].second; };
    if (std::ranges::count_if(keys, has_same_header) > 1) keys[i].second = keys[i].first;
  }
  return keys;
}

// The settings that differ: "batch 4 in place of 8".
std::string changes_text(const PlanPoint& from, const PlanPoint& to) {
  const Json before = output::parsed_json(from.settings), after = output::parsed_json(to.settings);
  std::string text;
  for (const auto& [key, value] : after.items()) {
    if (before.at(key) == value) continue;
    text += fmt::format("{}{} {} in place of {}", text.empty() ? "" : ", ", plain_setting_name(after, key),
                        setting_value_text(value), setting_value_text(before.at(key)));
  }
  return text;
}

// The settings that one would rather choose, and why not, a sentence for each key: "streams 16 in place of
// 14: throughput 240 images/s, 14 % more than the best; but …". Empty: no key decides.
std::vector<std::string> neighbour_words(const Plan& plan) {
  std::vector<std::string> found;
  for (const analyses::PlanNeighbour& one : plan.neighbours) {
    PlanPoint point;
    point.settings = one.settings;
    found.push_back(fmt::format("{}: {}", changes_text(*plan.best, point), one.sentence));
    if (found.size() == 1 && !plan.why_neighbour.empty())
      found.push_back(fmt::format("{}", fmt::join(plan.why_neighbour, "; ")));
  }
  return found;
}

// A limit or an objective in words: "max system.throughput", "headroom >= 20 %".
std::string criterion_text(const Plan& plan, std::size_t criterion) {
  const Criterion& wanted = plan.goal.criteria[criterion];
  if (!wanted.limit) return (wanted.maximise ? "max " : "min ") + plan.goal.metrics[criterion];
  return analyses::limit_words(plan.goal.metrics[criterion], wanted);
}

// The value of a criterion without its unit. Headroom is measured as far as its limit.
std::string value_text(const Plan& plan, const PlanPoint& point, std::size_t criterion) {
  const double value = point.values[criterion];
  if (plan.goal.metrics[criterion] != analyses::headroom_metric) return significant(value, plan_digits);
  const bool kept = value >= *plan.goal.criteria[criterion].limit;
  return (kept ? "≥ " : "") + analyses::percent_words(value);
}

std::string with_unit(const Plan& plan, std::size_t criterion, double value) {
  return value_with_unit(plan.goal.metrics[criterion], value);
}

// The grade of the power behind the criterion's value at a point; empty: it does not rest on power.
std::string grade_text(const Plan& plan, const PlanPoint& point, std::size_t criterion) {
  return analyses::rests_on_power(plan.goal.metrics[criterion]) ? point.power_grade.value_or("") : "";
}

// The value of a criterion at a point: "4.21 W (assumed)".
std::string graded(const Plan& plan, const PlanPoint& point, std::size_t criterion) {
  const std::string grade = grade_text(plan, point, criterion);
  return with_unit(plan, criterion, point.values[criterion]) + (grade.empty() ? "" : " (" + grade + ")");
}

std::string interval_text(const Interval& interval) {
  return interval ? fmt::format("{} to {}", significant(interval->first, 3), significant(interval->second, 3))
                  : "–";
}

// The confidence of the mean of the replications: "± 0.4".
std::string noise_text(const PlanPoint& point, std::size_t criterion) {
  const scenarios::Metric& half = point.half_widths[criterion];
  return half ? "± " + significant(*half, 2) : "–";
}

// The evidence for a point's feasibility, and the share of requests that it drops.
std::string evidence_text(const Plan& plan, const PlanPoint& point) {
  std::string text;
  if (point.replications > 0)
    text = fmt::format("Means of {}", input::counted(point.replications, "replication"));
  if (point.p_feasible && plan.goal.criteria.size() > plan.goal.objectives)
    text += fmt::format("; all limits are met in {} of repeats of the simulation",
                        probability_text(*point.p_feasible));
  if (!text.empty()) text += ".";
  if (point.dropped > 0)
    text += fmt::format("{}It drops {} % of its requests at the limit of a queue.", text.empty() ? "" : " ",
                        significant(100 * point.dropped, 2));
  return text;
}

// The excess of a value over that of the best point.
std::string relative_text(double value, double best) {
  if (best == 0) return "–";
  const std::string text = fmt::format("{:+.1f} %", 100 * (value / best - 1));
  return text == "+0.0 %" || text == "-0.0 %" ? "same" : text;
}

// True if a metric of tokens is shown beside the goal: a point has it, and the goal does not name it.
bool adds(const Plan& plan, const char* metric) {
  return std::ranges::none_of(plan.goal.metrics,
                              [&](const std::string& one) { return one.starts_with(metric); });
}

// A criterion in a page's table of a point. Objectives after the first only decide among equals, so a point
// need not have the lowest power, say.
std::string words_of_criterion(const Plan& plan, std::size_t i) {
  const bool decides = i == 0 || plan.goal.criteria[i].limit;
  return decides ? analyses::criterion_words(plan.goal.metrics[i], plan.goal.criteria[i])
                 : plan.goal.title(plan.goal.metrics[i]);
}

// With names for people and units.
Table values_table(const Plan& plan, const PlanPoint& point, bool against_best) {
  std::vector<Column> columns{shrinking(""), right("simulated"), right("± of repeats", 45)};
  const bool ranged =
      std::ranges::any_of(point.intervals, [](const Interval& one) { return one.has_value(); });
  if (ranged) columns.push_back(right("9 of 10 measured", 65));
  if (against_best) columns.push_back(right("vs best", 40));
  const bool powered = point.power_grade.has_value();
  if (powered) columns.push_back(left("grade", 60));
  Table table(columns);
  for (std::size_t i = 0; i < plan.goal.criteria.size(); ++i) {
    const bool headroom = plan.goal.metrics[i] == analyses::headroom_metric;
    std::vector<std::string> cells{
        words_of_criterion(plan, i),
        headroom ? value_text(plan, point, i) : with_unit(plan, i, point.values[i]), noise_text(point, i),
        interval_text(point.intervals[i])};
    if (!ranged) cells.pop_back();
    if (against_best) cells.push_back(relative_text(point.values[i], plan.best->values[i]));
    if (powered) cells.push_back(grade_text(plan, point, i));
    table.add(std::move(cells));
  }
  if (!point.tokens) return table;
  const analyses::PlanTokens& tokens = *point.tokens;
  const auto add = [&](const char* name, const scenarios::Metric& value, const Interval& pi90,
                       const std::string& grade) {
    std::vector<std::string> cells{name, value ? significant(*value, plan_digits) : "–", "–",
                                   interval_text(pi90)};
    if (!ranged) cells.pop_back();
    if (against_best) cells.emplace_back();
    if (powered) cells.push_back(grade);
    table.add(std::move(cells));
  };
  if (adds(plan, analyses::token_rate)) add("tokens/s", tokens.per_s, tokens.per_s_pi90, "");
  if (adds(plan, analyses::token_energy))
    add("mJ/token", tokens.energy_mj, tokens.energy_pi90, point.power_grade.value_or(""));
  return table;
}

bool overlap(const Interval& a, const Interval& b) {
  return a && b && a->first <= b->second && b->first <= a->second;
}

// The difference that would make the runner-up the best, and a hint if measurements may reverse the two.
std::string runner_up_advice(const Plan& plan) {
  std::string advice = plan.runner_up_sentence;
  if (overlap(plan.best->intervals[0], plan.runner_up->intervals[0]))
    advice += " The 90 % intervals of the two overlap: measure both before you decide.";
  return advice;
}

// The distance from overload, and the energy with its cost, of the best point.
std::vector<std::string> margins_of(const Plan& plan) {
  std::vector<std::string> found;
  if (plan.overload) found.push_back("carries: " + sentence_of(*plan.overload));
  if (!plan.energy) return found;
  const analyses::EnergyCost& energy = *plan.energy;
  std::string line = fmt::format("energy: {} kWh a day", significant(energy.kwh_day(), 3));
  const bool images = energy.per_image_mj && energy.counts_images;
  if (images) line += fmt::format(", {} mJ an image", significant(*energy.per_image_mj, 3));
  if (energy.per_token_mj) line += fmt::format(", {} mJ a token", significant(*energy.per_token_mj, 3));
  if (energy.per_day) line += "; it costs " + input::decimal(*energy.per_day, 3) + " a day";
  if (energy.per_million && images)
    line += ", " + input::decimal(*energy.per_million, 3) + " a million images";
  if (energy.per_million_tokens)
    line += ", " + input::decimal(*energy.per_million_tokens, 3) + " a million tokens";
  found.push_back(line + fmt::format(" ({})", energy.grade.value_or("unknown grade")));
  return found;
}

// At most 17 points of the front: 16 evenly spaced ones with both ends, and the best.
std::vector<PlanPoint> front_excerpt(const Plan& plan) {
  constexpr std::size_t max_points = 16;
  const std::size_t count = plan.front.size();
  if (count <= max_points) return plan.front;
  std::vector<PlanPoint> excerpt;
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool due = i == next * (count - 1) / (max_points - 1);
    next += due ? 1 : 0;
    if (due || plan.front[i].point == plan.best->point) excerpt.push_back(plan.front[i]);
  }
  return excerpt;
}

// Points as rows: the values of the first `criteria` criteria, with intervals if `pi90`, the grade of power
// that a criterion rests on, and the keys in which the points differ. The best one stands out.
struct PointColumns {
  std::size_t criteria;
  bool pi90;
};
Table points_table(const Plan& plan, const std::vector<PlanPoint>& points, const PointColumns& shown) {
  const auto keys = varying_keys(points);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < shown.criteria; ++i) {
    columns.push_back(right(criterion_text(plan, i), i == 0 ? 0 : 45));
    if (shown.pi90) columns.push_back(right("90 %", 30));
  }
  const bool powered =
      std::ranges::any_of(points, [](const PlanPoint& point) { return point.power_grade.has_value(); });
  const bool speaks =
      std::ranges::any_of(points, [](const PlanPoint& point) { return point.tokens.has_value(); });
  const bool rates = speaks && adds(plan, analyses::token_rate);
  const bool energies = speaks && adds(plan, analyses::token_energy);
  if (rates) columns.push_back(right("tokens/s", 42));
  if (energies) columns.push_back(right("mJ/token", 42));
  if (powered) columns.push_back(left("power", 40));
  for (const auto& [key, name] : keys) columns.push_back(right(name, 50));
  Table table(columns);
  for (const PlanPoint& point : points) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < shown.criteria; ++i) {
      cells.push_back(value_text(plan, point, i));
      if (shown.pi90) cells.push_back(interval_text(point.intervals[i]));
    }
    const auto add = [&](const scenarios::Metric& value) {
      cells.push_back(value ? significant(*value, 3) : "–");
    };
    const analyses::PlanTokens tokens = point.tokens.value_or(analyses::PlanTokens{});
    if (rates) add(tokens.per_s);
    if (energies) add(tokens.energy_mj);
    if (powered) cells.push_back(point.power_grade.value_or(""));
    const Json settings = output::parsed_json(point.settings);
    for (const auto& [key, name] : keys) cells.push_back(setting_value_text(settings.at(key)));
    const bool meets = analyses::meets_limits(plan.goal.criteria, point.values);
    const bool best = plan.best && point.point == plan.best->point;
    table.add(std::move(cells), best ? Style::strong : meets ? Style::plain : Style::bad);
  }
  return table;
}

// All points, if they are few enough for a screen, so that it is visible how much better or worse each is.
Passage every_point(const Plan& plan) {
  const auto meet = std::ranges::count_if(plan.every, [&](const PlanPoint& point) {
    return analyses::meets_limits(plan.goal.criteria, point.values);
  });
  const char* const order = plan.goal.criteria.size() == plan.goal.objectives ? ", best first"
                            : static_cast<std::size_t>(meet) < plan.every.size()
                                ? ", best first; those that miss a limit come last"
                                : ", best first; all meet the limits";
  return {std::string("every point") + order,
          {points_table(plan, plan.every, {plan.goal.criteria.size(), false})}};
}

Passage pareto_front(const Plan& plan) {
  const std::vector<PlanPoint> points = front_excerpt(plan);
  Passage passage{"Pareto front", {points_table(plan, points, {plan.goal.objectives, true})}};
  if (points.size() < plan.front.size())
    passage.lines.push_back(
        fmt::format("{} of {} points shown; --format json prints all", points.size(), plan.front.size()));
  return passage;
}

std::vector<std::string> costs_of_limits(const Plan& plan) {
  std::vector<std::string> found;
  for (const analyses::Relaxed& relaxed : plan.relaxed) {
    found.push_back(fmt::format("The limit {} rules out: {} {} ({} vs best) with {}, which needs {}.",
                                analyses::criterion_words(plan.goal.metrics[relaxed.criterion],
                                                          plan.goal.criteria[relaxed.criterion]),
                                plan.goal.title(plan.goal.metrics[0]), graded(plan, relaxed.best, 0),
                                relative_text(relaxed.best.values[0], plan.best->values[0]),
                                plain_settings(relaxed.best.settings),
                                with_unit(plan, relaxed.criterion, relaxed.needed)));
  }
  return found;
}

// The limit that the point misses most: "p99 latency 41.2 ± 1.3 ms against 40 ms".
std::string missed_text(const Plan& plan, const PlanPoint& point) {
  const std::size_t worst = analyses::most_missed(plan.goal, point.values).value_or(plan.goal.objectives);
  const std::string& metric = plan.goal.metrics[worst];
  if (metric == analyses::headroom_metric)
    return analyses::missed_words(plan.goal, worst, point.values[worst]);
  const std::string unit = analyses::metric_unit(metric).name;
  return fmt::format("{} {} {}{}{} against {:.6g}{}{}", plan.goal.title(metric),
                     significant(point.values[worst], plan_digits),
                     point.half_widths[worst] ? noise_text(point, worst) : "", unit.empty() ? "" : " ", unit,
                     *plan.goal.criteria[worst].limit, unit.empty() ? "" : " ", unit);
}

Passage near_misses(const Plan& plan) {
  Passage passage{"near misses"};
  for (const analyses::NearMiss& miss : plan.near_misses) {
    const std::string verdict =
        miss.infeasible
            ? std::string("infeasible")
            : "not decided: feasible in " + probability_text(*miss.point.p_feasible) + " of repeats";
    passage.lines.push_back(fmt::format("{}: {} {}; {}; {}", plain_settings(miss.point.settings),
                                        plan.goal.title(plan.goal.metrics[0]), graded(plan, miss.point, 0),
                                        missed_text(plan, miss.point), verdict));
  }
  if (!plan.decided && !passage.lines.empty())
    passage.lines.emplace_back(
        "The time for replications was used up; a greater `plan: {effort}` in the study decides more.");
  return passage;
}

std::string head_sentence(const Plan& plan) {
  std::string text =
      fmt::format("{} of {} simulated", plan.count.simulated, input::counted(plan.points, "point"));
  if (plan.count.evaluated > plan.count.simulated)
    text += fmt::format(", {} already in the file", plan.count.evaluated - plan.count.simulated);
  if (plan.count.do_not_fit > 0)
    text += fmt::format(", {} {} not fit into memory", plan.count.do_not_fit,
                        plan.count.do_not_fit == 1 ? "does" : "do");
  if (plan.count.overheat > 0)
    text += fmt::format(", {} {} the board until it shuts down", plan.count.overheat,
                        plan.count.overheat == 1 ? "heats" : "heat");
  if (plan.count.overloaded > 0)
    text += fmt::format(", {} {} overloaded (latency grows without bound)", plan.count.overloaded,
                        plan.count.overloaded == 1 ? "is" : "are");
  if (plan.count.failed > 0) text += fmt::format(", {} failed", plan.count.failed);
  if (plan.replicated_s > 0)
    text += fmt::format(", {} s in all, the best of them again for {} s", significant(plan.search_s, 3),
                        significant(plan.replicated_s, 3));
  text += plan.exhaustive
              ? fmt::format("; exhaustive search: all {} evaluated", input::counted(plan.points, "point"))
          : plan.converged ? "; search converged: no other point is expected to gain more than 0.5 %"
                           : "; search stopped at its limit: raise --simulations to look for better points";
  return text;
}

// Why no point is the best: limits that none meets, or not all at once.
std::vector<std::string> why_none(const Plan& plan) {
  std::vector<std::string> found;
  if (plan.count.evaluated > 0 && plan.count.overloaded == plan.count.evaluated)
    found.emplace_back("Every point is overloaded: lower the demand, or allow more boards.");
  else if (plan.missed.empty() && !plan.near_misses.empty())
    found.push_back(fmt::format("No point is known to meet them with {:.4g} %.", 100 * plan.goal.confidence));
  else if (plan.missed.empty())
    found.emplace_back("Each limit can be met, but not all at once.");
  for (const analyses::Missed& missed : plan.missed)
    found.push_back(fmt::format(
        "{}: the closest point reaches {}",
        analyses::criterion_words(plan.goal.metrics[missed.criterion], plan.goal.criteria[missed.criterion]),
        with_unit(plan, missed.criterion, missed.nearest)));
  return found;
}

}  // namespace

std::string probability_text(double p) {
  constexpr double nearly_all = 0.99, hardly_any = 0.01;
  if (p > nearly_all) return "> 99 %";
  if (p < hardly_any) return "< 1 %";
  return fmt::format("{:.3g} %", 100 * p);
}

std::string value_with_unit(const std::string& metric, double value) {
  return analyses::metric_words(metric, value);
}

namespace {

// How far a real board may be from the best point, how sure its limits are, and what a ± is instead.
std::vector<std::string> plan_trust(const Plan& plan, const PlanPoint& best) {
  std::vector<std::string> found;
  if (plan.if_off) found.push_back(sentence_of(plan.goal, *plan.if_off));
  const std::string& metric = plan.goal.metrics[0];
  const std::string unit = analyses::metric_unit(metric).name;
  const bool watts = analyses::rests_on_power(metric);
  const std::string grade = watts ? grade_text(plan, best, 0) : best.grade;
  std::string range;
  if (best.intervals[0]) range = interval_text(best.intervals[0]) + (unit.empty() ? "" : " ") + unit;
  const bool served = best.intervals[0] &&
                      significant(best.intervals[0]->first, 3) == significant(best.intervals[0]->second, 3);
  if (served && !best.grade.empty())  // all that is asked for, whatever the error: latency has it
    found.push_back(grade_sentence("Speed (latency follows it, steeply near overload)", best.grade));
  else if (!grade.empty() || !range.empty())
    found.push_back(grade_sentence(plan.goal.title(metric), grade, range));
  if (watts && !best.grade.empty()) found.push_back(grade_sentence("Throughput and latency", best.grade));
  if (!watts && best.power_grade) found.push_back(grade_sentence("Power and energy", *best.power_grade));
  std::string repeats = repeats_sentence;
  if (best.p_feasible && plan.goal.criteria.size() > plan.goal.objectives)
    repeats += fmt::format("; in {} of these all limits are met", probability_text(*best.p_feasible));
  found.push_back(std::move(repeats));
  return found;
}

}  // namespace

PageWords plan_words(const Plan& plan, const scenarios::InWords& scenario) {
  PageWords words = page_words(scenario);
  Passage searched{"how it was searched", {}, {head_sentence(plan)}};
  if (plan.least_overloaded)
    searched.lines.push_back(fmt::format("the overloaded setting that comes nearest to keeping up: {}, {}",
                                         plain_settings(plan.least_overloaded->settings),
                                         stable_up_to(plan.least_overloaded->stable_share)));
  words.question = plan.verdict->question;
  words.verdict = plan.verdict;
  if (!plan.best) {
    words.answer.push_back({"no point meets the limits"});
    words.why = why_none(plan);
  } else {
    const PlanPoint& best = *plan.best;
    const std::string whole = words.scenario.empty()
                                  ? plain_settings(best.settings)
                                  : fmt::format("{}: {}", words.scenario, fmt::join(words.processes, "; "));
    std::vector<std::string> margins = margins_of(plan);  // load first, then energy, which few ask for
    words.answer.push_back({"", {values_table(plan, best, false)}, {"the best one: " + whole}});
    searched.lines.push_back(evidence_text(plan, best));
    if (!margins.empty()) words.answer.back().lines.push_back(margins.front());
    if (margins.size() > 1) words.more.push_back({"energy", {}, {margins.back()}});
    words.trust = plan_trust(plan, best);
    if (!best.sharing_note.empty()) words.warnings.push_back({"sharing", best.sharing_note});
    const std::vector<std::string> costs = costs_of_limits(plan);
    words.why = neighbour_words(plan);
    if (plan.next_better && (plan.neighbours.empty() || !plan.neighbours.front().better)) {
      PlanPoint point;
      point.settings = plan.next_better->settings;
      words.why.push_back(
          fmt::format("{}: {}", changes_text(best, point), sentence_of(plan.goal, *plan.next_better)));
    }
    if (plan.runner_up) {
      const std::string changes = changes_text(best, *plan.runner_up), advice = runner_up_advice(plan);
      if (words.why.empty())
        words.why.push_back(fmt::format("the runner-up differs in {}. {}", changes, advice));
      words.more.push_back({"runner-up: " + changes,
                            {values_table(plan, *plan.runner_up, true)},
                            {advice, evidence_text(plan, *plan.runner_up)}});
    }
    if (!costs.empty()) words.more.push_back({"cost of the limits", {}, costs});
  }
  if (!plan.power_note.empty()) words.warnings.push_back({"note", plan.power_note});
  for (Passage passage : {near_misses(plan), std::move(searched)})
    if (!passage.lines.empty()) words.more.push_back(std::move(passage));
  if (plan.every.size() > 1) words.more.push_back(every_point(plan));
  if (plan.front.size() > 1) words.more.push_back(pareto_front(plan));
  return words;
}

}  // namespace jostle::cli
