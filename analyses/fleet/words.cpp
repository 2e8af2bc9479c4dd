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

// ", price 747 USD", of a fleet with rented kinds ", price 747 USD, 0.0284 USD an hour"; empty: neither is
// known.
std::string money_words(const Fleet& fleet, const FleetChoice& choice) {
  std::string text;
  if (choice.price) text = fmt::format(", price {:.6g}{}", *choice.price, fleet.currency);
  if (choice.cost_per_hour && !all_bought(fleet))
    text += fmt::format(", {:.3g}{} an hour", *choice.cost_per_hour, fleet.currency);
  return text;
}

// A limit in a state of the fleet.
struct JudgedInState {
  scenarios::Judged judged;
  const FleetState* state;

  // True if it holds, but not on a slow board, of which no interval is known.
  [[nodiscard]] bool missed_if_slow() const {
    return judged.met == true && !judged.pi90 && state->missed_if_slow;
  }
};

// A limit in every state of the fleet; without limits its latency.
std::vector<JudgedInState> judged_in_states(const FleetChoice& choice, const Criterion& limit,
                                            const std::string& metric, std::optional<std::size_t> index) {
  std::vector<JudgedInState> all;
  for (const FleetState& state : choice.states) {
    if (!index && !state.p99_ms) continue;
    const std::size_t at = index.value_or(state.values.size());
    all.push_back({judged(limit, metric, index ? state.values[at] : *state.p99_ms,
                          state.intervals.empty() ? std::nullopt : state.intervals[at]),
                   &state});
    if (!state.when.empty()) all.back().judged.words += " " + state.when;
  }
  return all;
}

// A limit has to hold in all states, so the one counts in which it is nearest at the worse end of its
// interval, or which a slow board does not carry.
const JudgedInState& nearest(const std::vector<JudgedInState>& states) {
  return *std::ranges::min_element(states, {}, [](const JudgedInState& each) {
    const scenarios::Judged& one = each.judged;
    const double worse = one.pi90 ? (one.least ? one.pi90->first : one.pi90->second) : one.value.value_or(0);
    return std::pair(!each.missed_if_slow(), room_to(one.limit.value_or(1), one.least, worse));
  });
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

// "; p99 latency 53.3 ms in the busiest hour, 38.5 ms with 1 lost: with more frames a batch of 2 fills
// sooner"
std::string states_words(const FleetChoice& choice) {
  std::string text;
  bool falls = false;
  for (const FleetState& state : choice.states) {
    if (!state.p99_ms || state.when.empty()) continue;
    const FleetState& first = choice.states.front();
    const double more = static_cast<double>(state.cameras) * state.rate_per_s -
                        static_cast<double>(first.cameras) * first.rate_per_s;
    falls = falls || more * (*state.p99_ms - first.p99_ms.value_or(0)) < 0;
    text += fmt::format("{}{} {}", text.empty() ? "p99 latency is " : ", ",
                        metric_words(fleet_latency, *state.p99_ms), state.when);
  }
  return falls && choice.batch > 1
             ? fmt::format("{}: with more frames a batch of {} fills sooner", text, choice.batch)
             : text;
}

}  // namespace

std::string setting_words(const std::optional<std::string>& power_mode, const std::string& settings) {
  std::string text = power_mode ? " in mode " + *power_mode : "";
  if (settings != "{}") text += " (" + plain_settings(settings) + ")";
  return text;
}

Bill bill_of(const FleetChoice& choice) {
  return {choice.boards, choice.power_w, choice.price, choice.cost_per_hour};
}

bool all_bought(const Fleet& fleet) {
  return std::ranges::all_of(fleet.choices, [](const FleetChoice& of) { return of.price.has_value(); });
}

std::int64_t boards_if(const Fleet& fleet, std::int64_t cameras) {
  const std::int64_t carries = std::max<std::int64_t>(1, cameras);
  return (fleet.cameras + carries - 1) / carries + fleet.spare;
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
        "the busiest hour, {} times the mean, takes {}, and {} W in that hour{}",
        input::decimal(fleet.peak, 3), more_than(*choice.for_mean, choice.without_spare.value_or(whole)),
        input::decimal(choice.without_spare ? choice.without_spare->power_w : choice.power_w, 3),
        choice.without_spare ? " without spare boards"
                             : fmt::format(", {} in the mean of the day", input::decimal(choice.day_w, 3))));
  if (choice.without_spare)
    found.push_back(fmt::format("that {} may be lost takes {}, {} W in place of {}",
                                input::counted(fleet.spare, "board"), more_than(*choice.without_spare, whole),
                                input::decimal(choice.power_w, 3),
                                input::decimal(choice.without_spare->power_w, 3)));
  if (std::string states = states_words(choice); !states.empty()) found.push_back(std::move(states));
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
    verdict.text = "no kind of board carries these cameras within the limits";
    verdict.met = false;
    verdict.question = question_of(fleet);
    return verdict;
  }
  const FleetChoice& first = fleet.choices.front();
  std::vector<scenarios::Judged> all, told;
  const FleetState* slow = nullptr;  // in which a slow board does not carry its cameras
  const auto add = [&](const std::vector<JudgedInState>& states) {
    if (states.empty()) return;
    const JudgedInState& one = nearest(states);
    all.push_back(one.judged);
    if (one.missed_if_slow()) slow = one.state;
    for (const JudgedInState& each : states) told.push_back(each.judged);
  };
  for (std::size_t i = 0; i < fleet.goal.criteria.size(); ++i)
    if (fleet.goal.metrics[i] != headroom_metric)
      add(judged_in_states(first, fleet.goal.criteria[i], fleet.goal.metrics[i], i));
  if (all.empty()) add(judged_in_states(first, {false, std::nullopt}, fleet_latency, std::nullopt));
  if (!all.empty())
    verdict = verdict_of(std::move(all), {}, [&](const std::string& metric) {
      return slow != nullptr ? "" : rests_on_power(metric) ? first.power_grade.value_or("") : first.grade;
    });
  verdict.limits = std::move(told);
  if (slow != nullptr)
    verdict.text +=
        fmt::format(", but not on every board: one that is {:.0f} % slower carries {} of these {}",
                    100 * first.if_off->error, first.if_off->slow, input::counted(slow->cameras, "camera"));
  if (slow != nullptr && first.strongest && first.strongest->slow > first.if_off->slow)
    verdict.text += fmt::format(", or {}{}", first.strongest->slow, first.strongest->setting);
  const std::string lost =
      fleet.spare > 0 ? fmt::format(", {} of which may be lost", fleet.spare) : std::string();
  verdict.text = fmt::format("{}{}{}: {}{}{}{}", fleet_name(fleet, first),
                             setting_words(first.modes > 1 ? first.power_mode : std::nullopt, first.settings),
                             lost, verdict.text, verdict.text.empty() ? "" : "; ", watts_words(first),
                             money_words(fleet, first));
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
