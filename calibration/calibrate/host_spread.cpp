#include "calibration/calibrate/host_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/calibrate/bench.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {
namespace {

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

}  // namespace

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
      "about "
      "that, networks usually by {:.0f} %, so a network's own rate counts by {:.0f} % (rate_weight)",
      eager->host_time, apart.size(), 100 * std::sqrt(squares / n), 100 * network_host_sd, 100 * weight));
  eager->rate_weight = weight;
  add(result, {.path = weight_path,
               .prior = "100 %",
               .value = fmt::format("{:.0f} %", 100 * weight),
               .of_prior = weight,
               .identified = true,
               .source = "the scatter of eager rates"});
}

}  // namespace jostle::calibration
