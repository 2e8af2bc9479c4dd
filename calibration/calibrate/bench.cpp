#include "calibration/calibrate/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calibration/calibrate/layer_times.hpp"
#include "calibration/evidence/comparison.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/onnx/content_name.hpp"
#include "profiles/profile/priors.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {
namespace {

using profiles::Prior;

Unknown unknown_of(const profiles::Prior& prior, const input::Written& centre, const std::string& before) {
  Unknown unknown;
  unknown.path = prior.path;
  unknown.parameter = {unknown.path, 1, prior.sd, 1 / prior.range, prior.range};
  unknown.parameter.upper = prior.most(centre.number, centre.unit);
  unknown.centre = centre;
  unknown.before = before;
  unknown.source = prior.source;
  return unknown;
}

// Returns whether the profile is valid at both ends of the range. Another parameter may restrict it.
bool is_valid_over_range(const profiles::BaseProfile& base, const Unknown& unknown) {
  const auto is_valid = [&](double ratio) {
    input::Problems none;
    return profiles::profile_of(base.document, none,
                                {fmt::format("{}={{value: {}, grade: fitted, source: fit}}", unknown.path,
                                             unknown.centre.times(ratio))})
        .has_value();
  };
  return is_valid(unknown.parameter.lower) && is_valid(unknown.parameter.upper);
}

Unknown factor_of(std::string family, std::string network, scenarios::Precision precision, double sd) {
  Unknown unknown;
  unknown.family = std::move(family);
  unknown.network = std::move(network);
  unknown.precision = precision;
  const std::string& of = unknown.network.empty() ? unknown.family : unknown.network;
  unknown.parameter = {fmt::format("factor{}{} {}", of.empty() ? "" : " ", of, dnn::to_string(precision)), 1,
                       sd, 1 / profiles::factor_range, profiles::factor_range};
  unknown.before = "1";
  unknown.source = "the spread of factors between families and networks";
  return unknown;
}

std::vector<double> predicted_values(const profiles::Profile& profile, const RunConfiguration& configuration,
                                     const std::atomic<bool>* interrupt) {
  return predicted_values(
      simulated(*configuration.scenario, profile, {.interrupt = interrupt, .progress = {}}), configuration);
}

bool is_cost_of_eager(std::string_view path) {
  return path == "runtimes.eager.per_launch" || path == "runtimes.eager.per_batch";
}

}  // namespace

bool has_host_time(const profiles::Profile& profile) {
  const auto& eager = profile.spec->runtimes[process::Runtime::eager];
  return eager && eager->per_operator > sim::Duration::zero() &&
         std::ranges::find(profile.figures, host_time_path, &profiles::ProfileParameter::path) !=
             profile.figures.end();
}

double model_sd(const std::string& metric) {
  switch (kind_of(metric)) {
    case MetricKind::power:
      return metric == "power" ? 0.03 : 0.05;
    case MetricKind::traffic:
    case MetricKind::memory:
      return 0.1;
    default:
      if (metric == "layers_time") return 0.05;  // the profiler lengthens it
      return metric == "enqueue" ? 0.1 : 0.02;
  }
}

std::vector<Unknown> profile_unknowns(const profiles::BaseProfile& base, PriorsFrom from) {
  std::vector<Unknown> unknowns;
  const bool one_host = has_host_time(base.profile);
  for (const profiles::Prior& prior : profiles::priors()) {
    const auto known = std::ranges::find(base.profile.figures, prior.path, &profiles::ProfileParameter::path);
    const bool other = one_host ? is_cost_of_eager(prior.path) : prior.path == host_time_path;
    if (known == base.profile.figures.end() || other) continue;
    const bool own = prior.centre.empty() || from == PriorsFrom::profile;
    const auto centre = input::quantity(own ? std::string_view(known->value) : prior.centre);
    if (!centre) continue;
    Unknown unknown = unknown_of(prior, *centre, known->value);
    if (is_valid_over_range(base, unknown)) unknowns.push_back(std::move(unknown));
  }
  return unknowns;
}

void add_factors(std::vector<Unknown>& unknowns, const std::vector<RunConfiguration>& configurations,
                 const OwnTables& tables) {
  const auto add = [&unknowns](Unknown unknown) {
    const auto same = [&](const Unknown& other) { return other.parameter.name == unknown.parameter.name; };
    if (std::ranges::none_of(unknowns, same)) unknowns.push_back(std::move(unknown));
  };
  // Returns whether the network's layers were timed in some run.
  const auto timed = [&configurations](const RunConfiguration& of) {
    return std::ranges::any_of(configurations, [&](const RunConfiguration& other) {
      return !other.layer_times.empty() && other.network() == of.network() && other.precision == of.precision;
    });
  };
  for (const RunConfiguration& configuration : configurations) {
    const scenarios::Precision precision = *configuration.scenario->processes.front().work.precision;
    const dnn::Lowering lowering =
        process::traits_of(configuration.scenario->processes.front().host.runtime).lowering;
    const std::string network = configuration.network(), family = configuration.family();
    if (lowering != dnn::Lowering::optimised) {
      if (tables.cover(configuration) || configuration.reference_values.empty()) continue;
      Unknown own = factor_of(family, network, precision, profiles::framework_factor_sd);
      own.lowering = lowering;
      own.parameter.name += fmt::format(" {}", dnn::to_string(lowering));
      add(std::move(own));
      continue;
    }
    if (configuration.runtime != "tensorrt") continue;
    const bool file = profiles::is_content_name(network);
    if (timed(configuration)) {
      Unknown own = factor_of(family, network, precision, profiles::timed_layers_factor_sd);
      own.alone = true;
      add(std::move(own));
      continue;
    }
    add(factor_of({}, {}, precision, profiles::precision_factor_sd));
    if (!file) add(factor_of(family, {}, precision, profiles::family_factor_sd));
    add(factor_of(family, network, precision, file ? profiles::file_factor_sd : profiles::network_factor_sd));
  }
}

