#include "analyses/interval/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

#include "analyses/interval/basis.hpp"
#include "calibration/profile/with_parameters.hpp"
#include "calibration/readers/csv.hpp"
#include "input/override.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

// A quantile of sorted numbers, median-unbiased for any distribution (Hyndman and Fan 1996, type 8).
double quantile(const std::vector<double>& sorted, double p) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::clamp((n + 1.0 / 3) * p + 1.0 / 3, 1.0, n);
  const auto below = static_cast<std::size_t>(rank) - 1;
  const double part = rank - std::floor(rank);
  return below + 1 < sorted.size() ? sorted[below] + part * (sorted[below + 1] - sorted[below])
                                   : sorted[below];
}

scenarios::Interval around(const scenarios::Metric& point, Spread spread, double half_width) {
  if (!point || !(*point > 0)) return std::nullopt;
  return interval_around(*point, spread, half_width);
}

Spread spread(const scenarios::Result& point, const std::vector<scenarios::Result>& draws,
              const std::function<scenarios::Metric(const scenarios::Result&)>& metric) {
  std::vector<double> values;
  for (const scenarios::Result& draw : draws)
    if (const scenarios::Metric value = metric(draw)) values.push_back(*value);
  return spread_of(metric(point).value_or(0), std::move(values));
}

// The mean of a metric over the processes of an entry that have it.
scenarios::Metric mean_of_entry(
    const scenarios::Result& result, std::size_t entry,
    const std::function<scenarios::Metric(const scenarios::ProcessResult&)>& metric) {
  double sum = 0;
  int count = 0;
  for (const scenarios::ProcessResult& process : result.processes) {
    const scenarios::Metric value = metric(process);
    if (static_cast<std::size_t>(process.entry) != entry || !value) continue;
    sum += *value;
    ++count;
  }
  return count > 0 ? scenarios::Metric(sum / count) : std::nullopt;
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

}  // namespace

Spread spread_of(double point, std::vector<double> draws) {
  std::erase_if(draws, [](double value) { return !(value > 0); });
  if (!(point > 0) || draws.size() < calibration::uncertainty_draws / 2) return {};
  std::ranges::sort(draws);
  return {.below = std::max(0.0, -sim::log(quantile(draws, 0.05) / point)),
          .above = std::max(0.0, sim::log(quantile(draws, 0.95) / point))};
}

std::pair<double, double> interval_around(double point, Spread spread, double half_width) {
  const auto both = [half_width](double side) { return std::sqrt(side * side + half_width * half_width); };
  return {point * sim::exp(-both(spread.below)), point * sim::exp(both(spread.above))};
}

double residual_half_width(const calibration::Uncertainty& uncertainty, const std::string& device,
                           const std::string& quantity, const std::string& basis) {
  const std::string kernels = basis.substr(0, basis.find(' '));
  const std::string runtime = basis.substr(kernels.size());
  constexpr std::array<const char*, 4> order{"measured", "network", "family", "model"};
  const auto* from = std::ranges::find(order, kernels);
  // The host time of a framework is modelled equally badly on any device: at least the residual measured
  // elsewhere.
  double least = 0;
  if (!runtime.empty()) {
    if (const auto* known = uncertainty.residual(device, quantity, "measured" + runtime))
      least = known->half_width;
  }
  for (; from != order.end(); ++from) {
    if (const auto* known = uncertainty.residual(device, quantity, *from + runtime)) return known->half_width;
    if (const auto* known = uncertainty.residual(device, quantity, *from))
      return std::max(least, known->half_width);
  }
  // No residual is known for so weak a basis: use the largest known one.
  for (const calibration::Residual& known : uncertainty.residuals)
    if (known.quantity == quantity && (known.device.empty() || known.device == device))
      least = std::max(least, known.half_width);
  return least;
}

std::optional<UncertainProfile> uncertain_profile(const std::string& name, const std::string& path,
                                                  input::Problems& problems,
                                                  const std::vector<std::string>& set) {
  auto base =
      path.empty() ? calibration::base_profile(name, problems) : calibration::base_profile_at(path, problems);
  if (!base) return std::nullopt;
  input::Problems own;
  for (const std::string& assignment : set)
    if (base->document) base->document = input::with_override(base->document, assignment, own);
  if (!set.empty()) {
    auto changed = own.empty() ? calibration::profile_of(base->document, own) : std::nullopt;
    problems.append(own);
    if (!changed) return std::nullopt;
    base->profile = std::move(*changed);
  }
  const std::string& device = base->profile.spec->name;
  calibration::Uncertainty uncertainty = calibration::shipped_uncertainty(device);
  const std::string uncertainty_file = path.empty() ? "" : calibration::uncertainty_path(path);
  std::error_code ignored;
  if (!uncertainty_file.empty() && std::filesystem::exists(uncertainty_file, ignored)) {
    try {
      calibration::Uncertainty own_table =
          calibration::parse_uncertainty(calibration::read_text(uncertainty_file), uncertainty_file, device);
      // The rows of the board come first; those of other boards fill the gaps.
      own_table.residuals.insert(own_table.residuals.end(), uncertainty.residuals.begin(),
                                 uncertainty.residuals.end());
      uncertainty = std::move(own_table);
    } catch (const calibration::CsvError& error) {
      problems.add({}, {}, error.what());
      return std::nullopt;
    }
  }
  return UncertainProfile{std::move(*base), std::move(uncertainty)};
}

