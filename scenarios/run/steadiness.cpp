#include "scenarios/run/steadiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "input/units.hpp"
#include "sim/settling.hpp"

namespace jostle::scenarios {
namespace {

using sim::IntervalMeans;

std::span<const double> measured(const IntervalMeans& series, const Window& window) {
  return std::span(series.values()).subspan(series.from(window.begin));
}

Metric settled_after_s(const IntervalMeans& series) {
  const auto cut = sim::mser5(series.values());
  if (!cut) return std::nullopt;
  return sim::to_seconds(series.interval() * static_cast<std::int64_t>(*cut));
}

std::string span_of(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

const char* advice(const Run& run) {
  return run.thermal == ThermalStart::equilibrium ? "simulate longer to see it"
                                                  : "run: {thermal: equilibrium} starts there";
}

// A warning about clocks or power that heat still changes; empty if the change is insignificant.
std::string heat_warning(const Heat& heat, const Watched& watched) {
  const char* const then = advice(watched.run);
  if (heat.thermal.down()) return "the board shut down because of its temperature";
  const double percent = 100 * (heat.settled_w / heat.watts - 1);
  if (heat.held) {
    if (!heat.moves(steady_within)) return {};
    return fmt::format(
        "clocks are held down by heat and still move: power is {:.3g} W, and {:.3g} W keep {:.0f} degC; {}",
        heat.watts, heat.settled_w, heat.celsius, then);
  }
  const double now = heat.thermal.celsius(), after = sim::to_seconds(heat.ahead.after);
  if (heat.ahead.trips)
    return fmt::format("temperature: {:.0f} degC now, {:.0f} degC in about {}, where {}; {}", now,
                       heat.ahead.celsius, span_of(after),
                       heat.lowest ? "the board shuts down" : "clocks are lowered", then);
  if (!heat.moves(steady_within)) return {};
  return fmt::format(
      "temperature: {:.0f} degC now, {:.0f} degC in about {}, and power {:.4g} W instead of {:.4g} ({:+.1f} "
      "%); {}",
      now, heat.ahead.celsius, span_of(after), heat.settled_w, heat.watts, percent, then);
}

// True if heat will change clocks, and therefore throughput.
bool heat_moves_clocks(const Watched& watched) {
  if (!watched.heat) return false;
  const Heat& heat = *watched.heat;
  if (heat.thermal.down()) return true;
  if (heat.held) return heat.moves(steady_within);
  return heat.ahead.trips ||
         (heat.moves(steady_within) && heat.settled_w >= watched.dvfs->controllers().limit_w() &&
          heat.settled_w > heat.watts);
}

struct Drift {
  std::optional<bool> there;  // none: not enough data
  std::string warning;
};

Drift drift_of(std::span<const double> numbers, double lump, const std::string& what, const char* unit) {
  const auto found = sim::halves(numbers, lump);
  if (!found) return {};
  Drift drift{found->differ(steady_within), {}};
  if (*drift.there)
    drift.warning = fmt::format("{}: {} {} in the first half of the run, {} in the second", what,
                                input::decimal(found->first, 4), unit, input::decimal(found->second, 4));
  return drift;
}

std::string numbered(const ProcessResult& process) {
  return fmt::format("process {} ({})", process.index, called(process));
}

Drift throughput_drift(const ProcessResult& process, std::size_t running, const Watched& watched) {
  const IntervalMeans& series = watched.throughput.of_process(running);
  const auto numbers = measured(series, watched.window);
  const std::size_t half = numbers.size() / 2;
  const double half_s = sim::to_seconds(series.interval()) * static_cast<double>(half);
  if (half_s <= 0) return {};
  return drift_of(numbers, static_cast<double>(process.batch) / half_s, numbered(process), "images/s");
}

// True if no steady state is expected: a set-up, a number of batches or a trace.
bool follows_a_plan(const process::Spec& spec) {
  return spec.setup || spec.batches || spec.arrivals.kind == process::ArrivalKind::trace;
}

double mean_of(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// True if leaving out the values before `settled_s` changes the mean of the measured time by more than
// tolerance and chance.
bool start_matters(const IntervalMeans& series, const Window& window, double settled_s) {
  const std::size_t begin = series.from(window.begin),
                    cut = series.from(sim::Time::zero() + sim::seconds(settled_s));
  const std::span<const double> all(series.values());
  if (cut <= begin || all.size() - cut < 2 * sim::BatchMeans::fewest_batches) return false;
  const auto rest = all.subspan(cut);
  sim::BatchMeans means;
  for (const double x : rest) means.add(x);
  const auto interval = means.ci95();
  const double settled = mean_of(rest), start = mean_of(all.subspan(begin, cut - begin));
  const double bias = std::fabs(mean_of(all.subspan(begin)) - settled);
  if (!interval || bias <= steady_within / 2 * settled) return false;
  // The difference must be far larger than chance in a mean over the start alone, since MSER-5 cuts where
  // chance is worst.
  constexpr double far = 2;
  const double share = static_cast<double>(rest.size()) / static_cast<double>(cut - begin);
  return std::fabs(start - settled) >
         far * (interval->high - interval->low) * std::max(1.0, std::sqrt(share));
}

// True if the measured time contains a part of the first transient that matters. Random requests are not
// judged: their variation can be hidden by a busy queue for seconds.
bool add_warmup(Result& result, const Watched& watched, bool at_random) {
  Warmup& warmup = result.warmup;
  warmup.set_s = sim::to_seconds(watched.window.begin - sim::Time::zero());
  warmup.throughput_s = settled_after_s(watched.throughput.total());
  std::vector<std::pair<const char*, const IntervalMeans*>> judged{
      {"throughput", &watched.throughput.total()}};
  std::vector<Metric> found{warmup.throughput_s};
  if (watched.dvfs != nullptr) {
    warmup.power_s = settled_after_s(watched.dvfs->account().power_series());
    warmup.temperature_s = settled_after_s(watched.dvfs->account().heat_series());
    judged.emplace_back("power", &watched.dvfs->account().power_series());
    found.push_back(warmup.power_s);
  }
  bool too_short = false;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const auto& [what, series] = judged[i];
    // At the trip point, power oscillates for as long as the load lasts.
    if (at_random || (watched.heat && watched.heat->held)) continue;
    if (!found[i] || *found[i] <= warmup.set_s || !start_matters(*series, watched.window, *found[i]))
      continue;
    too_short = true;
    result.warnings.push_back(fmt::format("{} settles only after {} s: set warmup to {} s or more", what,
                                          input::decimal(*found[i], 2),
                                          input::decimal(std::ceil(10 * *found[i]) / 10, 6)));
  }
  return too_short;
}

// True if the board was still filling up when the measured time began: a request that found it empty was not
// yet answered, by a margin that matters. The warning names the process with the longest latency.
bool add_first_answers(Result& result, const Watched& watched,
                       const std::deque<process::Inference>& processes) {
  const ProcessResult* slowest = nullptr;
  std::size_t running = 0;
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok" || follows_a_plan(processes[running++].spec())) continue;
    if (slowest == nullptr || process.latency_ms.mean > slowest->latency_ms.mean) slowest = &process;
  }
  if (slowest == nullptr) return false;
  const double answer_s = slowest->latency_ms.mean.value_or(0) / 1e3;
  if (answer_s - result.warmup.set_s <= steady_within / 2 * watched.window.seconds()) return false;
  result.warnings.push_back(fmt::format(
      "the warm-up of {:.3g} s is shorter than an answer of {}, {:.3g} s: warmup: {:.2g} s or more",
      result.warmup.set_s, numbered(*slowest), answer_s, std::ceil(10 * answer_s) / 10));
  return true;
}

// The minimum number of service quanta: fewer of them do not show how much the next ones differ.
constexpr std::uint64_t fewest_lumps = 64;

std::optional<double> relative(const std::optional<sim::Interval>& interval, std::optional<double> value) {
  if (!interval || !value || *value == 0) return std::nullopt;
  return (interval->high - interval->low) / 2 / *value;
}

// The half-width of the interval of the p-quantile of latencies, divided by the quantile.
std::optional<double> of_quantile(const process::Inference& process, double p) {
  return relative(process.latencies().series().quantiles_known({p}).front().ci95,
                  process.latency().quantile(p));
}

std::optional<double> of_latency(const process::Inference& process, Precise metric) {
  switch (metric) {
    case Precise::latency_p50:
      return of_quantile(process, 0.50);
    case Precise::latency_p90:
      return of_quantile(process, 0.90);
    case Precise::latency_p99:
      return of_quantile(process, 0.99);
    default:
      return relative(process.latencies().series().mean_ci95(), process.latency().mean());
  }
}

}  // namespace

std::optional<double> found_warmup_s(const Watched& watched) {
  const Metric throughput = settled_after_s(watched.throughput.total());
  if (watched.dvfs == nullptr || !throughput) return throughput;
  const Metric power = settled_after_s(watched.dvfs->account().power_series());
  return power ? Metric(std::max(*throughput, *power)) : std::nullopt;
}

void add_steadiness(Result& result, const Watched& watched, const std::deque<process::Inference>& processes) {
  if (std::ranges::any_of(processes, [](const auto& p) { return p.spec().setup || p.spec().batches; }))
    return;
  const bool at_random = std::ranges::any_of(processes, [](const auto& process) {
    return std::ranges::any_of(process::parts_of(process.spec()), varies_at_random);
  });
  bool too_short = add_warmup(result, watched, at_random);
  too_short = add_first_answers(result, watched, processes) || too_short;
  const bool clocks_move = heat_moves_clocks(watched);
  bool all_known = true, moves = clocks_move || too_short;
  if (watched.heat) {
    const std::string warning = heat_warning(*watched.heat, watched);
    if (!warning.empty()) result.warnings.push_back(warning);
    moves = moves || !warning.empty();
  }
  if (watched.dvfs != nullptr) {
    const Drift drift =
        drift_of(measured(watched.dvfs->account().power_series(), watched.window), 0, "power", "W");
    if (drift.there.value_or(false)) result.warnings.push_back(drift.warning);
    moves = moves || drift.there.value_or(false);
  }
  std::size_t running = 0;
  for (ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    const bool planned = follows_a_plan(processes[running].spec());
    const Drift drift = planned ? Drift{} : throughput_drift(process, running, watched);
    ++running;
    if (process.stable == false || (clocks_move && !planned)) {
      process.stationary = false;
    } else {
      if (drift.there) process.stationary = !*drift.there;
      if (!drift.warning.empty()) result.warnings.push_back(drift.warning);
    }
    all_known = all_known && process.stationary.has_value();
    moves = moves || process.stationary == false;
  }
  if (moves || all_known) result.stationary = !moves;
}

Converged converged(const Until& until, const process::Inference& process, std::optional<bool> stable,
                    sim::Time now) {
  Converged all;
  const bool overloaded = stable == false;
  for (const Precise metric : until.of) {
    std::optional<double> width;
    if (process.rate().seconds_per_lump().count() < fewest_lumps)
      width = std::nullopt;
    else if (metric == Precise::throughput)
      width = process.rate().relative_half_width(now, overloaded);
    else if (!overloaded)
      width = of_latency(process, metric);
    all.emplace_back(to_string(metric), width && *width <= until.relative_error);
  }
  return all;
}

}  // namespace jostle::scenarios
