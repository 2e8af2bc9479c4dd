#include "analyses/interval/interval.hpp"

#include <algorithm>
#include <functional>

#include "analyses/interval/basis.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using Figure = std::function<scenarios::Metric(const scenarios::Result&)>;

FigureRuns figure_in(const DrawnRuns& runs, const Figure& figure) {
  FigureRuns found{.point = figure(runs.point), .drawn = {}, .repeated = {}, .individual = {}};
  for (const scenarios::Result& result : runs.drawn) found.drawn.push_back(figure(result));
  for (const scenarios::Result& result : runs.repeated) found.repeated.push_back(figure(result));
  return found;
}

Spread spread_in(const DrawnRuns& runs, const Figure& figure) {
  return spread_of(figure_in(runs, figure), runs.draws, runs.as_long);
}

// The metric of each process of an entry that has it.
using OfProcess = scenarios::Metric (*)(const scenarios::ProcessResult&);
std::vector<scenarios::Metric> in_entry(const scenarios::Result& result, std::size_t entry,
                                        OfProcess metric) {
  std::vector<scenarios::Metric> found;
  for (const scenarios::ProcessResult& process : result.processes)
    if (static_cast<std::size_t>(process.entry) == entry)
      if (const scenarios::Metric value = metric(process)) found.push_back(value);
  return found;
}

// The spread of one process of an entry. By parameters it is that of their mean, because their ranking
// differs from draw to draw; by chance it is that of each.
Spread spread_of_entry(const DrawnRuns& runs, std::size_t entry, OfProcess metric) {
  FigureRuns found = figure_in(runs, [entry, metric](const scenarios::Result& result) -> scenarios::Metric {
    double sum = 0;
    const auto values = in_entry(result, entry, metric);
    for (const scenarios::Metric& value : values) sum += *value;
    return values.empty() ? std::nullopt : scenarios::Metric(sum / static_cast<double>(values.size()));
  });
  for (const scenarios::Result& result : runs.repeated) {
    std::size_t at = 0;
    for (const scenarios::ProcessResult& process : result.processes) {
      if (static_cast<std::size_t>(process.entry) != entry) continue;
      if (at == found.individual.size()) found.individual.emplace_back();
      found.individual[at++].push_back(metric(process));
    }
  }
  return spread_of(found, runs.draws, runs.as_long);
}

// What a process serves is no more than it is offered, and no less while it keeps up: the interval of what it
// could serve if it never waited for a request, cut off at what comes.
scenarios::Interval served_interval(const scenarios::Interval& predicted,
                                    const scenarios::ProcessResult& process) {
  if (!predicted || !process.offered || !process.time_share) return predicted;
  auto [low, high] = *predicted;
  const double mean = *process.throughput.mean, most = std::max(*process.offered, mean);
  const scenarios::TimeShare& shares = *process.time_share;
  const double idle = shares[index_of(process::Share::idle)] + shares[index_of(process::Share::link)];
  if (process.stable == true && idle < 1) low = std::min(mean, low / (1 - idle));
  return std::pair(std::max(low, 0.0), std::min(high, most));
}

// An interval and its parts.
struct Around {
  scenarios::Interval pi90;
  std::optional<scenarios::IntervalParts> parts;
};
Around around(const scenarios::Metric& point, const Spread& spread,
              const std::optional<calibration::Residual>& error) {
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
                          const calibration::Profile& profile) {
  std::string weakest = "measured";
  for (const scenarios::ProcessResult& process : result.processes)
    weakest = weaker(weakest, basis_of(scenario.processes[static_cast<std::size_t>(process.entry)],
                                       process.grades.kernels, profile));
  return weakest;
}

