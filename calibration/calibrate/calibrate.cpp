#include "calibration/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/calibrate/bench.hpp"
#include "calibration/fit/least_squares.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/like.hpp"
#include "profiles/profile/priors.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

// The expected distance of an eager run's rate from the host's factor: networks differ by 9 % from the law of
// operators, runs of a host with two speeds by 20 % from each other (evidence/h200-host).
constexpr double network_host_sd = 0.09, run_host_sd = 0.2;
constexpr const char* weight_path = "runtimes.eager.rate_weight";
// The number of rates at which the spread that they show counts as much as that of networks; fewer show none.
constexpr std::size_t spread_known_by = 4;

// The logarithms of measured over predicted rates of eager processes alone.
std::vector<double> residuals(const std::vector<RunConfiguration>& used,
                              const std::vector<double>& predicted) {
  std::vector<double> found;
  std::size_t row = 0;
  for (const RunConfiguration& run : used) {
    for (const ReferenceValue& value : run.reference_values) {
      const double here = predicted[row++];
      if (run.runtime == "eager" && run.processes == 1 && value.metric == "throughput" && here > 0)
        found.push_back(std::log(value.value / here));
    }
  }
  return found;
}

// Adds a parameter that is independent of the others and is taken to be known.
void add(Calibration& result, FittedParameter parameter) {
  const std::size_t n = result.parameters.size();
  std::vector<double> wider((n + 1) * (n + 1), 0);
  if (result.covariance.size() == n * n)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) wider[i * (n + 1) + j] = result.covariance[i * n + j];
  result.covariance = std::move(wider);
  auto& figures = result.profile.figures;
  std::erase_if(figures, [](const profiles::ProfileParameter& known) { return known.path == weight_path; });
  figures.push_back({.path = weight_path,
                     .value = parameter.value,
                     .from = {.grade = profiles::ParameterGrade::fitted, .source = parameter.source}});
  result.parameters.push_back(std::move(parameter));
}

// Sets `rate_weight` of the fitted profile to what rates of one process alone tell, and notes what was
// learned. `predicted`: for each reference value of `used`, in order. Nothing changes without such rates, or
// where the profile has no factor of the host.
void learn_spread(Calibration& result, const std::vector<RunConfiguration>& used,
                  const std::vector<double>& predicted) {
  auto& eager = result.profile.spec->runtimes[process::Runtime::eager];
  const std::vector<double> apart = residuals(used, predicted);
  if (apart.empty() || !eager || !has_host_time(result.profile)) return;
  const auto n = static_cast<double>(apart.size());
  double squares = 0;
  for (const double each : apart) squares += each * each;
  const double of_networks = network_host_sd * network_host_sd;
  const auto as_usual = static_cast<double>(spread_known_by);
  const double expected = (squares + as_usual * of_networks) / (n + as_usual);
  const double weight =
      apart.size() < spread_known_by ? 1 : std::round(100 * std::min(1.0, of_networks / expected)) / 100;
  result.own.notes.push_back(fmt::format(
      "eager: the host takes {:.2f} times the profile's time for its operators; {} rates scatter by {:.0f} % "
      "about that, networks usually by {:.0f} %, so a network's own rate counts by {:.0f} % (rate_weight)",
      eager->host_time, apart.size(), 100 * std::sqrt(squares / n), 100 * network_host_sd, 100 * weight));
  eager->rate_weight = weight;
  add(result, {.path = weight_path,
               .prior = "100 %",
               .value = fmt::format("{:.0f} %", 100 * weight),
               .of_prior = weight,
               .identified = true,
               .source = "the scatter of eager rates"});
}

using calibration::Measured;
using calibration::Parameter;

// `one_host`: costs of eager follow operators, times one factor.
std::vector<Measured> measured(const std::vector<RunConfiguration>& configurations, bool one_host) {
  std::vector<Measured> rows;
  for (const RunConfiguration& configuration : configurations) {
    const double host =
        one_host && configuration.runtime == "eager" ? std::hypot(network_host_sd, run_host_sd) : 0;
    for (const ReferenceValue& reference : configuration.reference_values)
      rows.push_back({reference.value, std::hypot(model_sd(reference.metric), reference.sd, host)});
  }
  return rows;
}

