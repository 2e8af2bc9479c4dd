#include "calibration/calibrate/next_log.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "calibration/calibrate/bench.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/priors.hpp"
#include "sim/math.hpp"

namespace jostle::calibration {
namespace {

constexpr double step = 0.05;  // step of a logarithm, for finite differences
constexpr double normal_quantile_90 =
    1.645;                        // normal distribution: 90 % is within this many standard deviations
constexpr double worth_it = 0.9;  // a log is listed if it narrows an interval to at most this share
constexpr double most_off = 1;    // largest standard deviation; beyond it, intervals are not normal

struct Candidate {
  std::string log;    // the log that the user would record
  std::string about;  // the prediction that a run like this stands for
  RunConfiguration run;
};

std::string name_of(const RunConfiguration& run) {
  return std::filesystem::path(run.model).filename().string();
}

void ask(RunConfiguration& run, std::initializer_list<const char*> metrics) {
  run.layer_times.clear();
  run.kernels.clear();
  run.reference_values.clear();
  for (const char* const metric : metrics) run.reference_values.push_back({"next", metric, 1, 0});
}

// Runs like `like`, each changed in one way.
std::vector<Candidate> candidates(const RunConfiguration& like, const profiles::Profile& profile) {
  std::vector<Candidate> found;
  const std::string network = name_of(like);
  const auto add = [&](std::string log, std::string about, const auto& change) {
    Candidate candidate{std::move(log), std::move(about), like};
    ask(candidate.run, {"throughput"});
    change(candidate.run, candidate.run.scenario->processes.front());
    found.push_back(std::move(candidate));
  };
  add(fmt::format("a run of {} by one process", network), "throughput of one process",
      [](RunConfiguration& run, scenarios::ProcessEntry& entry) {
        run.processes = entry.count = 1;
        ask(run, {"throughput", "gpu_time", "enqueue"});
      });
  for (const std::int64_t processes : {2, 4})
    add(fmt::format("a run of {} with {} processes", network, processes),
        fmt::format("throughput of {} processes", processes),
        [processes](RunConfiguration& run, scenarios::ProcessEntry& entry) {
          run.processes = entry.count = processes;
        });
  add(fmt::format("a run of {} at batch {}", network, 4 * like.batch),
      fmt::format("throughput at batch {}", 4 * like.batch),
      [](RunConfiguration& run, scenarios::ProcessEntry& entry) {
        run.processes = entry.count = 1;
        run.batch = entry.work.batch = 4 * run.batch;
      });
  const bool half = like.precision == "fp16";
  add(fmt::format("a run of {} in {}", network, half ? "int8" : "fp16"),
      fmt::format("throughput in {}", half ? "int8" : "fp16"),
      [half](RunConfiguration& run, scenarios::ProcessEntry& entry) {
        run.processes = entry.count = 1;
        run.precision = half ? "int8" : "fp16";
        entry.work.precision = half ? scenarios::Precision::int8 : scenarios::Precision::fp16;
      });
  if (profile.spec->power)
    add(fmt::format("tegrastats beside a run of {}", network), "power",
        [](RunConfiguration& run, scenarios::ProcessEntry& entry) {
          run.processes = entry.count = 1;
          ask(run, {"power"});
        });
  return found;
}

bool is_known(const RunConfiguration& run, const std::vector<RunConfiguration>& configurations) {
  return std::ranges::any_of(configurations, [&](const RunConfiguration& known) {
    return known.text() == run.text() && known.network() == run.network() &&
           std::ranges::any_of(known.reference_values, [&](const ReferenceValue& value) {
             return value.metric == run.reference_values.front().metric;
           });
  });
}

// The derivatives of the logarithms of all candidates' values by the logarithms of the unknowns.
Eigen::MatrixXd sensitivities(const Bench& bench, const std::vector<Unknown>& unknowns,
                              const std::vector<double>& at) {
  std::vector<std::vector<double>> points{at};
  std::vector<double> moved;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto& [name, prior, sd, lower, upper] = unknowns[i].parameter;
    const bool room = at[i] * sim::exp(step) <= upper;
    moved.push_back(room ? step : at[i] * sim::exp(-step) >= lower ? -step : 0);
    points.push_back(at);
    points.back()[i] *= sim::exp(moved.back());
  }
  const auto found = bench.predict(unknowns, points);
  const auto rows = static_cast<Eigen::Index>(found.front().size());
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (Eigen::Index row = 0; row < rows && moved[i] != 0; ++row) {
      const double before = found.front()[static_cast<std::size_t>(row)];
      const double after = found[i + 1][static_cast<std::size_t>(row)];
      if (before > 0 && after > 0)
        slopes(row, static_cast<Eigen::Index>(i)) = sim::log(after / before) / moved[i];
    }
  }
  return slopes;
}