Spreads spreads_of(const scenarios::Scenario& scenario, const DrawnRuns& runs) {
  Spreads found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry)
    found.entries.push_back(
        {spread_of_entry(runs, entry, [](const scenarios::ProcessResult& p) { return p.throughput.mean; }),
         spread_of_entry(runs, entry, [](const scenarios::ProcessResult& p) { return p.latency_ms.mean; })});
  found.throughput = spread_in(runs, [](const scenarios::Result& r) { return r.system.throughput; });
  found.power = spread_in(runs, [](const scenarios::Result& r) { return r.system.power_w.mean; });
  return found;
}

Spreads elsewhere(const Spreads& here, const Spreads& there) {
  const auto both = [](const Spread& a, const Spread& b) { return wider(a.elsewhere(), b.elsewhere()); };
  Spreads found;
  for (std::size_t i = 0; i < here.entries.size(); ++i)
    found.entries.push_back({both(here.entries[i].throughput, there.entries[i].throughput),
                             both(here.entries[i].latency, there.entries[i].latency)});
  found.throughput = both(here.throughput, there.throughput);
  found.power = both(here.power, there.power);
  return found;
}

scenarios::Interval possible_throughput(const scenarios::Interval& predicted, const scenarios::Result& result,
                                        const scenarios::ProcessResult* of) {
  if (!predicted || of != nullptr) return of != nullptr ? served_interval(predicted, *of) : predicted;
  // Each process with its share of the sum.
  const double sum = result.system.throughput.value_or(0);
  double low = 0, high = 0;
  for (const scenarios::ProcessResult& process : result.processes) {
    if (!process.offered || !process.throughput.mean || !(sum > 0)) return predicted;
    const double share = *process.throughput.mean / sum;
    const auto own = served_interval(std::pair(share * predicted->first, share * predicted->second), process);
    low += own->first;
    high += own->second;
  }
  return std::pair(low, high);
}

void add_intervals(scenarios::Result& result, const scenarios::Scenario& scenario,
                   const UncertainProfile& profile, const Spreads& spreads) {
  const calibration::Profile& base = profile.base.profile;
  const auto error = [&](const char* quantity, const std::string& basis) {
    return residual_for(profile.uncertainty, base.spec->name, quantity, basis);
  };
  std::vector<std::size_t> seen(scenario.processes.size());
  for (scenarios::ProcessResult& process : result.processes) {
    const auto entry = static_cast<std::size_t>(process.entry);
    const std::size_t at = seen[entry]++;
    const EntrySpread& of = spreads.entries[entry];
    const std::string basis = basis_of(scenario.processes[entry], process.grades.kernels, base);
    const Around rate =
        around(process.throughput.mean, of.throughput.of_process(at), error("throughput", basis));
    process.throughput.pi90 = possible_throughput(rate.pi90, result, &process);
    process.throughput.pi90_parts = rate.parts;
    const Around latency =
        around(process.latency_ms.mean, of.latency.of_process(at), error("latency", basis));
    process.latency_ms.pi90 = latency.pi90;
    process.latency_ms.pi90_parts = latency.parts;
  }
  scenarios::SystemResult& system = result.system;
  const std::string weakest = weakest_basis(result, scenario, base);
  const Around rate = around(system.throughput, spreads.throughput, error("throughput", weakest));
  system.throughput_pi90 = possible_throughput(rate.pi90, result, nullptr);
  system.throughput_pi90_parts = rate.parts;
  const Around power = around(system.power_w.mean, spreads.power, error("power", weakest));
  system.power_w.pi90 = power.pi90;
  system.power_w.pi90_parts = power.parts;
}

std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                   const scenarios::RunControl& control) {
  input::Problems problems;
  const auto known = uncertain_profile(scenario, problems);
  if (!known) throw scenarios::RunError(problems.text());
  auto result = run(scenario, known->base.profile, control);
  if (!result) return std::nullopt;
  const auto runs = drawn_runs(scenario, *known, *result, control);
  if (!runs) return std::nullopt;
  add_intervals(*result, scenario, *known, spreads_of(scenario, *runs));
  return result;
}

}  // namespace jostle::analyses
