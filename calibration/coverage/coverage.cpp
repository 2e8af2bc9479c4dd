#include "calibration/coverage/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analyses/interval/basis.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

std::vector<Prediction> predictions_of(const RunConfiguration& configuration, const analyses::DrawnRuns& runs,
                                       const profiles::Profile& profile) {
  const std::vector<double> point = predicted_values(runs.point, configuration);
  std::vector<analyses::MetricRuns> metric_runs(point.size());
  for (std::size_t v = 0; v < point.size(); ++v) metric_runs[v].point = point[v];
  for (const scenarios::Result& result : runs.drawn) {
    const std::vector<double> values = predicted_values(result, configuration);
    for (std::size_t v = 0; v < point.size(); ++v) metric_runs[v].drawn.emplace_back(values[v]);
  }
  for (const scenarios::Result& result : runs.repeated) {
    const std::vector<double> values = predicted_values(result, configuration);
    for (std::size_t v = 0; v < point.size(); ++v) metric_runs[v].repeated.emplace_back(values[v]);
  }
  const std::string basis = analyses::basis_of(configuration.scenario->processes.front(),
                                               runs.point.processes.front().grades.kernels, profile);
  const double octaves = analyses::octaves_beyond_tables(configuration.scenario->processes.front(), profile);
  std::vector<Prediction> found;
  for (std::size_t v = 0; v < point.size(); ++v) {
    found.push_back({point[v], analyses::spread_of(metric_runs[v], runs.draws, runs.as_long), basis});
    analyses::Spread& spread = found.back().spread;
    spread.chance = std::hypot(spread.chance, analyses::batch_error(octaves));
  }
  return found;
}

}  // namespace

analyses::HeldOutRow held_out_row(const Comparison& comparison, const std::string& device,
                                  const std::string& quantity, const std::string& basis,
                                  const std::string& fold) {
  return {.device = device,
          .quantity = quantity,
          .basis = basis,
          .fold = fold,
          .configuration = comparison.what_ran(),
          .value = comparison.run,
          .measured = comparison.measured,
          .predicted = comparison.predicted,
          .spread = {}};
}

std::vector<analyses::HeldOutRow> held_out_rows(const ComparisonGroup& group, const std::string& from,
                                                const std::string& device, const std::string& quantity,
                                                const std::string& basis) {
  std::vector<analyses::HeldOutRow> rows;
  for (const Comparison& comparison : group.comparisons) {
    if (comparison.quantity != from) continue;
    const std::string run =
        comparison.run.substr(0, comparison.run.find(' '));  // "c041 resnet50 ...": its name
    rows.push_back(held_out_row(comparison, device, quantity, basis, run));
    rows.back().configuration = run;
  }
  return rows;
}

std::vector<std::optional<bool>> covered(const std::vector<analyses::HeldOutRow>& rows) {
  std::vector<std::optional<bool>> found;
  for (const analyses::HeldOutRow& row : rows) {
    std::vector<analyses::HeldOutRow> others;
    std::ranges::copy_if(rows, std::back_inserter(others), [&row](const analyses::HeldOutRow& other) {
      return other.quantity == row.quantity && other.fold != row.fold &&
             other.configuration != row.configuration;
    });
    profiles::Uncertainty known;
    known.residuals = analyses::residuals_of(others);
    const auto residual = analyses::residual_for(known, row.device, row.quantity, row.basis);
    found.push_back(residual && row.spread.known ? std::optional(row.needed() <= residual->half_width)
                                                 : std::nullopt);
  }
  return found;
}

std::vector<std::vector<Prediction>> predictions(const analyses::UncertainProfile& profile,
                                                 const std::vector<RunConfiguration>& configurations,
                                                 const std::atomic<bool>* interrupt) {
  std::vector<scenarios::Scenario> scenarios;
  for (const RunConfiguration& configuration : configurations) scenarios.push_back(*configuration.scenario);
  scenarios::RunControl control;
  control.interrupt = interrupt;
  const auto runs = analyses::drawn_runs(scenarios, profile, control);
  if (!runs) throw scenarios::Interrupted();
  std::vector<std::vector<Prediction>> found;
  for (std::size_t i = 0; i < configurations.size(); ++i)
    found.push_back(predictions_of(configurations[i], (*runs)[i], profile.base.profile));
  return found;
}

}  // namespace jostle::calibration
