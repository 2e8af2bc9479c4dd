// The answer of a fleet plan in words.
#include "analyses/plan/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyses/fleet/fleet.hpp"
#include "analyses/metrics/metric.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/verdict/verdict.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"

namespace jostle::analyses {
namespace {

constexpr const char* fleet_latency = "processes.latency_ms.p99";

// ", price 747", of a fleet with rented kinds ", price 747, 0.0284 an hour"; empty: neither is known.
std::string money_words(const Fleet& fleet, const FleetChoice& choice) {
  std::string text;
  if (choice.price) text = fmt::format(", price {:.6g}", *choice.price);
  if (choice.cost_per_hour && !all_bought(fleet))
    text += fmt::format(", {:.3g} an hour", *choice.cost_per_hour);
  return text;
}

// The limits of the first choice, or its latency without any.
std::vector<scenarios::Judged> judged_limits(const Fleet& fleet, const FleetChoice& choice) {
  std::vector<scenarios::Judged> all;
  for (std::size_t i = 0; i < choice.values.size(); ++i)
    if (fleet.goal.metrics[i] != headroom_metric)
      all.push_back(
          judged(fleet.goal.criteria[i], fleet.goal.metrics[i], choice.values[i], choice.intervals[i]));
  if (all.empty() && choice.p99_ms)
    all.push_back(judged({false, std::nullopt}, fleet_latency, *choice.p99_ms, choice.p99_pi90));
  return all;
}

// The boards and the price that a fleet takes beyond one planned for less: "3 boards in place of 2 and a
// price of 249 more".
std::string more_than(const Bill& less, const Bill& more) {
  std::string text =
      less.boards == more.boards
          ? fmt::format("no board more than {}", less.boards)
          : fmt::format("{} in place of {}", input::counted(more.boards, "board"), less.boards);
  if (less.boards == more.boards) return text;
  if (more.price && less.price)
    text += fmt::format(" and a price of {:.6g} more", *more.price - *less.price);
  else if (more.cost_per_hour && less.cost_per_hour)
    text += fmt::format(" and {:.3g} an hour more", *more.cost_per_hour - *less.cost_per_hour);
  return text;
}

}  // namespace

Bill bill_of(const FleetChoice& choice) {
  return {choice.boards, choice.power_w, choice.price, choice.cost_per_hour};
}

bool all_bought(const Fleet& fleet) {
  return std::ranges::all_of(fleet.choices, [](const FleetChoice& of) { return of.price.has_value(); });
}

std::string carries_sentence(const FleetChoice& choice) {
  const OverloadDistance& overload = choice.overload;
  std::string text = input::counted(choice.capacity, "camera");
  if (!overload.overloads_at) return fmt::format("{}; up to {} would keep up", text, overload.carries);
  if (choice.more_cameras && choice.more_cameras->cameras < *overload.overloads_at)
    text +=
        fmt::format("; {} would miss a limit ({})", choice.more_cameras->cameras, choice.more_cameras->why);
  return fmt::format("{}; {} would {} at {} frames/s", text, *overload.overloads_at, overload.shortage.effect,
                     input::decimal(overload.load.rate_per_s.value_or(0), 4));
}

std::string watts_words(const FleetChoice& choice) {
  const std::string server = choice.boards == 1 ? "its server" : "their servers";
  return input::decimal(choice.power_w, 3) + " W" +
         (choice.host_w    ? " with " + server
          : choice.is_card ? " without " + server
                           : std::string());
}

std::string fleet_name(const Fleet& fleet, const FleetChoice& choice) {
  const bool links =
      std::ranges::any_of(fleet.choices, [](const FleetChoice& of) { return of.rtt_ms.has_value(); });
  const std::string text = fmt::format("{} x {}", choice.boards, choice.device);
  if (choice.rtt_ms) return fmt::format("{} at {} ms", text, input::decimal(*choice.rtt_ms, 3));
  return links ? text + " here" : text;
}

std::vector<std::string> margin_costs(const Fleet& fleet, const FleetChoice& choice) {
  std::vector<std::string> found;
  const Bill whole = bill_of(choice);
  if (choice.for_mean)
    found.push_back(fmt::format(
        "the busiest hour, {} times the mean, takes {}, and {} W in that hour, {} in "
        "the mean of the day",
        input::decimal(fleet.peak, 3), more_than(*choice.for_mean, choice.without_spare.value_or(whole)),
        input::decimal(choice.power_w, 3), input::decimal(choice.day_w, 3)));
  if (choice.without_spare)
    found.push_back(fmt::format("that {} may be lost takes {}, {} W in place of {}; p99 {}, {} once {} lost",
                                input::counted(fleet.spare, "board"), more_than(*choice.without_spare, whole),
                                input::decimal(choice.power_w, 3),
                                input::decimal(choice.without_spare->power_w, 3),
                                metric_words(fleet_latency, choice.p99_ms.value_or(0)),
                                metric_words(fleet_latency, choice.lost_p99_ms.value_or(0)),
                                fleet.spare == 1 ? "it is" : "they are"));
  return found;
}

namespace {

std::string question_of(const Fleet& fleet) {
  std::vector<std::string> limits;
  for (std::size_t i = 0; i < fleet.goal.criteria.size(); ++i)
    limits.push_back(criterion_words(fleet.goal.metrics[i], fleet.goal.criteria[i]));
  std::string busy;
  if (fleet.peak != 1)
    busy = fmt::format(", {} in the busiest hour", input::decimal(fleet.rate_per_s * fleet.peak, 3));
  if (fleet.spare > 0) busy += fmt::format(", also with {} lost", input::counted(fleet.spare, "board"));
  return fmt::format("Which boards, and how many, carry {} at {:.4g} frames/s each{}{}{}",
                     input::counted(fleet.cameras, "camera"), fleet.rate_per_s, busy,
                     limits.empty() ? "" : ", with ", fmt::join(limits, ", "));
}

}  // namespace

scenarios::Verdict verdict_of(const Fleet& fleet) {
  scenarios::Verdict verdict;
  if (fleet.choices.empty()) {
    verdict.text = "no kind of board carries a camera within the limits";
    verdict.met = false;
    verdict.question = question_of(fleet);
    return verdict;
  }
  const FleetChoice& first = fleet.choices.front();
  std::vector<scenarios::Judged> all = judged_limits(fleet, first);
  if (!all.empty())
    verdict = verdict_of(std::move(all), {}, [&](const std::string& metric) {
      return rests_on_power(metric) ? first.power_grade.value_or("") : first.grade;
    });
  std::string lost;
  if (fleet.spare > 0)
    lost = fmt::format(", {} of which may be lost (p99 then {})", fleet.spare,
                       metric_words(fleet_latency, first.lost_p99_ms.value_or(0)));
  verdict.text = fmt::format("{}{}: {}{}{}{}", fleet_name(fleet, first), lost, verdict.text,
                             verdict.text.empty() ? "" : "; ", watts_words(first), money_words(fleet, first));
  if (fleet.choices.size() > 1) {
    const FleetChoice& next = fleet.choices[1];
    verdict.text +=
        fmt::format("; or {}: {}{}{}", fleet_name(fleet, next),
                    next.p99_ms ? "p99 " + metric_words(fleet_latency, *next.p99_ms) + ", " : std::string(),
                    watts_words(next), money_words(fleet, next));
  }
  verdict.question = question_of(fleet);
  return verdict;
}

}  // namespace jostle::analyses
