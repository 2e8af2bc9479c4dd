#include "analyses/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/priors.hpp"
#include "input/quantity.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

using calibration::Measured;
using calibration::Parameter;
using calibration::Prior;

// What a model is expected to be off by, in a figure of each kind, however well it was measured.
double model_sd(const std::string& metric) {
  switch (kind_of(metric)) {
    case MetricKind::power:
      return metric == "power" ? 0.03 : 0.05;
    case MetricKind::traffic:
    case MetricKind::memory:
      return 0.1;
    default:
      return metric == "enqueue" ? 0.1 : 0.02;
  }
}

// One parameter of the fit: a figure of the profile, or a factor that several networks have in common.
struct Unknown {
  Parameter parameter;  // in the figure's own unit, or relative
  std::string path;     // empty: a factor
  input::Written centre;
  std::string before;  // as the profile has it
  std::string_view source;
  std::string family, network;  // of a factor; empty: of all
  scenarios::Precision precision = scenarios::Precision::fp16;

  [[nodiscard]] bool is_factor() const { return path.empty(); }
  [[nodiscard]] bool is_of(const std::string& of_family, const std::string& of_network,
                           scenarios::Precision in) const {
    return is_factor() && precision == in && (family.empty() || family == of_family) &&
           (network.empty() || network == of_network);
  }
};

Unknown figure_of(const Prior& prior, const input::Written& centre, const std::string& before) {
  Unknown unknown;
  unknown.path = prior.path;
  unknown.parameter = {unknown.path, 1, prior.sd, 1 / prior.range, prior.range};
  unknown.parameter.upper = prior.most(centre.number, centre.unit);
  unknown.centre = centre;
  unknown.before = before;
  unknown.source = prior.source;
  return unknown;
}

// Another figure of the profile may keep it from going so far.
bool can_range(const calibration::BaseProfile& base, const Unknown& unknown) {
  const auto can = [&](double ratio) {
    input::Problems none;
    return calibration::profile_of(base.document, none,
                                   {fmt::format("{}={{value: {}, grade: fitted, source: fit}}", unknown.path,
                                                unknown.centre.times(ratio))})
        .has_value();
  };
  return can(unknown.parameter.lower) && can(unknown.parameter.upper);
}

std::vector<Unknown> figures_of(const calibration::BaseProfile& base, PriorsFrom from) {
  std::vector<Unknown> unknowns;
  for (const Prior& prior : calibration::priors()) {
    const auto known =
        std::ranges::find(base.profile.figures, prior.path, &calibration::ProfileParameter::path);
    if (known == base.profile.figures.end()) continue;
    const bool own = prior.centre.empty() || from == PriorsFrom::profile;
    const auto centre = input::quantity(own ? std::string_view(known->value) : prior.centre);
    if (!centre) continue;
    Unknown unknown = figure_of(prior, *centre, known->value);
    if (can_range(base, unknown)) unknowns.push_back(std::move(unknown));
  }
  return unknowns;
}

Unknown factor_of(std::string family, std::string network, scenarios::Precision precision, double sd) {
  Unknown unknown;
  unknown.family = std::move(family);
  unknown.network = std::move(network);
  unknown.precision = precision;
  const std::string& of = unknown.network.empty() ? unknown.family : unknown.network;
  unknown.parameter = {fmt::format("factor{}{} {}", of.empty() ? "" : " ", of, dnn::to_string(precision)), 1,
                       sd, 1 / calibration::factor_range, calibration::factor_range};
  unknown.before = "1";
  unknown.source = "the spread of factors between families and networks";
  return unknown;
}

void add_factors(std::vector<Unknown>& unknowns, const std::vector<RunConfiguration>& settings) {
  const auto add = [&unknowns](Unknown unknown) {
    const auto same = [&](const Unknown& other) { return other.parameter.name == unknown.parameter.name; };
    if (std::ranges::none_of(unknowns, same)) unknowns.push_back(std::move(unknown));
  };
  for (const RunConfiguration& setting : settings) {
    const scenarios::Precision precision = *setting.scenario.processes.front().precision;
    if (setting.runtime != "tensorrt" && setting.runtime != "cuda-graph") continue;
    add(factor_of({}, {}, precision, calibration::precision_factor_sd));
    add(factor_of(setting.family(), {}, precision, calibration::family_factor_sd));
    add(factor_of(setting.family(), setting.model, precision, calibration::network_factor_sd));
  }
}

