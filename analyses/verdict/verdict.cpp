#include "analyses/verdict/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/in_words.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/entries.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/run/cpu_time.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/replications.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Constraint;
using scenarios::Interval;
using scenarios::Judged;
using scenarios::Metric;
using scenarios::ProcessResult;
using scenarios::Result;

// The prediction interval beside a metric: in its own object, or in that of its statistic.
Interval interval_at(const ResultMetrics& metrics, std::string path) {
  constexpr std::string_view mean = ".mean";
  if (path.ends_with(mean)) path.resize(path.size() - mean.size());
  const std::size_t dot = path.rfind('.');
  for (const std::string& pair : {path + ".pi90", path.substr(0, dot) + ".pi90" + path.substr(dot)}) {
    const Metric low = metrics.find(pair + ".0", Worst::least);
    const Metric high = metrics.find(pair + ".1", Worst::least);
    if (low) return std::pair(*low, high.value_or(std::numeric_limits<double>::infinity()));
  }
  return std::nullopt;
}

// A process that a path means, and the metric's path of it.
struct Meant {
  const ProcessResult* process;
  std::string path;
};
std::vector<Meant> meant(const std::string& metric, NumbersOf numbers, const Result& result) {
  std::vector<Meant> found;
  const auto path = scenarios::process_path(metric);
  if (!path) return found;
  std::string_view rest = path->metric;
  if (rest.starts_with("*.")) rest.remove_prefix(2);
  scenarios::in_order(
      result,
      [&](const ProcessResult& process, const scenarios::Place& place) {
        const auto number =
            static_cast<std::size_t>(numbers == NumbersOf::entries ? place.entry : place.index);
        if (path->place && *path->place != number) return;
        if (!path->place && rest.starts_with("tokens") && !process.tokens) return;
        found.push_back({&process, fmt::format("processes.{}.{}", place.index, rest)});
      },
      [](const scenarios::LoadResult&, const scenarios::Place&) {});
  return found;
}

// A lower percentile that is above the limit already, where the run is too short for the one asked for: the
// answer is no. "p90 7.2 ms"; else empty.
std::string above_already(const std::string& path, double limit, const ResultMetrics& metrics) {
  const std::size_t at = path.rfind(".p");
  if (at == std::string::npos) return {};
  for (const char* const lower : {"p95", "p90", "p50"}) {
    const Metric value = metrics.find(path.substr(0, at + 1) + lower, Worst::greatest);
    if (value && *value > limit) return fmt::format("{} {} ms", lower, input::decimal(*value, 3));
  }
  return {};
}

std::string served_words(const ProcessResult& process) {
  if (!process.offered || !process.throughput.mean) return {};
  return fmt::format("{} of {} {}", input::decimal(*process.throughput.mean, 3),
                     input::decimal(*process.offered, 3), process.throughput.unit);
}

// The metric of the worst process beside its limit, not judged yet.
Judged worst_value(const std::string& metric, bool least, const Metric& limit, NumbersOf numbers,
                   const Result& result) {
  const ResultMetrics metrics(result);
  Judged judged;
  judged.metric = metric;
  judged.unit = metric_unit(metric).name;
  judged.limit = limit;
  judged.least = least;
  const auto path = scenarios::process_path(metric);
  const scenarios::ObjectiveMetric* const row = scenarios::metric_row(path ? path->metric : metric);
  const std::string words = row != nullptr ? std::string(row->words) : metric;
  const std::vector<Meant> all = meant(metric, numbers, result);
  if (!all.empty()) judged.entry = all.front().process->entry;
  judged.words = all.empty() ? words : fmt::format("{} {}", called(*all.front().process), words);
  if (all.empty()) {
    judged.value = metrics.find(metric, least ? Worst::least : Worst::greatest);
    judged.pi90 = interval_at(metrics, metric);
    return judged;
  }
  for (const Meant& one : all) {
    const Metric value = metrics.find(one.path, Worst::greatest);
    const bool grows = one.process->stable == false && !value;
    const bool worse = !judged.value || (value && (least ? *value < *judged.value : *value > *judged.value));
    if (!grows && value && !worse) continue;
    judged.words = fmt::format("{} {}", called(*one.process), words);
    judged.value = value;
    judged.pi90 = interval_at(metrics, one.path);
    judged.grows = grows;
    judged.served = grows ? served_words(*one.process) : std::string();
    judged.unstable_share = one.process->unstable_share;
    judged.entry = one.process->entry;
    if (grows || !value) break;
  }
  if (judged.value || judged.grows || least || !limit) return judged;
  for (const Meant& one : all) {
    judged.already = above_already(one.path, *limit, metrics);
    if (judged.already.empty()) continue;
    judged.words = fmt::format("{} {}", called(*one.process), words);
    judged.entry = one.process->entry;
    break;
  }
  return judged;
}

