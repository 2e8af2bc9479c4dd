#include "analyses/interval/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "analyses/interval/basis.hpp"
#include "analyses/verdict/verdict.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/result/starved.hpp"
#include "scenarios/run/cpu_time.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

using MetricOf = std::function<scenarios::Metric(const scenarios::Result&)>;

MetricRuns metric_in(const DrawnRuns& runs, const MetricOf& metric) {
  MetricRuns found{.point = metric(runs.point), .drawn = {}, .repeated = {}, .individual = {}};
  for (const scenarios::Result& result : runs.drawn) found.drawn.push_back(metric(result));
  for (const scenarios::Result& result : runs.repeated) found.repeated.push_back(metric(result));
  return found;
}

Spread spread_in(const DrawnRuns& runs, const MetricOf& metric) {
  return spread_of(metric_in(runs, metric), runs.draws, runs.as_long);
}

// Reads a metric of all equal parts of a result: of each process of an entry, or of each stream of a part.
// Absent if a part lacks it.
using Alike = std::function<std::vector<scenarios::Metric>(const scenarios::Result&)>;

scenarios::Metric mean_of(const std::vector<scenarios::Metric>& values) {
  double sum = 0, count = 0;
  for (const scenarios::Metric& value : values)
    if (value) sum += *value, ++count;
  return count > 0 ? scenarios::Metric(sum / count) : std::nullopt;
}