// `start`: a value for each unknown, or empty.
calibration::LogFit fitted(const Bench& bench, const std::vector<Unknown>& unknowns,
                           const std::vector<Measured>& rows, std::vector<double> start, bool hold) {
  std::vector<Parameter> parameters;
  for (const Unknown& unknown : unknowns) parameters.push_back(unknown.parameter);
  calibration::FitOptions options;
  options.start = std::move(start);
  if (hold) options.max_iterations = 0;
  return calibration::fit(
      parameters, rows,
      [&](std::span<const std::vector<double>> points) { return bench.predict(unknowns, points); }, options);
}

std::vector<double> start_at(const Calibration* near, const std::vector<Unknown>& unknowns) {
  std::vector<double> start;
  if (near == nullptr) return start;
  for (const Unknown& unknown : unknowns) {
    const auto known = std::ranges::find(near->parameters, unknown.parameter.name, &FittedParameter::path);
    start.push_back(known != near->parameters.end() ? known->of_prior : unknown.parameter.prior);
  }
  return start;
}

// A parameter with at least this share of its prior variance left is not identified by any row.
constexpr double unidentified = 0.999;

// True if the fit has moved a parameter to an end of its range.
bool at_bound(const Parameter& parameter, double value) {
  constexpr double near = 1.005;
  return value <= parameter.lower * near || value >= parameter.upper / near;
}

FittedParameter fitted_parameter(const Unknown& unknown, double value, double variance,
                                 double variance_left) {
  const bool bound = at_bound(unknown.parameter, value);
  return {.path = unknown.parameter.name,
          .prior = unknown.before,
          .value = unknown.is_factor() ? fmt::format("{:.4f}", value) : unknown.centre.times(value),
          .of_prior = value,
          .sd = std::sqrt(variance),
          .variance_left = variance_left,
          .identified = calibration::identified(variance_left) && !bound,
          .at_bound = bound,
          .source = std::string(unknown.source)};
}

// Why the runs identify no parameter: the row that is furthest from its prediction, if it is far from it.
std::string why_none(const std::vector<RunConfiguration>& runs, const std::vector<Measured>& rows,
                     const std::vector<double>& predicted) {
  const std::string why = "the runs do not identify any parameter of the profile";
  double worst = 2;  // a factor of two is not far
  std::size_t row = 0;
  std::string of_worst;
  for (const RunConfiguration& run : runs) {
    for (const ReferenceValue& reference : run.reference_values) {
      const double ratio = predicted[row] > 0 ? predicted[row] / rows[row].value : 0;
      ++row;
      if (!(ratio > 0) || std::max(ratio, 1 / ratio) < worst) continue;
      worst = std::max(ratio, 1 / ratio);
      of_worst =
          fmt::format("{} of run {} ({}) is predicted at {:.3g} times what was measured", reference.metric,
                      input::printable(reference.run), input::printable(run.text()), ratio);
    }
  }
  if (of_worst.empty()) return why;
  return fmt::format("{}: {}; is its batch, precision, input, runtime or unit another?", why, of_worst);
}

// True if the tables alone predict all measured values of a run, so that the run determines no parameter.
bool predicted_by_tables(const RunConfiguration& run, const OwnTables& tables) {
  return tables.cover(run) && run.runtime == "cuda-graph" && run.processes == 1 &&
         std::ranges::all_of(run.reference_values,
                             [](const ReferenceValue& value) { return value.metric == "throughput"; });
}

// The result if only tables were taken over, and no parameter was fitted.
Calibration of_tables(const profiles::BaseProfile& base, const OwnTables& tables) {
  Calibration result;
  result.device = base.name;
  result.converged = true;
  result.profile = base.profile;
  result.document = base.document;
  result.own = tables;
  return result;
}

}  // namespace

profiles::Uncertainty Calibration::uncertainty() const {
  profiles::Uncertainty found;
  for (const FittedParameter& parameter : parameters) found.figures.push_back(parameter.path);
  found.covariance = covariance;
  if (covariance.empty()) {  // direct estimates from separate rows are independent
    const std::size_t n = parameters.size();
    found.covariance.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) found.covariance[i * n + i] = parameters[i].sd * parameters[i].sd;
  }
  return found;
}