class Bench {
 public:
  Bench(const calibration::BaseProfile& base, const std::vector<RunConfiguration>& settings, PriorsFrom from,
        const CalibrationControl& control)
      : base_(base), settings_(settings), from_(from), control_(control) {}

  [[nodiscard]] calibration::Profile profile(const std::vector<Unknown>& unknowns,
                                             const std::vector<double>& values) const {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      if (!unknowns[i].is_factor())
        set.push_back(fmt::format("{}={{value: {}, grade: fitted, source: fit}}", unknowns[i].path,
                                  unknowns[i].centre.times(values[i])));
    }
    input::Problems problems;
    auto profile = calibration::profile_of(base_.document, problems, set);
    if (!profile) throw CalibrationError(problems.text());
    const std::vector<dnn::Factor> own = factors(unknowns, values, profile->spec.name);
    // Shipped factors may have been fitted on the very rows that are to be unknown.
    if (from_ == PriorsFrom::reference) profile->factors.clear();
    profile->factors.insert(profile->factors.begin(), own.begin(), own.end());
    return std::move(*profile);
  }

  // Of the networks measured, and of families and precisions for those that were not.
  [[nodiscard]] std::vector<dnn::Factor> factors(const std::vector<Unknown>& unknowns,
                                                 const std::vector<double>& values,
                                                 const std::string& device) const {
    std::vector<dnn::Factor> found;
    const auto add = [&](const std::string& of, const std::string& family, const std::string& network,
                         scenarios::Precision precision) {
      double product = known_factor(network, family, precision);
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        if (unknowns[i].is_of(family, network, precision)) product *= values[i];
      found.push_back({.device = of,
                       .model = network,
                       .family = family,
                       .precision = precision,
                       .value = product,
                       .basis = "calibrated"});
    };
    for (const Unknown& unknown : unknowns) {
      if (!unknown.network.empty()) add(device, unknown.family, unknown.network, unknown.precision);
      if (!unknown.is_factor() || !unknown.family.empty()) continue;
      std::vector<std::string> families;
      for (const dnn::Model& model : dnn::models()) {
        if (std::ranges::find(families, model.family) != families.end()) continue;
        families.emplace_back(model.family);
        add({}, families.back(), {}, unknown.precision);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<std::vector<double>> predict(const std::vector<Unknown>& unknowns,
                                                         std::span<const std::vector<double>> points) const {
    std::vector<std::vector<std::vector<double>>> found(points.size());
    std::vector<calibration::Profile> profiles(points.size());
    scenarios::parallel_for(points.size(),
                            [&](std::size_t i) { profiles[i] = profile(unknowns, points[i]); });
    for (auto& rows : found) rows.resize(settings_.size());
    scenarios::parallel_for(points.size() * settings_.size(), [&](std::size_t i) {
      const std::size_t point = i / settings_.size(), setting = i % settings_.size();
      found[point][setting] = figures(profiles[point], settings_[setting], control_.interrupt);
    });
    if (control_.progress) control_.progress();
    std::vector<std::vector<double>> rows;
    for (const auto& of_point : found) {
      auto& flat = rows.emplace_back();
      for (const auto& of_setting : of_point) flat.insert(flat.end(), of_setting.begin(), of_setting.end());
    }
    return rows;
  }

  static std::vector<double> figures(const calibration::Profile& profile, const RunConfiguration& setting,
                                     const std::atomic<bool>* interrupt) {
    const auto result = run(setting.scenario, profile,
                            scenarios::RunControl{.interrupt = interrupt, .trace = nullptr, .progress = {}});
    if (!result) throw scenarios::Interrupted();
    std::vector<double> found;
    for (const ReferenceValue& figure : setting.figures)
      found.push_back(predicted(*result, figure.metric, setting));
    return found;
  }

 private:
  [[nodiscard]] double known_factor(const std::string& network, const std::string& family,
                                    scenarios::Precision precision) const {
    if (from_ == PriorsFrom::reference) return 1;
    const dnn::Factor* const factor = dnn::find_factor(base_.profile.factors, base_.profile.spec.name,
                                                       network, family, precision, dnn::Lowering::optimised);
    return factor != nullptr ? factor->value : 1;
  }

  const calibration::BaseProfile& base_;
  const std::vector<RunConfiguration>& settings_;
  PriorsFrom from_;
  const CalibrationControl& control_;
};

std::vector<Measured> measured(const std::vector<RunConfiguration>& settings) {
  std::vector<Measured> rows;
  for (const RunConfiguration& setting : settings) {
    for (const ReferenceValue& figure : setting.figures)
      rows.push_back({figure.value, std::hypot(model_sd(figure.metric), figure.sd)});
  }
  return rows;
}

// `start`: a value for each unknown, or none.
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
    const auto known = std::ranges::find(near->figures, unknown.parameter.name, &FittedParameter::path);
    start.push_back(known != near->figures.end() ? known->of_prior : unknown.parameter.prior);
  }
  return start;
}