// The spread of one of the equal parts. The spread by parameters is that of their mean, because their ranking
// differs from draw to draw. The spread by chance is that of each part.
Spread spread_of_one(const DrawnRuns& runs, const Alike& alike) {
  MetricRuns found = metric_in(runs, [&](const scenarios::Result& result) { return mean_of(alike(result)); });
  for (const scenarios::Result& result : runs.repeated) {
    const std::vector<scenarios::Metric> values = alike(result);
    found.individual.resize(std::max(found.individual.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) found.individual[i].push_back(values[i]);
  }
  return spread_of(found, runs.draws, runs.as_long);
}

// A metric of the latency, its interval, and the name of the model error that applies to it.
struct LatencyRow {
  scenarios::Metric scenarios::Times::*value;
  scenarios::Interval scenarios::Latency::Pi90::*pi90;
  const char* error;
};
constexpr std::array<LatencyRow, 5> latency_rows{
    {{&scenarios::Times::mean, &scenarios::Latency::Pi90::mean, "latency"},
     {&scenarios::Times::p50, &scenarios::Latency::Pi90::p50, "latency"},
     {&scenarios::Times::p90, &scenarios::Latency::Pi90::p90, "latency p99"},
     {&scenarios::Times::p95, &scenarios::Latency::Pi90::p95, "latency p99"},
     {&scenarios::Times::p99, &scenarios::Latency::Pi90::p99, "latency p99"}}};

// Reads a metric of each process of the entry.
template <class OfProcess>
Alike in_entry(std::size_t entry, OfProcess metric) {
  return [entry, metric](const scenarios::Result& result) {
    std::vector<scenarios::Metric> found;
    for (const scenarios::ProcessResult& process : result.processes)
      if (static_cast<std::size_t>(process.entry) == entry) found.push_back(metric(process));
    return found;
  };
}

// Streams [begin, end) of each process of the entry.
struct Streams {
  std::size_t entry, begin, end;
};
template <class OfInstance>
Alike in_streams(const Streams& streams, OfInstance metric) {
  return [streams, metric](const scenarios::Result& result) {
    std::vector<scenarios::Metric> found;
    for (const scenarios::ProcessResult& process : result.processes)
      if (static_cast<std::size_t>(process.entry) == streams.entry)
        for (std::size_t i = streams.begin; i < streams.end; ++i)
          found.push_back(metric(process.instances[i]));
    return found;
  };
}

// The spreads of equal parts, which `alike` reads a metric of.
template <class AlikeBy>
EntrySpread spread_of_parts(const DrawnRuns& runs, const AlikeBy& alike) {
  EntrySpread found{
      .throughput = spread_of_one(runs, alike([](const auto& of) { return of.throughput.mean; })),
      .latency = {}};
  for (std::size_t i = 0; i < latency_rows.size(); ++i)
    found.latency[i] =
        spread_of_one(runs, alike([i](const auto& of) { return of.latency_ms.*latency_rows[i].value; }));
  return found;
}

EntrySpread spread_of_entry(const scenarios::Scenario& scenario, std::size_t entry, const DrawnRuns& runs) {
  EntrySpread found = spread_of_parts(runs, [entry](const auto& metric) { return in_entry(entry, metric); });
  const scenarios::ProcessEntry& process = scenario.processes[entry];
  if (!has_instances(process)) return found;
  std::size_t begin = 0;
  for (const scenarios::ProcessEntry& part : parts_of(process)) {
    const std::size_t end = begin + static_cast<std::size_t>(streams_of(process, part));
    const Streams streams{entry, begin, end};
    found.parts.push_back(
        spread_of_parts(runs, [streams](const auto& metric) { return in_streams(streams, metric); }));
    begin = end;
  }
  return found;
}

// A process serves no more than its offered rate, and no less while it keeps up. So this takes the interval
// of the rate that it could serve if it never waited for a request, and cuts it off at the offered rate.
scenarios::Interval served_interval(const scenarios::Interval& predicted,
                                    const scenarios::ProcessResult& process,
                                    const scenarios::Result& result) {
  if (!predicted || !process.offered || !process.time_share) return predicted;
  auto [low, high] = *predicted;
  const double mean = *process.throughput.mean, most = std::max(*process.offered, mean);
  if (const auto busy = scenarios::busy_share(result, process)) low = std::min(mean, low / *busy);
  return std::pair(std::max(low, 0.0), std::min(high, most));
}

// The share of boards on which a process does not keep up: those whose rate, of which `predicted` holds nine
// of ten, is less than it is busy here, or than is offered to one that does not keep up here. It is normal in
// the logarithm, by a logistic curve (Bowling 2009, within 0.01). Absent if the lower end keeps up.
scenarios::Metric unstable_share(const scenarios::Interval& predicted,
                                 const scenarios::ProcessResult& process, const scenarios::Result& result) {
  const double mean = process.throughput.mean.value_or(0);
  const bool grows = process.stable == false && process.offered && mean > 0;
  const auto busy =
      grows ? scenarios::Metric(*process.offered / mean) : scenarios::busy_share(result, process);
  if (!predicted || !busy || predicted->first >= *busy * mean) return std::nullopt;
  constexpr double steepness = 1.702, end = 1.645;  // `end`: of nine of ten, in standard deviations
  const double width = sim::log(grows ? predicted->second / mean : mean / std::max(predicted->first, 1e-9));
  const double room = -sim::log(*busy) / std::max(width, 1e-9);
  return 1 / (1 + sim::exp(steepness * end * room));
}

// An interval and its parts.
struct Around {
  scenarios::Interval pi90;
  std::optional<scenarios::IntervalParts> parts;
};
Around around(const scenarios::Metric& point, const Spread& spread,
              const std::optional<profiles::Residual>& error) {
  if (!point || !(*point > 0) || !spread.known || !error) return {};
  return {interval_around(*point, spread, error->half_width),
          scenarios::IntervalParts{.parameters = spread.parameters(),
                                   .chance = spread.chance,
                                   .model = error->half_width,
                                   .of_parameters = spread.shares,
                                   .model_from = origin_of(*error)}};
}

}  // namespace

std::string weakest_basis(const scenarios::Result& result, const scenarios::Scenario& scenario,
                          const profiles::Profile& profile) {
  std::string weakest = "measured";
  for (const scenarios::ProcessResult& process : result.processes)
    weakest = weaker(weakest, basis_of(scenario.processes[static_cast<std::size_t>(process.entry)],
                                       process.grades.kernels, profile, is_beside(scenario)));
  return weakest;
}