// The covariance of the unknowns: the fitted one, and the prior variance for unknowns that the fit did not
// include.
Eigen::MatrixXd covariance_of(const std::vector<Unknown>& unknowns, const Calibration& calibration) {
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n);
  const std::size_t fitted = calibration.parameters.size();
  std::vector<std::size_t> in_fit;
  for (const Unknown& unknown : unknowns) {
    const auto known =
        std::ranges::find(calibration.parameters, unknown.parameter.name, &FittedParameter::path);
    in_fit.push_back(static_cast<std::size_t>(known - calibration.parameters.begin()));
  }
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    // A network's factor in another precision is known best from its factor in the measured precision.
    const double sd = unknowns[i].is_factor()
                          ? std::min(unknowns[i].parameter.prior_sd, profiles::precision_factor_sd)
                          : unknowns[i].parameter.prior_sd;
    if (in_fit[i] == fitted) covariance(row, row) = sd * sd;
    for (std::size_t j = 0; j < unknowns.size() && in_fit[i] < fitted; ++j)
      if (in_fit[j] < fitted)
        covariance(row, static_cast<Eigen::Index>(j)) =
            calibration.covariance[in_fit[i] * fitted + in_fit[j]];
  }
  return covariance;
}

// The value of each unknown in the calibrated profile, relative to its centre.
std::vector<double> values_of(const std::vector<Unknown>& unknowns, const Calibration& calibration) {
  std::vector<double> values;
  for (const Unknown& unknown : unknowns) {
    const auto known =
        std::ranges::find(calibration.parameters, unknown.parameter.name, &FittedParameter::path);
    values.push_back(known == calibration.parameters.end() ? 1 : known->of_prior);
  }
  return values;
}

double half_width(double variance, const std::string& metric) {
  const double sd =
      std::min(std::sqrt(std::max(variance, 0.0) + model_sd(metric) * model_sd(metric)), most_off);
  return sim::exp(normal_quantile_90 * sd) - 1;
}

}  // namespace

std::vector<NextLog> next_logs(const profiles::BaseProfile& base,
                               const std::vector<RunConfiguration>& configurations, PriorsFrom from,
                               const Calibration& calibration, const CalibrationControl& control) {
  const auto like = std::ranges::find_if(configurations, [](const RunConfiguration& run) {
    // A network without layers cannot be changed.
    return run.on_gpu() && !run.reference_values.empty() && run.has_layers();
  });
  if (like == configurations.end()) return {};
  const std::vector<Candidate> asked = candidates(shortened(*like), base.profile);
  std::vector<RunConfiguration> runs;
  for (const Candidate& candidate : asked) runs.push_back(candidate.run);
  std::vector<RunConfiguration> all = configurations;  // kept: timed layers, for the candidates too
  std::erase_if(all, [](const RunConfiguration& run) { return run.layer_times.empty(); });
  for (RunConfiguration& run : all) run.reference_values.clear();
  all.insert(all.end(), runs.begin(), runs.end());
  std::vector<Unknown> unknowns = profile_unknowns(base, from);
  add_factors(unknowns, configurations, calibration.own);
  add_factors(unknowns, runs, calibration.own);
  const Bench bench(base, all, from, control);
  const Eigen::MatrixXd slopes = sensitivities(bench, unknowns, values_of(unknowns, calibration));
  const Eigen::MatrixXd covariance = covariance_of(unknowns, calibration);

  const auto row_of = [&](std::size_t candidate) {
    std::size_t row = 0;
    for (std::size_t i = 0; i < candidate; ++i) row += runs[i].reference_values.size();
    return static_cast<Eigen::Index>(row);
  };
  std::vector<NextLog> found;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (is_known(runs[i], configurations)) continue;
    const auto& metrics = runs[i].reference_values;
    const Eigen::MatrixXd tells = slopes.middleRows(row_of(i), static_cast<Eigen::Index>(metrics.size()));
    Eigen::MatrixXd spread = tells * covariance * tells.transpose();
    for (std::size_t j = 0; j < metrics.size(); ++j) {
      const double sd = model_sd(metrics[j].metric);
      spread(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)) += sd * sd;
    }
    const Eigen::MatrixXd after =
        covariance - covariance * tells.transpose() * spread.ldlt().solve(tells * covariance);
    for (std::size_t j = 0; j < asked.size(); ++j) {
      const Eigen::RowVectorXd slope = slopes.row(row_of(j));
      const std::string& metric = runs[j].reference_values.front().metric;
      found.push_back({asked[i].log, asked[j].about,
                       half_width(slope * covariance * slope.transpose(), metric),
                       half_width(slope * after * slope.transpose(), metric)});
    }
  }
  std::erase_if(found, [](const NextLog& log) { return log.after > worth_it * log.before; });
  std::ranges::stable_sort(found, {}, [](const NextLog& log) { return log.after / log.before; });
  return found;
}

}  // namespace jostle::calibration
