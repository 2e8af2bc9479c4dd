#include "calibration/evidence/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "calibration/fit/robust.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {
namespace {

// The smallest value that 90 % do not exceed.
double p90(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(9 * values.size() + 9) / 10 - 1];
}

}  // namespace

std::pair<double, double> ErrorSummary::covered_ci95() const {
  if (runs_with_interval == 0) return {0, 1};
  constexpr double z2 = 1.959963984540054 * 1.959963984540054;
  const auto n = static_cast<double>(runs_with_interval);
  const double share = static_cast<double>(covered) / static_cast<double>(with_interval);
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = std::sqrt(z2 * share * (1 - share) / n + z2 * z2 / (4 * n * n)) / (1 + z2 / n);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<ErrorSummary> summarise(const ComparisonGroup& group) {
  std::vector<ErrorSummary> summaries;
  std::vector<std::vector<double>> magnitudes;
  std::vector<std::set<std::string>> runs;
  for (const Comparison& comparison : group.comparisons) {
    ErrorSummary* summary = nullptr;
    for (ErrorSummary& known : summaries)
      if (known.quantity == comparison.quantity) summary = &known;
    if (summary == nullptr) {
      summary = &summaries.emplace_back();
      magnitudes.emplace_back();
      runs.emplace_back();
      summary->quantity = comparison.quantity;
      for (const Bound& bound : group.bounds)
        if (bound.quantity == comparison.quantity) summary->bound = bound;
    }
    const double error = comparison.error();
    ++summary->count;
    magnitudes[static_cast<std::size_t>(summary - summaries.data())].push_back(std::abs(error));
    if (summary->bound && std::abs(error) > summary->bound->limit) ++summary->over_limit;
    if (comparison.covered) {
      ++summary->with_interval;
      if (*comparison.covered) ++summary->covered;
      runs[static_cast<std::size_t>(summary - summaries.data())].insert(comparison.what_ran());
    }
    summary->mean_absolute += std::abs(error);
    summary->bias += error;
    if (std::abs(error) > std::abs(summary->worst)) {
      summary->worst = error;
      summary->worst_run = comparison.run;
    }
  }
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    ErrorSummary& summary = summaries[i];
    summary.median_absolute = median(magnitudes[i]);
    summary.p90_absolute = p90(magnitudes[i]);
    summary.runs_with_interval = runs[i].size();
    summary.mean_absolute /= static_cast<double>(summary.count);
    summary.bias /= static_cast<double>(summary.count);
  }
  return summaries;
}

scenarios::Result simulated(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                            scenarios::RunControl control) {
  if (control.interrupt == nullptr) control.interrupt = &input::interruption();
  auto result = run(scenario, profile, control);
  if (!result) throw scenarios::Interrupted();
  return *std::move(result);
}

void simulated_at_once(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(double)>& progress) {
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(count, [&](std::size_t i) {
    work(i);
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(count));
  });
}

std::string quantity_of(const std::string& metric) {
  if (metric == "throughput" || metric == "enqueue" || metric == "power") return metric;
  if (metric == "power_wall") return "power at the plug";
  switch (kind_of(metric)) {
    case MetricKind::power:
      return "rail power";
    case MetricKind::memory:
      return "memory held";
    case MetricKind::traffic:
      return "memory traffic";
    default:
      return "latency";
  }
}

std::vector<double> predicted_values(const scenarios::Result& result, const RunConfiguration& configuration) {
  std::vector<double> found;
  for (const ReferenceValue& reference : configuration.reference_values)
    found.push_back(predicted(result, reference.metric, configuration));
  return found;
}

std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                           const std::vector<RunConfiguration>& configurations,
                                           const std::atomic<bool>* interrupt) {
  std::vector<std::vector<double>> found(configurations.size());
  scenarios::parallel_for(configurations.size(), [&](std::size_t i) {
    found[i] = predicted_values(
        simulated(*configurations[i].scenario, profile, {.interrupt = interrupt, .progress = {}}),
        configurations[i]);
  });
  return found;
}

}  // namespace jostle::calibration