double furthest_batch(const scenarios::Scenario& scenario, const profiles::Profile& profile) {
  double furthest = 0;
  for (const scenarios::ProcessEntry& entry : scenario.processes)
    furthest = std::max(furthest, octaves_beyond_tables(entry, profile));
  return furthest;
}

Spreads spreads_of(const scenarios::Scenario& scenario, const DrawnRuns& runs) {
  Spreads found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry)
    found.entries.push_back(spread_of_entry(scenario, entry, runs));
  found.throughput = spread_in(runs, [](const scenarios::Result& r) { return r.system.throughput; });
  found.power = spread_in(runs, [](const scenarios::Result& r) { return r.system.power_w.mean; });
  if (!runs.point.system.tokens) return found;
  using scenarios::TotalTokens;
  found.tokens = spread_in(
      runs, [](const scenarios::Result& r) { return r.system.tokens.value_or(TotalTokens{}).per_s; });
  found.token_energy = spread_in(
      runs, [](const scenarios::Result& r) { return r.system.tokens.value_or(TotalTokens{}).energy_mj; });
  return found;
}

Spreads elsewhere(const Spreads& here, const Spreads& there) {
  const auto both = [](const Spread& a, const Spread& b) { return wider(a.elsewhere(), b.elsewhere()); };
  const auto both_parts = [&](const EntrySpread& a, const EntrySpread& b) {
    EntrySpread part{.throughput = both(a.throughput, b.throughput), .latency = {}};
    for (std::size_t i = 0; i < part.latency.size(); ++i) part.latency[i] = both(a.latency[i], b.latency[i]);
    return part;
  };
  const auto both_entries = [&](const EntrySpread& a, const EntrySpread& b) {
    EntrySpread entry = both_parts(a, b);
    for (std::size_t i = 0; i < a.parts.size(); ++i)
      entry.parts.push_back(both_parts(a.parts[i], b.parts[i]));
    return entry;
  };
  Spreads found;
  for (std::size_t i = 0; i < here.entries.size(); ++i)
    found.entries.push_back(both_entries(here.entries[i], there.entries[i]));
  found.throughput = both(here.throughput, there.throughput);
  found.power = both(here.power, there.power);
  found.tokens = both(here.tokens, there.tokens);
  found.token_energy = both(here.token_energy, there.token_energy);
  return found;
}

scenarios::Interval possible_throughput(const scenarios::Interval& predicted, const scenarios::Result& result,
                                        const scenarios::ProcessResult* of) {
  if (!predicted || of != nullptr) return of != nullptr ? served_interval(predicted, *of, result) : predicted;
  // The sum's interval is divided among the processes by their shares of the throughput.
  const double sum = result.system.throughput.value_or(0);
  double low = 0, high = 0;
  for (const scenarios::ProcessResult& process : result.processes) {
    if (!process.offered || !process.throughput.mean || !(sum > 0)) return predicted;
    const double share = *process.throughput.mean / sum;
    // Ends of rows add up to the total's, where they are known: a slow board is slow for all of them.
    const auto own = process.throughput.pi90
                         ? process.throughput.pi90
                         : served_interval(std::pair(share * predicted->first, share * predicted->second),
                                           process, result);
    low += own->first;
    high += own->second;
  }
  return std::pair(low, high);
}

scenarios::Interval possible_tokens(const scenarios::Interval& predicted, const scenarios::Result& result) {
  const auto& all = result.system.tokens;
  if (!predicted || !all || !(all->per_s > 0)) return predicted;
  // A process serves tokens as it serves sequences, so what bounds these bounds its share of the tokens.
  double low = 0, high = 0;
  for (const scenarios::ProcessResult& process : result.processes) {
    if (process.status != "ok" || (!process.tokens && process.instances.empty())) continue;
    const scenarios::Metric& sequences = process.throughput.mean;
    if (!process.tokens || !process.offered || !process.tokens->per_s || !(sequences > 0)) return predicted;
    const double tokens = *process.tokens->per_s, scale = *sequences / *all->per_s;
    const auto own =
        served_interval(std::pair(scale * predicted->first, scale * predicted->second), process, result);
    low += own->first / *sequences * tokens;
    high += own->second / *sequences * tokens;
  }
  return std::pair(low, high);
}

