#include "calibration/calibrate/power_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "analyses/interval/interval.hpp"
#include "calibration/calibrate/bench.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/fit/least_squares.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/priors.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

using calibration::Measured;
using profiles::Prior;

constexpr std::string_view of_base = "the profile's: cards of one architecture differ by process and memory";
// The parts that runs of networks tell apart. What is drawn at any load is in the clock tree: constants of
// other parts (leakage, memory, module) cannot be told from it at one clock.
constexpr std::array card_priors{
    profiles::Prior{"power.gpu.clock_tree", "", 0.5, 6, of_base},
    profiles::Prior{"power.gpu.sm", "", 0.7, 10, of_base},
    profiles::Prior{"power.gpu.tensor", "", 0.7, 10, of_base},
    profiles::Prior{"power.gpu.issue", "", 0.7, 10, of_base},
    profiles::Prior{"power.gpu.warps", "", 0.7, 10, of_base},
    profiles::Prior{"power.gpu.per_byte", "", 0.7, 10, of_base},
};

constexpr double slope_step = 1.25;  // ratio of a parameter at which its slope is taken
constexpr double right_rate = 0.1;   // error of the throughput up to which a run tells of power
constexpr double near_limit = 0.96;  // share of the limit from which a run counts as limited

// The runs with watts, and what they would draw: at the profile's values, and more for each parameter.
struct Table {
  std::vector<RunConfiguration> runs;
  std::vector<Measured> measured;
  std::vector<std::string> bases;  // bases of the kernel times (analyses/interval/basis.hpp)
  std::vector<Unknown> unknowns;
  std::vector<double> rates;                // by run: predicted throughput
  std::vector<double> watts;                // by run
  std::vector<std::vector<double>> slopes;  // by parameter and run: watts for the parameter's own value

  [[nodiscard]] double predicted(std::size_t run, const std::vector<double>& ratios) const {
    double sum = watts[run];
    for (std::size_t i = 0; i < ratios.size(); ++i) sum += (ratios[i] - 1) * slopes[i][run];
    return sum;
  }
};

// Values of a profile as written, over those of its document.
std::vector<std::string> values_of(const Calibration& found) {
  std::vector<std::string> set;
  for (const FittedParameter& parameter : found.parameters)
    if (!parameter.path.starts_with("factor "))
      set.push_back(
          fmt::format("{}={{value: {}, grade: fitted, source: fit}}", parameter.path, parameter.value));
  return set;
}