// The relative distance to the limit: negative if it is missed.
double room_left(const Judged& judged) {
  if (judged.grows) return -1e9;
  if (!judged.value || !judged.limit) return 0;
  return room_to(*judged.limit, judged.least, *judged.value);
}

// "yes", and how sure: of the interval if there is one, else of the usual error.
std::string answer_of(const Judged& judged) {
  if (!judged.met) return "not known, the run is too short";
  std::string answer = *judged.met ? "yes" : "no";
  const int agree = *judged.met ? judged.draws_met : judged.draws - judged.draws_met;
  if (agree < judged.draws) answer += fmt::format(", in {} of {} draws of the requests", agree, judged.draws);
  if (!judged.pi90 || !judged.limit) return answer;
  const auto& [low, high] = *judged.pi90;
  if (*judged.limit <= low || *judged.limit >= high) return answer;
  return answer + (*judged.met ? ", but not on every board" : ", but on some boards");
}

}  // namespace

double room_to(double limit, bool least, double value) {
  return (least ? value - limit : limit - value) / std::max(std::abs(limit), 1e-12);
}

AskedLimits limits_of(const scenarios::Scenario& scenario) {
  if (!scenario.constraints.empty()) return {scenario.constraints};
  if (scenario.objective) return {{Constraint{*scenario.objective, {}, {}}}};
  return {};
}

namespace {

void decide(Judged& one) {
  one.met.reset();
  if (!one.limit) return;
  if (one.grows || !one.already.empty())
    one.met = false;
  else if (one.value)
    one.met = one.least ? *one.value >= *one.limit : *one.value <= *one.limit;
}

}  // namespace

std::vector<Judged> judged(const AskedLimits& limits, const Result& result) {
  std::vector<Judged> all;
  const auto add = [&](const Constraint& constraint, bool least, const std::optional<double>& limit) {
    Judged one = worst_value(constraint.metric, least, limit, limits.numbers, result);
    decide(one);
    all.push_back(std::move(one));
  };
  for (const Constraint& constraint : limits.constraints) {
    if (constraint.min) add(constraint, true, constraint.min);
    if (constraint.max || !constraint.min) add(constraint, false, constraint.max);
  }
  return all;
}

std::vector<Judged> judged(const AskedLimits& limits, const std::vector<Result>& results) {
  std::vector<Judged> means = judged(limits, results.front());
  for (std::size_t run = 1; run < results.size(); ++run) {
    const std::vector<Judged> other = judged(limits, results[run]);
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i].grows = means[i].grows || other[i].grows;
      const bool both = means[i].value && other[i].value;
      if (other[i].already.empty()) means[i].already.clear();
      means[i].value = both ? Metric(*means[i].value + *other[i].value) : std::nullopt;
    }
  }
  for (Judged& one : means) {
    if (one.value) *one.value /= static_cast<double>(results.size());
    one.pi90.reset();
    decide(one);
  }
  return means;
}

void add_draws(std::vector<Judged>& all, const AskedLimits& limits, const std::vector<Result>& others) {
  const auto add = [](Judged& one, const Judged& draw) {
    ++one.draws;
    one.draws_met += draw.met == true ? 1 : 0;
    if (!draw.value || (one.draws > 1 && !one.range))
      one.range.reset();
    else if (one.draws == 1)
      one.range = std::pair(*draw.value, *draw.value);
    else
      one.range =
          std::pair(std::min(one.range->first, *draw.value), std::max(one.range->second, *draw.value));
  };
  for (Judged& one : all) add(one, one);
  for (const Result& result : others) {
    const std::vector<Judged> draws = judged(limits, result);
    for (std::size_t i = 0; i < all.size(); ++i) add(all[i], draws[i]);
  }
}