namespace {

// The basis of a prediction: that of its kernels, and how far its batch is from theirs.
struct Ground {
  std::string basis;
  double octaves = 0;
};

// The model error of a quantity of a result on a basis.
struct ModelError {
  const UncertainProfile& profile;
  const scenarios::Result& result;
  bool beside = false;  // (is_beside)

  [[nodiscard]] const profiles::Profile& base() const { return profile.base.profile; }
  [[nodiscard]] std::optional<profiles::Residual> of(const char* quantity, const Ground& ground) const {
    return beyond_tables(residual_for(profile.uncertainty, base().spec->name, quantity, ground.basis),
                         ground.octaves);
  }
  [[nodiscard]] Ground ground(const scenarios::ProcessEntry& work, const std::string& grade) const {
    return {basis_of(work, grade, base(), beside), octaves_beyond_tables(work, base())};
  }
};

// Adds intervals to a process: the `at`-th of its entry.
void add_to_process(scenarios::ProcessResult& process, const EntrySpread& of, std::size_t at,
                    const Ground& ground, const ModelError& error) {
  const Around rate =
      around(process.throughput.mean, of.throughput.of_process(at), error.of("throughput", ground));
  process.throughput.pi90 = served_interval(rate.pi90, process, error.result);
  if (rate.parts && process.offered) {  // requests that come at random are more or fewer in another run
    auto& [low, high] = *process.throughput.pi90;
    low = std::min(low, *process.throughput.mean * sim::exp(-rate.parts->chance));
    high = std::max(high, *process.throughput.mean * sim::exp(rate.parts->chance));
  }
  process.unstable_share = unstable_share(rate.pi90, process, error.result);
  process.throughput.pi90_parts = rate.parts;
  for (std::size_t i = 0; i < latency_rows.size(); ++i) {
    const auto& [value, pi90, quantity] = latency_rows[i];
    const Around latency =
        around(process.latency_ms.*value, of.latency[i].of_process(at), error.of(quantity, ground));
    process.latency_ms.pi90.*pi90 = latency.pi90;
    if (latency.pi90 && process.unstable_share)
      (process.latency_ms.pi90.*pi90)->second = std::numeric_limits<double>::infinity();
    if (i == 0) process.latency_ms.pi90_parts = latency.parts;
  }
}

// Adds intervals to each stream of a process. Streams of one part share its requests: each is offered its
// share of what they serve.
void add_to_streams(scenarios::ProcessResult& process, const scenarios::ProcessEntry& entry,
                    const EntrySpread& of, std::size_t at, const ModelError& error) {
  std::size_t begin = 0;
  for (std::size_t part = 0; part < of.parts.size(); ++part) {
    const scenarios::ProcessEntry& work = parts_of(entry)[part];
    const auto count = static_cast<std::size_t>(streams_of(entry, work));
    double sum = 0;
    for (std::size_t i = begin; i < begin + count; ++i)
      sum += process.instances[i].throughput.mean.value_or(0);
    for (std::size_t i = begin; i < begin + count; ++i) {
      scenarios::InstanceResult& stream = process.instances[i];
      scenarios::ProcessResult row = row_of(process, stream);
      row.time_share = process.time_share;
      if (row.offered && sum > 0) *row.offered *= row.throughput.mean.value_or(0) / sum;
      add_to_process(row, of.parts[part], at * count + i - begin, error.ground(work, process.grades.kernels),
                     error);
      stream.throughput = row.throughput;
      stream.latency_ms = row.latency_ms;
    }
    begin += count;
  }
}

// The process whose results are the requests of this one; null if none is.
const scenarios::ProcessResult* before(const scenarios::ProcessResult& process,
                                       const scenarios::Result& result, const scenarios::Scenario& scenario) {
  const std::string& name = scenario.processes[static_cast<std::size_t>(process.entry)].arrivals.after;
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find_if(result.processes, [&](const scenarios::ProcessResult& one) {
    return &one != &process && scenarios::called(one) == name;
  });
  return found == result.processes.end() ? nullptr : &*found;
}

// A process that works on the results of another gets as many fewer as that may serve, and its latency, which
// begins with the other's request, may be longer or shorter by as much as the other's.
void widen_by(const scenarios::ProcessResult& first, scenarios::ProcessResult& process) {
  const auto& from = first.throughput;
  if (process.throughput.pi90 && from.pi90 && from.mean > 0)
    process.throughput.pi90->first =
        std::min(process.throughput.pi90->first, *process.throughput.mean * from.pi90->first / *from.mean);
  if (first.unstable_share)
    process.unstable_share = std::max(process.unstable_share.value_or(0), *first.unstable_share);
  for (const auto& [value, pi90, quantity] : latency_rows) {
    scenarios::Interval& own = process.latency_ms.pi90.*pi90;
    const scenarios::Interval& others = first.latency_ms.pi90.*pi90;
    const scenarios::Metric& here = process.latency_ms.*value;
    const scenarios::Metric& there = first.latency_ms.*value;
    if (!own || !others || !here || !there) continue;
    own->first = std::max(0.0, std::min(own->first, *here - (*there - others->first)));
    own->second = std::max(own->second, *here + (others->second - *there));
  }
}

}  // namespace