// Where clocks are pinned nothing moves slowly, and governors settle within some of their polls: the mean
// over less is the same.
RunConfiguration shortened(RunConfiguration setting) {
  const bool pinned = setting.scenario.jetson_clocks.value_or(false);
  setting.scenario.run.warmup = sim::milliseconds(pinned ? 50 : 500);
  setting.scenario.run.duration = sim::milliseconds(250);
  return setting;
}

// Of no row's concern.
constexpr double untouched = 0.999;

}  // namespace

calibration::Uncertainty Calibration::uncertainty() const {
  calibration::Uncertainty found;
  for (const FittedParameter& figure : figures) found.figures.push_back(figure.path);
  found.covariance = covariance;
  if (covariance.empty()) {  // of direct estimates, each from rows of its own
    const std::size_t n = figures.size();
    found.covariance.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) found.covariance[i * n + i] = figures[i].sd * figures[i].sd;
  }
  return found;
}

Calibration calibrate(const calibration::BaseProfile& base, const std::vector<RunConfiguration>& settings,
                      PriorsFrom from, const CalibrationControl& control, const Calibration* near) {
  std::vector<RunConfiguration> used;
  for (const RunConfiguration& setting : settings) {
    if (setting.on_gpu()) used.push_back(shortened(setting));
    if (setting.device != base.name)
      throw CalibrationError(
          fmt::format("{}: a run of {}, not of {}", setting.figures.front().run, setting.device, base.name));
  }
  if (used.empty()) throw CalibrationError("no run of a network on the GPU to fit to");

  const Bench bench(base, used, from, control);
  const std::vector<Measured> rows = measured(used);
  std::vector<Unknown> unknowns = figures_of(base, from);
  add_factors(unknowns, used);
  // What no row depends on is left out, at what the profile has.
  const calibration::LogFit first = fitted(bench, unknowns, rows, start_at(near, unknowns), control.hold);
  std::vector<Unknown> touched;
  std::vector<double> so_far;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (first.variance_left[i] >= untouched) continue;
    touched.push_back(unknowns[i]);
    so_far.push_back(first.values[i]);
  }
  if (touched.empty()) throw CalibrationError("the runs tell nothing of the profile");

  const calibration::LogFit last =
      touched.size() == unknowns.size() ? first : fitted(bench, touched, rows, so_far, control.hold);
  Calibration result;
  result.device = base.name;
  result.rows = rows.size();
  result.points = first.points + (touched.size() == unknowns.size() ? 0 : last.points);
  result.converged = last.converged;
  result.covariance = last.covariance;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const Unknown& unknown = touched[i];
    result.figures.push_back({.path = unknown.parameter.name,
                              .prior = unknown.before,
                              .value = unknown.is_factor() ? fmt::format("{:.4f}", last.values[i])
                                                           : unknown.centre.times(last.values[i]),
                              .of_prior = last.values[i],
                              .sd = std::sqrt(last.covariance[i * touched.size() + i]),
                              .variance_left = last.variance_left[i],
                              .identified = calibration::identified(last.variance_left[i]),
                              .source = std::string(unknown.source)});
  }
  result.profile = bench.profile(touched, last.values);
  result.factors = bench.factors(touched, last.values, base.profile.spec.name);
  return result;
}

}  // namespace jostle::analyses
