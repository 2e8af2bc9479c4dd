// The answer of a plan in a sentence.
#include "analyses/verdict/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/plan/words.hpp"
#include "input/counted.hpp"
#include "output/json.hpp"

namespace jostle::analyses {
namespace {

// "27 settings of board, precision and batch".
std::string settings_of_keys(const Plan& plan) {
  const std::string all = input::counted(plan.points, "setting");
  if (!plan.best) return all;
  std::vector<std::string> keys;
  const nlohmann::ordered_json settings = output::parsed_json(plan.best->settings);
  for (const auto& [key, value] : settings.items()) keys.push_back(plain_setting_name(settings, key));
  return keys.empty() ? all : fmt::format("{} of {}", all, input::listed(keys));
}

// The goal as a question: "Which of 27 settings of precision and batch has the highest throughput of the
// board, with power of the board at most 12 W".
std::string goal_words(const Plan& plan) {
  std::vector<std::string> wishes, limits;
  for (std::size_t i = 0; i < plan.goal.criteria.size(); ++i) {
    const Criterion& criterion = plan.goal.criteria[i];
    (criterion.limit ? limits : wishes).push_back(criterion_words(plan.goal.metrics[i], criterion));
  }
  return fmt::format("Which of {} has {}{}{}", settings_of_keys(plan),
                     fmt::join(wishes, ", and among equals "), limits.empty() ? "" : ", with ",
                     fmt::join(limits, " and "));
}

// A criterion against its value at the best point; without one, the nearest value of any point.
scenarios::Judged against_criterion(const Plan& plan, std::size_t i, double value) {
  scenarios::Judged one = judged(plan.goal.criteria[i], plan.goal.metrics[i], value,
                                 plan.best ? plan.best->intervals[i] : std::nullopt);
  one.words = plan.goal.title(one.metric);
  return one;
}

scenarios::Verdict none_meets(const Plan& plan, const GradeOfMetric& grade_of) {
  std::vector<scenarios::Judged> all;
  for (const Missed& missed : plan.missed)
    all.push_back(against_criterion(plan, missed.criterion, missed.nearest));
  scenarios::Verdict verdict;
  verdict.text = "no point meets all limits";
  verdict.met = false;
  if (all.empty()) return verdict;
  verdict = verdict_of(std::move(all), {}, grade_of);
  verdict.text = "no point meets the limits; nearest: " + verdict.text;
  return verdict;
}

}  // namespace

scenarios::Judged judged(const Criterion& criterion, const std::string& metric, double value,
                         const scenarios::Interval& pi90) {
  scenarios::Judged one;
  one.metric = metric;
  one.words = metric_title(metric);
  one.unit = metric_unit(metric).name;
  one.value = value;
  one.pi90 = pi90;
  one.limit = criterion.limit;
  one.least = criterion.maximise;
  if (criterion.limit) one.met = meets_limits({criterion}, {value});
  return one;
}

namespace {

scenarios::Verdict best_meets(const Plan& plan, const BreaksOfLimits& breaks_of_limits,
                              const GradeOfMetric& grade_of) {
  const PlanPoint& best = *plan.best;
  std::vector<scenarios::Judged> all;
  AskedLimits limits{{}, NumbersOf::processes};
  for (std::size_t i = plan.goal.objectives; i < plan.goal.criteria.size(); ++i) {
    if (plan.goal.metrics[i] == headroom_metric) continue;
    all.push_back(against_criterion(plan, i, best.values[i]));
    scenarios::Constraint& limit = limits.constraints.emplace_back();
    limit.metric = plan.goal.metrics[i];
    (all.back().least ? limit.min : limit.max) = all.back().limit;
  }
  scenarios::Judged objective = against_criterion(plan, 0, best.values[0]);
  const std::string told = grade_of(objective.metric);
  std::string text =
      fmt::format("{}: {}", plain_settings(best.settings), sentence_of(objective, usual_error_words(told)));
  std::optional<scenarios::Breaks> breaks;
  if (all.empty())
    all.push_back(std::move(objective));
  else if (breaks_of_limits && std::ranges::all_of(all, [](const auto& one) { return one.met == true; }))
    breaks = breaks_of_limits(limits);
  const bool limited = !limits.constraints.empty();
  // An error that the objective has told is not said twice.
  scenarios::Verdict verdict = verdict_of(std::move(all), std::move(breaks), [&](const std::string& metric) {
    const std::string grade = grade_of(metric);
    return limited && !best.intervals[0] && grade == told ? "" : grade;
  });
  verdict.text = limited ? text + "; " + verdict.text : std::move(text);
  if (!plan.at_headroom.empty()) verdict.text += "; " + plan.at_headroom;
  return verdict;
}

}  // namespace

scenarios::Verdict verdict_of(const Plan& plan, const BreaksOfLimits& breaks_of_limits) {
  const auto grade_of = [&plan](const std::string& metric) {
    if (!plan.best) return std::string();
    return rests_on_power(metric) ? plan.best->power_grade.value_or("") : plan.best->grade;
  };
  scenarios::Verdict verdict =
      plan.best ? best_meets(plan, breaks_of_limits, grade_of) : none_meets(plan, grade_of);
  verdict.question = goal_words(plan);
  return verdict;
}

}  // namespace jostle::analyses