void add_intervals(scenarios::Result& result, const scenarios::Scenario& scenario,
                   const UncertainProfile& profile, const Spreads& spreads) {
  const ModelError error{profile, result, is_beside(scenario)};
  std::vector<std::size_t> seen(scenario.processes.size());
  for (scenarios::ProcessResult& process : result.processes) {
    const auto entry = static_cast<std::size_t>(process.entry);
    const std::size_t at = seen[entry]++;
    const scenarios::ProcessEntry& work = scenario.processes[entry];
    add_to_process(process, spreads.entries[entry], at, error.ground(work, process.grades.kernels), error);
    add_to_streams(process, work, spreads.entries[entry], at, error);
  }
  for (std::size_t link = 1; link < scenario.processes.size(); ++link)  // the longest chain has so many links
    for (scenarios::ProcessResult& process : result.processes)
      if (const auto* const first = before(process, result, scenario)) widen_by(*first, process);
  scenarios::SystemResult& system = result.system;
  const Ground weakest{weakest_basis(result, scenario, error.base()), furthest_batch(scenario, error.base())};
  const Around rate = around(system.throughput, spreads.throughput, error.of("throughput", weakest));
  system.throughput_pi90 = possible_throughput(rate.pi90, result, nullptr);
  system.throughput_pi90_parts = rate.parts;
  const Around power = around(system.power_w.mean, spreads.power, error.of("power", {weakest.basis}));
  system.power_w.pi90 = power.pi90;
  system.power_w.pi90_parts = power.parts;
  if (!system.tokens) return;
  const std::optional<profiles::Residual> of_rate = error.of("tokens", weakest),
                                          of_power = error.of("power", {weakest.basis});
  const Around tokens = around(system.tokens->per_s, spreads.tokens, of_rate);
  system.tokens->per_s_pi90 = possible_tokens(tokens.pi90, result);
  system.tokens->per_s_pi90_parts = tokens.parts;
  if (!of_rate || !of_power) return;
  profiles::Residual of_both = *of_rate;  // energy is power over a rate, so their errors add
  of_both.half_width = std::hypot(of_rate->half_width, of_power->half_width);
  system.tokens->energy_pi90 = around(system.tokens->energy_mj, spreads.token_energy, of_both).pi90;
}

