#include "analyses/plan/if_off.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyses/plan/words.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/study/slower.hpp"

namespace jostle::analyses {

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
    wrong.push_back(fmt::format("{} would come to {}", metric_title(goal.metrics[limit]),
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
