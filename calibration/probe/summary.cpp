#include "calibration/probe/summary.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "calibration/fit/robust.hpp"

namespace jostle::calibration::probe {
namespace {

double relative(double error, double value) {
  return value != 0 && std::isfinite(error) ? std::abs(error / value) : 1;
}

// Relative standard deviations over the probes of four H100 machines (evidence/h100-probe: parameters.csv,
// second_machine.csv, third_machine.csv, fourth_machine.csv). The first row whose words a parameter begins
// with counts.
struct Difference {
  std::string_view words;
  double relative_sd;
};
constexpr Difference differences[] = {
    {"gpu.time_slicing.slice", 0.0002},          // 2090.5, 2090.8, 2090.5, 2090.5 us
    {"gpu.time_slicing.restart", 0.7},           // 17, 1, 16, 24 us
    {"gpu.bandwidth_efficiency", 0.009},         // 89.5, 88.4, 89.3, 89.0 %
    {"gpu.copy_bandwidth", 0.026},               // 55.4, 54.9, 55.1, 52.3 GB/s
    {"gpu.idle_wake.after", 0.6},                // 8.9, 19.4, 6.5, 19.4 ms
    {"gpu.idle_wake.cost", 0.12},                // 44.8, 50.0, 57.1, 57.2 us
    {"runtimes.paced.per_launch", 0.08},         // 4.86, 4.35, 4.44 us
    {"runtimes.cpu.core_bandwidth", 0.14},       // 7.6, 8.3, 6.3, 6.3 GB/s
    {"runtimes.cpu.", 0.11},                     // 86, 87, 77, 69 GB/s of all cores
    {"memory.cores.write", 0.44},                // 20.2, 23.6, 11.0, 9.3 GB/s
    {"memory.cores.read", 0.14},                 // 7.6, 8.3, 6.3, 6.3 GB/s
    {"memory.cores.", 0.11},                     // 86, 87, 77, 69 GB/s of all cores
    {"cpu.costs.context_switch", 0.11},          // 1.01, 0.98, 1.11, 1.24 us
    {"cpu.costs.preempted_time_constant", 0.9},  // 0.26, 0.45, 0.06, 0.05 ms
    {"cpu.costs.preempted", 0.47},               // 63, 68, 79, 154 us
    {"cpu.costs.", 0.08},                        // 107, 95, 105, 115 us after a move
    {"cpu.idle_state.residency", 0.5},           // 5.5, 5.5, 1.7, 5.5 ms
    {"cpu.idle_state.exit_latency", 0.12},       // 70, 66, 69, 85 us
    {"cpu.reference_clock", 0.07},               // 2.69, 2.75, 2.58, 2.35 GHz
};

}  // namespace

double quantile(std::vector<double> samples, double share) {
  return samples.empty() ? 0 : calibration::quantile(std::move(samples), std::clamp(share, 0.0, 1.0));
}

double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

Summary median_of(const std::vector<double>& samples) {
  const auto found = middle(samples);
  if (!found) return {.relative_sd = 1};
  return {.value = found->value,
          .relative_sd = samples.size() < 3 ? 1 : relative(found->sd, found->value),
          .samples = samples.size()};
}

Summary mean_of(const std::vector<double>& samples) {
  Summary found{.relative_sd = 1, .samples = samples.size()};
  if (samples.empty()) return found;
  const auto n = static_cast<double>(samples.size());
  for (const double sample : samples) found.value += sample / n;
  if (samples.size() < 3) return found;
  double squares = 0;
  for (const double sample : samples) squares += (sample - found.value) * (sample - found.value);
  found.relative_sd = relative(std::sqrt(squares / (n - 1) / n), found.value);
  return found;
}

Summary ratio_of(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (x[i] > 0) ratios.push_back(y[i] / x[i]);
  return mean_of(ratios);
}

void add(Outcome& outcome, std::string parameter, const Summary& found, std::string unit, std::string how) {
  outcome.parameters.push_back(
      {std::move(parameter), found.value, std::move(unit), found.relative_sd, found.samples, std::move(how)});
}

Summary scaled(Summary found, double factor) {
  found.value *= factor;
  return found;
}

void widen_by_machine(Outcome& outcome) {
  for (Measured& one : outcome.parameters)
    for (const Difference& difference : differences)
      if (one.parameter.starts_with(difference.words)) {
        one.relative_sd = std::hypot(one.relative_sd, difference.relative_sd);
        break;
      }
}

}  // namespace jostle::calibration::probe