profiles::Profile profile_with(const profiles::BaseProfile& base, const Calibration& found,
                               std::vector<std::string> more) {
  std::vector<std::string> set = values_of(found);
  set.insert(set.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  input::Problems problems;
  auto profile = profiles::profile_of(found.document ? found.document : base.document, problems, set);
  if (!profile) throw CalibrationError(problems.text());
  profile->factors = found.profile.factors;
  profile->spec->evidence = found.profile.spec->evidence;
  return *std::move(profile);
}

// The value of a metric; none: it was not measured.
std::optional<double> measured_in(const RunConfiguration& run, const char* metric) {
  const auto found = std::ranges::find(run.reference_values, metric, &ReferenceValue::metric);
  return found == run.reference_values.end() ? std::nullopt : std::optional(found->value);
}
double watts_of(const RunConfiguration& run) {
  return measured_in(run, "power").value();
}

// Runs of a network alone on the card, with the watts that were measured, and the throughput if it was.
std::vector<RunConfiguration> with_watts(const std::vector<RunConfiguration>& configurations) {
  std::vector<RunConfiguration> found;
  for (const RunConfiguration& configuration : configurations) {
    if (!configuration.on_gpu()) continue;
    RunConfiguration only = configuration;
    if (!measured_in(only, "power")) continue;
    only.scenario->run.warmup = sim::milliseconds(50);
    only.scenario->run.duration = sim::milliseconds(250);
    found.push_back(std::move(only));
  }
  return found;
}

Table table_of(const profiles::BaseProfile& base, const Calibration& found,
               std::vector<RunConfiguration> runs, const CalibrationControl& control) {
  Table table;
  const std::string no_limit = "gpu.power_limit=none";
  std::vector<std::string> limits;
  if (found.profile.spec->power->limit) limits.push_back(no_limit);
  std::vector<profiles::Profile> profiles{profile_with(base, found, limits)};
  for (const profiles::Prior& prior : card_priors) {
    const auto known =
        std::ranges::find(found.profile.figures, prior.path, &profiles::ProfileParameter::path);
    const auto centre =
        known != found.profile.figures.end() ? input::quantity(std::string_view(known->value)) : std::nullopt;
    if (!centre || !(centre->number > 0)) continue;  // a part that draws nothing has no share to change
    Unknown unknown;
    unknown.path = prior.path;
    unknown.parameter = {unknown.path, 1, prior.sd, 1 / prior.range, prior.range};
    unknown.centre = *centre;
    unknown.before = known->value;
    unknown.source = prior.source;
    std::vector<std::string> set = limits;
    set.push_back(
        fmt::format("{}={{value: {}, grade: fitted, source: fit}}", unknown.path, centre->times(slope_step)));
    profiles.push_back(profile_with(base, found, std::move(set)));
    table.unknowns.push_back(std::move(unknown));
  }
  table.runs = std::move(runs);
  const std::size_t count = table.runs.size();
  std::vector<std::vector<double>> watts(profiles.size(), std::vector<double>(count));
  table.bases.resize(count);
  table.rates.resize(count);
  scenarios::parallel_for(profiles.size() * count, [&](std::size_t i) {
    const std::size_t which = i / count, of = i % count;
    const scenarios::Result result = simulated(*table.runs[of].scenario, profiles[which],
                                               {.interrupt = control.interrupt, .progress = {}});
    watts[which][of] = result.system.power_w.mean.value_or(0);
    if (which > 0) return;
    table.bases[of] = analyses::weakest_basis(result, *table.runs[of].scenario, profiles[0]);
    table.rates[of] = result.system.throughput.value_or(0);
  });
  if (control.progress) control.progress();
  table.watts = watts.front();
  for (std::size_t i = 1; i < watts.size(); ++i) {
    auto& slopes = table.slopes.emplace_back();
    for (std::size_t of = 0; of < count; ++of)
      slopes.push_back((watts[i][of] - watts[0][of]) / (slope_step - 1));
  }
  for (const RunConfiguration& one : table.runs) {
    const auto power = std::ranges::find(one.reference_values, "power", &ReferenceValue::metric);
    table.measured.push_back({power->value, std::hypot(model_sd("power"), power->sd)});
  }
  return table;
}

// The fit to the runs for which `wanted` holds.
template <class Wanted>
calibration::LogFit fit_to(const Table& table, const Wanted& wanted) {
  std::vector<calibration::Parameter> parameters;
  for (const Unknown& unknown : table.unknowns) parameters.push_back(unknown.parameter);
  std::vector<std::size_t> rows;
  std::vector<Measured> measured;
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    if (!wanted(table.runs[i])) continue;
    rows.push_back(i);
    measured.push_back(table.measured[i]);
  }
  return calibration::fit(parameters, measured, [&](std::span<const std::vector<double>> points) {
    std::vector<std::vector<double>> predicted;
    for (const std::vector<double>& point : points) {
      auto& row = predicted.emplace_back();
      for (const std::size_t i : rows) row.push_back(table.predicted(i, point));
    }
    return predicted;
  });
}