std::string usual_error_words(const std::string& grade) {
  if (grade.empty()) return {};
  return fmt::format("real boards differ by {}, grade {}", scenarios::usual_error(grade), grade);
}

std::string grade_of_metric(const std::string& metric, const Result& result) {
  return rests_on_power(metric) ? scenarios::power_grade(result).value_or("") : lowest(result);
}

std::string value_words(const Judged& judged) {
  return input::decimal(*judged.value, std::abs(*judged.value) < 1000 ? 3 : 4) +
         (judged.unit.empty() ? "" : " " + judged.unit);
}

std::string limit_phrase(const Judged& judged) {
  return fmt::format("{} {}", judged.least ? "at least" : "under", input::decimal(*judged.limit, 6));
}

std::string band_words(const Interval& pi90, const std::string& unit) {
  const auto& [low, high] = *pi90;
  return std::isinf(high) ? fmt::format("{}{} and more", input::decimal(low, 3), unit)
                          : fmt::format("{} to {}{}", input::decimal(low, 3), input::decimal(high, 3), unit);
}

std::string too_slow_words(const Metric& share) {
  return fmt::format("{:.0f} of 10 boards do not keep up, latency grows there",
                     std::max(1.0, std::round(10 * share.value_or(0))));
}

std::string sentence_of(const Judged& judged, const std::string& usual) {
  std::string text = judged.words;
  if (judged.grows)
    text += " grows without bound" + (judged.served.empty() ? "" : ", " + judged.served + " are served");
  if (!judged.already.empty()) text += fmt::format(" (at least its {})", judged.already);
  if (judged.value) text += " " + value_words(judged);
  constexpr double noticeable = 1.1;
  if (judged.range && judged.range->second > noticeable * judged.range->first)
    text += fmt::format(", {} by the draw of requests", band_words(judged.range, ""));
  const auto ends = [&] {
    return std::pair(input::decimal(judged.pi90->first, 3), input::decimal(judged.pi90->second, 3));
  };
  if (judged.pi90 && ends().first != ends().second)  // else all serve what is asked for
    text += fmt::format(" (9 of 10 boards: {}{})", band_words(judged.pi90, ""),
                        std::isinf(judged.pi90->second) ? "; " + too_slow_words(judged.unstable_share) : "");
  else if (judged.value && !judged.pi90 && !usual.empty())
    text += fmt::format(" ({})", usual);
  if (!judged.limit) return text;
  return fmt::format("{}, {}: {}", text, limit_phrase(judged), answer_of(judged));
}

scenarios::Verdict verdict_of(std::vector<Judged> all, std::optional<scenarios::Breaks> breaks,
                              const GradeOfMetric& grade_of) {
  const auto order = [](const Judged& one) {  // missed ones first, then unknown ones, then the nearest
    return std::pair(one.met == false ? 0 : one.limit && !one.met ? 1 : 2, room_left(one));
  };
  const Judged& decides = *std::ranges::min_element(all, {}, order);
  scenarios::Verdict verdict{.question = {},
                             .text = sentence_of(decides, usual_error_words(grade_of(decides.metric))),
                             .metric = decides.metric,
                             .value = decides.value,
                             .pi90 = decides.pi90,
                             .limit = decides.limit,
                             .met = decides.met,
                             .breaks = std::nullopt,
                             .limits = {}};
  const auto others = [&](const char* form, auto counts) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const Judged& one) { return &one != &decides && counts(one); }));
    if (count > 0) verdict.text += fmt::format(fmt::runtime(form), input::counted(count, "other limit"));
  };
  others("; {} missed", [](const Judged& one) { return one.met == false; });
  others("; {} met", [](const Judged& one) { return one.met == true; });
  if (verdict.met == true && breaks) {
    verdict.text += "; " + breaks->text;
    verdict.breaks = std::move(breaks);
  }
  verdict.limits = std::move(all);
  return verdict;
}