// NOLINTNEXTLINE(readability-function-size): the steps of a calibration, one after another
Calibration calibrate(const profiles::BaseProfile& shipped,
                      const std::vector<RunConfiguration>& configurations, PriorsFrom from,
                      const CalibrationControl& control, const Calibration* near) {
  std::vector<RunConfiguration> used;
  const std::string device = profiles::shipped_device_of(shipped.name);
  for (const RunConfiguration& configuration : configurations) {
    if (configuration.on_gpu()) used.push_back(shortened(configuration));
    if (!configuration.device.empty() && configuration.device != shipped.name &&
        configuration.device != device)
      throw CalibrationError(
          fmt::format("{}: a run of {}, not of {}", configuration.model, configuration.device, shipped.name));
  }
  const OwnTables tables = own_tables(used, shipped);
  const profiles::BaseProfile base = tables.empty() ? shipped : with_tables(shipped, tables);
  // Rates of networks launched kernel by kernel determine the runtime's host costs first, then the deviation
  // of a network from them.
  const profiles::BaseProfile to_fit =
      tables.empty() ? shipped : with_tables(shipped, tables.without_eager_rates());
  std::erase_if(used, [&tables](const RunConfiguration& run) {
    return run.reference_values.empty() || !tables.can_run(run) || predicted_by_tables(run, tables);
  });
  if (used.empty() && !tables.empty()) return of_tables(base, tables);
  if (used.empty())
    throw CalibrationError(
        "no run of a network on the GPU to fit: of a run, a fit needs a network (import with --model, or "
        "beside a log of trtexec with the same --run), its --precision and --batch, and a throughput, a "
        "time, a power or memory use: a log of trtexec, of tegrastats or jtop beside it, its exported times "
        "or profile, or an nsys database or a trace of the PyTorch profiler with its kernels in order");

  const Bench bench(to_fit, used, from, control);
  const std::vector<Measured> rows = measured(used, has_host_time(base.profile));
  std::vector<Unknown> unknowns = profile_unknowns(base, from);
  // The power of a card is fitted by itself (power_fit.hpp).
  if (!base.profile.spec->memory.unified)
    std::erase_if(unknowns, [](const Unknown& unknown) { return unknown.path.starts_with("power."); });
  add_factors(unknowns, used, tables);
  // Parameters that all rows leave undetermined cannot be determined from fewer rows.
  if (near != nullptr)
    std::erase_if(unknowns, [near](const Unknown& unknown) {
      return !unknown.is_factor() && std::ranges::find(near->parameters, unknown.parameter.name,
                                                       &FittedParameter::path) == near->parameters.end();
    });
  if (unknowns.empty() && !tables.empty()) return of_tables(base, tables);
  // Unidentified parameters are left out of the fit and keep the values of the profile.
  const calibration::LogFit first = fitted(bench, unknowns, rows, start_at(near, unknowns), control.hold);
  std::vector<Unknown> identified;
  std::vector<double> start;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (first.variance_left[i] >= unidentified) continue;
    identified.push_back(unknowns[i]);
    start.push_back(first.values[i]);
  }
  if (identified.empty() && !tables.empty()) return of_tables(base, tables);
  if (identified.empty()) throw CalibrationError(why_none(used, rows, first.predicted));

  const calibration::LogFit last =
      identified.size() == unknowns.size() ? first : fitted(bench, identified, rows, start, control.hold);
  Calibration result = of_tables(base, tables);
  for (const RunConfiguration& configuration : used)
    if (configuration.network() != configuration.model)
      result.files.emplace(configuration.network(), configuration.model);
  result.rows = rows.size();
  result.points = first.points + (identified.size() == unknowns.size() ? 0 : last.points);
  result.converged = last.converged;
  result.covariance = last.covariance;
  for (std::size_t i = 0; i < identified.size(); ++i) {
    const Unknown& unknown = identified[i];
    result.parameters.push_back(fitted_parameter(
        unknown, last.values[i], last.covariance[i * identified.size() + i], last.variance_left[i]));
  }
  result.profile = bench.profile(identified, last.values);
  result.profile.spec->evidence = base.profile.spec->evidence;
  result.factors = bench.factors(identified, last.values, result.profile);
  learn_spread(result, used, last.predicted);
  return result;
}

}  // namespace jostle::calibration