// Drops the parameters that the runs do not tell of: they keep the values of the profile.
void keep_identified(Table& table, const calibration::LogFit& fit) {
  for (std::size_t i = table.unknowns.size(); i-- > 0;) {
    if (calibration::identified(fit.variance_left[i])) continue;
    table.unknowns.erase(table.unknowns.begin() + static_cast<std::ptrdiff_t>(i));
    table.slopes.erase(table.slopes.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Comparison comparison(const RunConfiguration& of, double predicted) {
  return {fmt::format("{} {}, power", of.reference_values.front().run, of.text()),
          quantity_of("power"),
          watts_of(of),
          predicted,
          {}};
}

// Drops the runs whose rates are predicted wrongly: their watts tell of the rate. Returns how many.
std::size_t drop_wrong_rates(Table& table) {
  std::size_t dropped = 0;
  for (std::size_t i = table.runs.size(); i-- > 0;) {
    const auto rate = measured_in(table.runs[i], "throughput");
    if (!rate || std::abs(table.rates[i] / *rate - 1) <= right_rate) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.runs.erase(table.runs.begin() + at);
    table.measured.erase(table.measured.begin() + at);
    table.bases.erase(table.bases.begin() + at);
    table.rates.erase(table.rates.begin() + at);
    table.watts.erase(table.watts.begin() + at);
    for (std::vector<double>& slopes : table.slopes) slopes.erase(slopes.begin() + at);
    ++dropped;
  }
  return dropped;
}

// The spread of a run's watts by the parameters of a fit.
analyses::Spread spread_of(const Table& table, std::size_t run, const calibration::LogFit& fit) {
  constexpr double to_95_percent = 1.645;
  const std::size_t n = fit.values.size();
  const double watts = table.predicted(run, fit.values);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      variance += fit.values[i] * table.slopes[i][run] * fit.values[j] * table.slopes[j][run] *
                  fit.covariance[i * n + j];
  analyses::Spread spread;
  spread.below = spread.above = to_95_percent * std::sqrt(std::max(variance, 0.0)) / watts;
  return spread;
}

HeldOut without_each_network(const Table& table, const std::string& device) {
  HeldOut found;
  std::vector<std::string> networks;
  for (const RunConfiguration& of : table.runs)
    if (std::ranges::find(networks, of.model) == networks.end()) networks.push_back(of.model);
  if (networks.size() < 2) return found;
  ComparisonGroup group{"one network left out", "", "", {}, {}};
  for (const std::string& network : networks) {
    const calibration::LogFit fit =
        fit_to(table, [&](const RunConfiguration& of) { return of.model != network; });
    for (std::size_t i = 0; i < table.runs.size(); ++i) {
      if (table.runs[i].model != network) continue;
      group.comparisons.push_back(comparison(table.runs[i], table.predicted(i, fit.values)));
      const Comparison& last = group.comparisons.back();
      found.rows.push_back({.device = device,
                            .quantity = last.quantity,
                            .basis = table.bases[i],
                            .fold = fmt::format("{}: {}", group.name, network),
                            .configuration = table.runs[i].text(),
                            .value = last.run,
                            .measured = last.measured,
                            .predicted = last.predicted,
                            .spread = spread_of(table, i, fit)});
    }
  }
  const auto inside = covered(found.rows);
  for (std::size_t i = 0; i < inside.size(); ++i) group.comparisons[i].covered = inside[i];
  found.groups.push_back(std::move(group));
  return found;
}

FittedParameter parameter_of(const Unknown& unknown, const calibration::LogFit& fit, std::size_t i) {
  const double value = fit.values[i];
  constexpr double near = 1.005;
  const bool bound = value <= unknown.parameter.lower * near || value >= unknown.parameter.upper / near;
  return {.path = unknown.path,
          .prior = unknown.before,
          .value = unknown.centre.times(value),
          .of_prior = value,
          .sd = std::sqrt(fit.covariance[i * fit.values.size() + i]),
          .variance_left = fit.variance_left[i],
          .identified = calibration::identified(fit.variance_left[i]) && !bound,
          .at_bound = bound,
          .source = std::string(unknown.source),
          .identified_by = "watts of networks alone"};
}

}  // namespace

bool has_card_power(const profiles::Profile& profile) {
  return profile.spec->power && profile.spec->has_gpu() && !profile.spec->memory.unified;
}

std::optional<PowerFit> fit_power(const profiles::BaseProfile& base, const Calibration& found,
                                  const std::vector<RunConfiguration>& configurations, bool hold_out,
                                  const CalibrationControl& control) {
  PowerFit power;
  std::vector<RunConfiguration> runs = with_watts(configurations);
  if (const auto& limit = found.profile.spec->power->limit)
    power.at_limit = std::erase_if(
        runs, [&limit](const RunConfiguration& of) { return watts_of(of) >= near_limit * limit->budget_w; });
  if (runs.empty()) return std::nullopt;
  Table table = table_of(base, found, std::move(runs), control);
  const auto all = [](const RunConfiguration& /*any*/) { return true; };
  power.off_rate = drop_wrong_rates(table);
  if (table.runs.empty()) return std::nullopt;
  if (!table.unknowns.empty()) keep_identified(table, fit_to(table, all));
  if (table.unknowns.empty()) return std::nullopt;
  const calibration::LogFit fit = fit_to(table, all);
  power.rows = table.runs.size();
  power.converged = fit.converged;
  power.covariance = fit.covariance;
  for (std::size_t i = 0; i < table.unknowns.size(); ++i)
    power.parameters.push_back(parameter_of(table.unknowns[i], fit, i));
  power.fitted = {"all runs, as fitted", "", "", {}, {}};
  for (std::size_t i = 0; i < table.runs.size(); ++i)
    power.fitted.comparisons.push_back(comparison(table.runs[i], table.predicted(i, fit.values)));
  if (hold_out) power.held_out = without_each_network(table, base.name);
  return power;
}

void add_power(const profiles::BaseProfile& base, const PowerFit& power, Calibration& found) {
  const std::vector<double> before = found.uncertainty().covariance;
  const std::size_t n = found.parameters.size(), more = power.parameters.size(), all = n + more;
  found.covariance.assign(all * all, 0);
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t j = 0; j < all; ++j) {
      if (i < n && j < n) found.covariance[i * all + j] = before[i * n + j];
      if (i >= n && j >= n) found.covariance[i * all + j] = power.covariance[(i - n) * more + j - n];
    }
  found.parameters.insert(found.parameters.end(), power.parameters.begin(), power.parameters.end());
  found.rows += power.rows;
  found.converged = found.converged && power.converged;
  found.profile = profile_with(base, found, {});
}

}  // namespace jostle::calibration