std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                  input::Problems& problems) {
  auto known = uncertain_profile(scenario.device, scenario.device_path, problems);
  if (!known || scenario.figures.empty()) return known;
  return uncertain_profile(
      scenario.device, scenario.device_path, problems,
      calibration::assignments(known->base.profile, known->base.document, scenario.figures));
}

std::optional<std::vector<scenarios::Result>> drawn_results(const scenarios::Scenario& scenario,
                                                            const UncertainProfile& profile,
                                                            const scenarios::RunControl& control) {
  const calibration::BaseProfile& base = profile.base;
  const auto all = calibration::draws(profile.uncertainty, base.profile);
  std::vector<scenarios::Result> draws(all.size());
  std::atomic<bool> interrupted = false;
  scenarios::parallel_for(all.size(), [&](std::size_t i) {
    const calibration::Profile drawn = calibration::drawn(base.document, base.profile, all[i]);
    auto result = run(scenario, drawn, {.interrupt = control.interrupt, .trace = nullptr, .progress = {}});
    if (result)
      draws[i] = std::move(*result);
    else
      interrupted = true;
  });
  return interrupted ? std::nullopt : std::optional(std::move(draws));
}

std::string weakest_basis(const scenarios::Result& result, const scenarios::Scenario& scenario,
                          const calibration::Profile& profile) {
  std::string weakest = "measured";
  for (const scenarios::ProcessResult& process : result.processes)
    weakest = weaker(weakest, basis_of(scenario.processes[static_cast<std::size_t>(process.entry)],
                                       process.grade, profile));
  return weakest;
}

std::optional<Spreads> spreads_of(const scenarios::Scenario& scenario, const UncertainProfile& profile,
                                  const scenarios::Result& point, const scenarios::RunControl& control) {
  const auto drawn = drawn_results(scenario, profile, control);
  if (!drawn) return std::nullopt;
  const std::vector<scenarios::Result>& draws = *drawn;
  Spreads found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const auto of = [entry](scenarios::Metric (*metric)(const scenarios::ProcessResult&)) {
      return
          [entry, metric](const scenarios::Result& result) { return mean_of_entry(result, entry, metric); };
    };
    found.entries.push_back(
        {spread(point, draws, of([](const scenarios::ProcessResult& p) { return p.throughput.mean; })),
         spread(point, draws, of([](const scenarios::ProcessResult& p) { return p.latency_ms.mean; }))});
  }
  found.throughput = spread(point, draws, [](const scenarios::Result& r) { return r.system.throughput; });
  found.power = spread(point, draws, [](const scenarios::Result& r) { return r.system.power_w.mean; });
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
  const auto half_width = [&](const char* quantity, const std::string& basis) {
    return residual_half_width(profile.uncertainty, base.spec->name, quantity, basis);
  };
  for (scenarios::ProcessResult& process : result.processes) {
    const auto entry = static_cast<std::size_t>(process.entry);
    const std::string basis = basis_of(scenario.processes[entry], process.grade, base);
    process.throughput.pi90 = possible_throughput(
        around(process.throughput.mean, spreads.entries[entry].throughput, half_width("throughput", basis)),
        result, &process);
    process.latency_ms.pi90 =
        around(process.latency_ms.mean, spreads.entries[entry].latency, half_width("latency", basis));
  }
  scenarios::SystemResult& system = result.system;
  const std::string weakest = weakest_basis(result, scenario, base);
  system.throughput_pi90 = possible_throughput(
      around(system.throughput, spreads.throughput, half_width("throughput", weakest)), result, nullptr);
  system.power_w.pi90 = around(system.power_w.mean, spreads.power, half_width("power", weakest));
}

std::optional<scenarios::Result> run_with_interval(const scenarios::Scenario& scenario,
                                                   const scenarios::RunControl& control) {
  input::Problems problems;
  const auto known = uncertain_profile(scenario, problems);
  if (!known) throw scenarios::RunError(problems.text());
  auto result = run(scenario, known->base.profile, control);
  if (!result) return std::nullopt;
  const auto spreads = spreads_of(scenario, *known, *result, control);
  if (!spreads) return std::nullopt;
  add_intervals(*result, scenario, *known, *spreads);
  return result;
}

}  // namespace jostle::analyses