profiles::Profile Bench::profile(const std::vector<Unknown>& unknowns,
                                 const std::vector<double>& values) const {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (!unknowns[i].is_factor())
      set.push_back(fmt::format("{}={{value: {}, grade: fitted, source: fit}}", unknowns[i].path,
                                unknowns[i].centre.times(values[i])));
  }
  input::Problems problems;
  auto profile = profiles::profile_of(base_.document, problems, set);
  if (!profile) throw CalibrationError(problems.text());
  // The shipped factors may have been fitted to the same rows.
  if (from_ == PriorsFrom::reference) profile->factors.clear();
  profile->factors = dnn::with_own(factors(unknowns, values, *profile), profile->factors);
  return std::move(*profile);
}

// The factors of the measured networks, and of families and precisions for the other networks. `profile`: the
// board with the other values.
std::vector<dnn::Factor> Bench::factors(const std::vector<Unknown>& unknowns,
                                        const std::vector<double>& values,
                                        const profiles::Profile& profile) const {
  const dnn::Chip chip = dnn::Chip::of(profile.spec->gpu);
  std::vector<dnn::Factor> found;
  const auto add = [&](const dnn::Chip& of, const std::string& family, const std::string& network,
                       scenarios::Precision precision, dnn::Lowering lowering) {
    double product = known_factor(network, family, precision, lowering);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      if (unknowns[i].is_of(family, network, precision, lowering)) product *= values[i];
    found.push_back({.chip = of,
                     .model = network,
                     .family = family,
                     .precision = precision,
                     .lowering = lowering,
                     .value = product,
                     .basis = "calibrated"});
  };
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Unknown& unknown = unknowns[i];
    if (unknown.alone) {
      add_timed(unknown, values[i], profile, found);
      continue;
    }
    if (!unknown.network.empty())
      add(chip, unknown.family, unknown.network, unknown.precision, unknown.lowering);
    if (!unknown.is_factor() || !unknown.family.empty()) continue;
    std::vector<std::string> families;
    for (const dnn::Model& model : dnn::models()) {
      if (std::ranges::find(families, model.family) != families.end()) continue;
      families.emplace_back(model.family);
      add({}, families.back(), {}, unknown.precision, unknown.lowering);
    }
  }
  return found;
}

std::vector<std::vector<double>> Bench::predict(const std::vector<Unknown>& unknowns,
                                                std::span<const std::vector<double>> points) const {
  std::vector<std::vector<std::vector<double>>> found(points.size());
  std::vector<profiles::Profile> profiles(points.size());
  scenarios::parallel_for(points.size(), [&](std::size_t i) { profiles[i] = profile(unknowns, points[i]); });
  for (auto& rows : found) rows.resize(configurations_.size());
  scenarios::parallel_for(points.size() * configurations_.size(), [&](std::size_t i) {
    const std::size_t point = i / configurations_.size(), configuration = i % configurations_.size();
    found[point][configuration] =
        predicted_values(profiles[point], configurations_[configuration], control_.interrupt);
  });
  if (control_.progress) control_.progress();
  std::vector<std::vector<double>> rows;
  for (const auto& of_point : found) {
    auto& flat = rows.emplace_back();
    for (const auto& of_configuration : of_point)
      flat.insert(flat.end(), of_configuration.begin(), of_configuration.end());
  }
  return rows;
}

// Adds a factor for each batch size at which the network's layers were timed. The predicted layer times stay
// the measured ones, whatever the other unknowns do to the computed times.
void Bench::add_timed(const Unknown& unknown, double value, const profiles::Profile& profile,
                      std::vector<dnn::Factor>& found) const {
  for (const RunConfiguration& configuration : configurations_) {
    if (configuration.layer_times.empty() || configuration.network() != unknown.network ||
        configuration.scenario->processes.front().work.precision != unknown.precision)
      continue;
    found.push_back({.chip = dnn::Chip::of(profile.spec->gpu),
                     .model = unknown.network,
                     .family = unknown.family,
                     .precision = unknown.precision,
                     .value = value,
                     .basis = "calibrated",
                     .layers = layer_factors(configuration, profile),
                     .batch = configuration.batch,
                     .gpu_hz = gpu_clock_of(configuration, profile)});
  }
}

double Bench::known_factor(const std::string& network, const std::string& family,
                           scenarios::Precision precision, dnn::Lowering lowering) const {
  if (from_ == PriorsFrom::reference) return 1;
  const dnn::Factor* const factor = dnn::find_factor(
      base_.profile.factors, {dnn::Chip::of(base_.profile.spec->gpu), network, family, precision, lowering});
  return factor != nullptr ? factor->value : 1;
}

RunConfiguration shortened(RunConfiguration configuration) {
  const bool pinned = configuration.scenario->jetson_clocks.value_or(false);
  configuration.scenario->run.warmup = sim::milliseconds(pinned ? 50 : 500);
  // A turn on Orin lasts 4 ms.
  configuration.scenario->run.duration = sim::milliseconds(configuration.processes > 1 ? 500 : 250);
  return configuration;
}

}  // namespace jostle::calibration