namespace {

// The standard error of an interval's ends, in the logarithm: its variances are added, and that of n normal
// numbers is known to sqrt(2 / (n - 1)) of itself.
double error_of_ends(const scenarios::IntervalParts& parts, const DrawnRuns& runs) {
  const auto error = [](double variance, std::size_t n) {
    return variance * std::sqrt(2 / static_cast<double>(n - 1)) / 2;
  };
  const double by_parameters = parts.parameters * parts.parameters, by_chance = parts.chance * parts.chance;
  const double half_width = std::sqrt(by_parameters + by_chance + parts.model * parts.model);
  return std::hypot(error(by_parameters + by_chance, runs.drawn.size()),
                    error(by_chance, runs.repeated.size())) /
         std::max(half_width, 1e-9);
}

}  // namespace

bool are_enough(const scenarios::Scenario& scenario, const UncertainProfile& profile, const DrawnRuns& runs,
                Sought sought) {
  constexpr double precise = 0.015, of_little_weight = 0.1;
  constexpr std::size_t enough_for_shares = 32;
  scenarios::Result result = runs.point;
  const Spreads spreads = spreads_of(scenario, runs);
  add_intervals(result, scenario, profile, spreads);
  const auto enough = [&](const scenarios::Metric& point, const Spread& spread,
                          const std::optional<scenarios::IntervalParts>& parts) {
    if (!point || !parts) return !point || spread.known;
    const bool told = sought == Sought::ends || runs.drawn.size() >= enough_for_shares ||
                      parts->parameters <= of_little_weight * std::hypot(parts->chance, parts->model);
    return told && error_of_ends(*parts, runs) <= precise;
  };
  const auto enough_of = [&](const scenarios::ProcessResult& process) {
    const EntrySpread& spread = spreads.entries[static_cast<std::size_t>(process.entry)];
    const Spread& tail = spread.latency.back();
    // The model's error of the tail is at least that of the mean.
    auto of_tail = process.latency_ms.pi90_parts;
    if (of_tail) of_tail->parameters = tail.parameters(), of_tail->chance = tail.chance;
    return enough(process.throughput.mean, spread.throughput, process.throughput.pi90_parts) &&
           enough(process.latency_ms.mean, spread.latency.front(), process.latency_ms.pi90_parts) &&
           enough(process.latency_ms.p99, tail, of_tail);
  };
  const scenarios::SystemResult& system = result.system;
  return enough(system.throughput, spreads.throughput, system.throughput_pi90_parts) &&
         enough(system.power_w.mean, spreads.power, system.power_w.pi90_parts) &&
         (!system.tokens || enough(system.tokens->per_s, spreads.tokens, system.tokens->per_s_pi90_parts)) &&
         std::ranges::all_of(result.processes, enough_of);
}

namespace {

// The CPU time of a run with its draws and repetitions, from that of the run: some 40 runs, of those longer
// than 4 s a quarter, and little of one whose batches repeat.
double with_draws(double run_s, const scenarios::Scenario& scenario, bool repeats) {
  constexpr double usual_runs = 40, of_repeats = 0.03;
  const double length = std::max(sim::to_seconds(scenario.run.duration), 1e-9);
  return run_s * (1 + usual_runs * (repeats ? of_repeats : std::clamp(4 / length, 0.25, 1.0)));
}

}  // namespace

std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                   const scenarios::RunControl& control, Sought sought) {
  input::Problems problems;
  const auto known = uncertain_profile(scenario, problems);
  if (!known) throw scenarios::RunError(problems.text());
  scenarios::RunControl alone = control;
  double run_s = 0;
  const auto tell = [&](bool repeats) {
    if (control.expected) control.expected(with_draws(run_s, scenario, repeats));
  };
  alone.expected = [&](double cpu_seconds) {
    run_s = cpu_seconds;
    if (run_s >= scenarios::worth_telling_s) tell(false);
  };
  auto result = run(scenario, known->base.profile, alone);
  if (!result) return std::nullopt;
  if (run_s < scenarios::worth_telling_s) tell(result->system.gpu.repeated > 0.5);
  const auto runs = drawn_runs(scenario, *known, *result, control, sought);
  if (!runs) return std::nullopt;
  add_intervals(*result, scenario, *known, spreads_of(scenario, *runs));
  judge(*result, scenario, &control);
  return result;
}

}  // namespace jostle::analyses