std::string networks_of(const Result& result) {
  std::vector<std::string> all;
  for (std::size_t first = 0, end = 0; first < result.processes.size(); first = end) {
    const ProcessResult& one = result.processes[first];
    while (end < result.processes.size() && result.processes[end].entry == one.entry) ++end;
    all.push_back((end - first > 1 ? fmt::format("{} x ", end - first) : "") +
                  (one.model.empty() ? called(one) : one.model) +
                  (one.precision ? " " + *one.precision : "") + (one.training ? " training" : ""));
  }
  return input::listed(all);
}

std::string question_of(const Result& result, const std::string& board) {
  const std::string networks = networks_of(result);
  const bool several = result.processes.size() > 1;
  std::vector<std::string> limits;
  for (const Judged& one : result.verdict ? result.verdict->limits : std::vector<Judged>()) {
    if (!one.limit) continue;
    const auto path = scenarios::process_path(one.metric);
    const auto* const row = path && !path->place && several ? scenarios::metric_row(path->metric) : nullptr;
    limits.push_back(fmt::format("{} {}{}{}", row ? std::string(row->words) + " of each" : one.words,
                                 limit_phrase(one), one.unit.empty() ? "" : " ", one.unit));
  }
  if (!limits.empty())
    return fmt::format("Does {}, keep {}, running {}", board, input::listed(limits), networks);
  const auto talks = [](const ProcessResult& process) { return process.tokens.has_value(); };
  const char* const unit = std::ranges::all_of(result.processes, talks)    ? "tokens"
                           : std::ranges::none_of(result.processes, talks) ? "images"
                                                                           : "images or tokens";
  return fmt::format("How many {} a second {} {} get on {}, and how long does {} take", unit,
                     several ? "do" : "does", networks, board, several ? "each" : "one");
}

namespace {

// The results of four more seeds. Throws Interrupted.
std::vector<Result> other_draws(const scenarios::Scenario& scenario, const scenarios::RunControl& control) {
  std::vector<Result> all(4);
  scenarios::parallel_for(all.size(), [&](std::size_t i) {
    scenarios::Scenario other = scenario;
    other.run.seed = scenarios::replication_seed(scenario.run.seed, i + 1);
    scenarios::RunControl quiet;
    quiet.interrupt = control.interrupt;
    auto result = scenarios::run(other, quiet);
    if (!result) throw scenarios::Interrupted();
    all[i] = std::move(*result);
  });
  return all;
}

}  // namespace

void judge(Result& result, const scenarios::Scenario& scenario, const scenarios::RunControl* control) {
  const AskedLimits limits = limits_of(scenario);
  if (limits.constraints.empty()) return;
  std::vector<Judged> all = judged(limits, result);
  std::optional<scenarios::Breaks> breaks;
  if (control != nullptr && scenario.run.replications == 1)
    add_draws(all, limits, other_draws(scenario, *control));
  const auto sure = [](const Judged& one) { return one.met == true && one.draws_met == one.draws; };
  if (control != nullptr && std::ranges::all_of(all, sure)) breaks = breaks_of(scenario, limits, *control);
  result.verdict = verdict_of(std::move(all), std::move(breaks),
                              [&](const std::string& metric) { return grade_of_metric(metric, result); });
  result.verdict->question = question_of(result, scenarios::in_words(result.resolved).board);
}

std::optional<Result> run_and_judge(const scenarios::Scenario& scenario, const scenarios::RunControl& control,
                                    const profiles::Profile* profile) {
  double expected_s = 0;
  scenarios::RunControl own = control;
  own.expected = [&](double cpu_seconds) {
    expected_s = cpu_seconds;
    if (control.expected) control.expected(cpu_seconds);
  };
  auto result = profile != nullptr ? scenarios::run(scenario, *profile, own) : scenarios::run(scenario, own);
  if (!result) return result;
  const bool soon = runs_of_breaks * expected_s <= scenarios::worth_telling_s;
  judge(*result, scenario, soon ? &control : nullptr);
  if (soon) find_room(*result, scenario, control);
  return result;
}

}  // namespace jostle::analyses
