#include "analyses/plan/alternatives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyses/plan/words.hpp"
#include "analyses/verdict/slower.hpp"

namespace jostle::analyses {
namespace {

// The difference of a value, relative to the best one's.
double relative_to(double best, double value) {
  return best == 0 ? 0 : (value - best) / std::abs(best);
}

std::string why_not_chosen(const Goal& goal, const NextBetter& next) {
  if (next.shortage) {
    std::string text = "it would " + next.shortage->effect;
    if (next.stable_share)
      text += ": it can serve " + served_words(*next.stable_share) + " of what is asked for";
    return text;
  }
  if (!next.limit)
    return fmt::format("it is known to meet the limits with {} only, not with {}",
                       percent_words(next.p_feasible), percent_words(goal.confidence));
  std::string text = missed_words(goal, *next.limit, next.limit_value);
  if (next.more_limits > 0)
    text += fmt::format(" (it misses {} more)",
                        next.more_limits == 1 ? "a limit" : fmt::format("{} limits", next.more_limits));
  return text;
}

}  // namespace

double more_requests(double headroom) {
  return headroom / (1 - headroom);
}

std::optional<std::size_t> most_missed(const Goal& goal, const std::vector<double>& values) {
  std::optional<std::size_t> worst;
  double most = 0;
  for (std::size_t i = goal.objectives; i < goal.criteria.size(); ++i) {
    const double by = goal.criteria[i].limit ? violation(goal.criteria[i], values[i]) : 0;
    if (by <= most) continue;
    worst = i;
    most = by;
  }
  return worst;
}

std::string missed_words(const Goal& goal, std::size_t limit, double value) {
  const Criterion& wanted = goal.criteria[limit];
  const std::string& metric = goal.metrics[limit];
  if (metric == headroom_metric)
    return fmt::format("with {} more requests it would not keep up (headroom {}, not {})",
                       percent_words(more_requests(*wanted.limit)), served_words(value),
                       percent_words(*wanted.limit));
  return fmt::format("{} is {}, {} {} the limit of {}", goal.title(metric), metric_words(metric, value),
                     percent_words(violation(wanted, value)), wanted.maximise ? "below" : "above",
                     bound_words(metric, *wanted.limit));
}

std::optional<std::size_t> better_objective(const Goal& goal,
                                            const std::vector<scenarios::Metric>& objectives,
                                            const std::vector<double>& best) {
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    if (!objectives[i]) return std::nullopt;
    const double gain = (goal.criteria[i].maximise ? 1 : -1) * relative_to(best[i], *objectives[i]);
    if (gain > goal.indifference) return i;
    if (gain < -goal.indifference) return std::nullopt;
  }
  return std::nullopt;
}

std::string sentence_of(const Goal& goal, const NextBetter& next) {
  const std::string& metric = goal.metrics[next.objective];
  return fmt::format("{} {}, {} {} than the best; but {}", goal.title(metric),
                     metric_words(metric, next.value), percent_words(next.gain),
                     goal.criteria[next.objective].maximise ? "more" : "less", why_not_chosen(goal, next));
}

std::string runner_up_sentence(const Goal& goal, const std::vector<double>& best,
                               const std::vector<double>& second) {
  const auto difference = [&](std::size_t i) { return relative_to(best[i], second[i]); };
  const auto against = [&](std::size_t i) {
    return fmt::format("its {} is {} {}: {} against {}", goal.title(goal.metrics[i]),
                       percent_words(difference(i)), difference(i) > 0 ? "higher" : "lower",
                       metric_words(goal.metrics[i], second[i]), metric_words(goal.metrics[i], best[i]));
  };
  std::size_t decides = 0;
  while (decides < goal.objectives && std::abs(difference(decides)) <= goal.indifference) ++decides;
  if (decides == 0 && second[0] != 0) {
    const double needed = std::abs(best[0] / second[0] - 1);
    return fmt::format("It would be the best if its {} were {} {}.", goal.title(goal.metrics[0]),
                       percent_words(needed), goal.criteria[0].maximise ? "higher" : "lower");
  }
  const std::string zone = percent_words(goal.indifference);
  if (decides < goal.objectives)
    return fmt::format("In {} the two are equal within {}; {}.", goal.title(goal.metrics[0]), zone,
                       against(decides));
  std::size_t widest = goal.objectives;
  for (std::size_t i = widest; i < goal.criteria.size(); ++i)
    if (std::abs(difference(i)) > std::abs(difference(widest))) widest = i;
  const std::string equal =
      fmt::format("In {} the two are equal within {}",
                  goal.objectives == 1 ? goal.title(goal.metrics[0]) : "all objectives", zone);
  return widest < goal.criteria.size() && std::abs(difference(widest)) > goal.indifference
             ? fmt::format("{}; {}.", equal, against(widest))
             : equal + ".";
}

std::optional<IfOff> if_off(const Goal& goal, const GradedPoint& point,
                            const std::function<scenarios::Result(const scenarios::Scenario&)>& run) {
  if (!point.error) return std::nullopt;
  const double factor = 1 + *point.error;
  const scenarios::Result result = run(on_slower_board(point.scenario, factor));
  const ResultMetrics metrics(result);
  const Evaluation slower = values_in(goal, metrics);
  IfOff off{*point.error, shortage_in(result), metrics.stable_share(), metrics.dropped()};
  for (std::size_t i = goal.objectives; i < goal.criteria.size(); ++i) {
    const std::string& metric = goal.metrics[i];
    const bool power = rests_on_power(metric);
    double value = 0;
    if (power && !point.power_error) return std::nullopt;
    if (power) {
      const double worse = 1 + *point.power_error;
      off.error = std::max(off.error, *point.power_error);
      value = goal.criteria[i].maximise ? point.values[i] / worse : point.values[i] * worse;
    } else if (metric == headroom_metric) {
      value = std::max(0.0, 1 - (1 - point.free_share.value_or(point.values[i])) * factor);
    } else if (slower) {
      value = in_scenario_time(metric, (*slower)[i], factor);
    } else if (off.shortage) {
      continue;  // latencies grow without bound
    } else {
      return std::nullopt;
    }
    if (violation(goal.criteria[i], value) > 0) off.missed.emplace_back(i, value);
  }
  return off;
}

std::string sentence_of(const Goal& goal, const IfOff& off) {
  std::vector<std::string> wrong;
  if (off.shortage)
    wrong.push_back(
        "the load would " + off.shortage->effect +
        (off.served ? fmt::format(" ({} of it could be served)", served_words(*off.served)) : ""));
  for (const auto& [limit, value] : off.missed)
    wrong.push_back(fmt::format("{} would come to {}", goal.title(goal.metrics[limit]),
                                metric_words(goal.metrics[limit], value)));
  if (off.dropped > 0)
    wrong.push_back(fmt::format("{} of the requests would be dropped at the limit of a queue",
                                percent_words(off.dropped)));
  const bool limited = goal.criteria.size() > goal.objectives;
  const bool met = !off.shortage && off.missed.empty();
  const char* const verdict = met            ? limited ? "all limits are still met" : "it still keeps up"
                              : off.shortage ? "it does not keep up"
                                             : "not all limits are met";
  return fmt::format("If the model is off by its usual {:.0f} %, {}{}{}", 100 * off.error, verdict,
                     wrong.empty() ? "" : ": ", fmt::join(wrong, ", "));
}

}  // namespace jostle::analyses
