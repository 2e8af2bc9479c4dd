#include "analyses/interval/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyses/interval/basis.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double coverage = 0.9;
constexpr std::size_t min_rows = 4;

bool is_comparable(const HeldOutRow& a, const HeldOutRow& b) {
  return a.quantity == b.quantity && a.basis == b.basis;
}

// The half-width for 90 % coverage of the rows; 0 without rows.
double half_width_for(std::vector<double> needed) {
  if (needed.empty()) return 0;
  std::ranges::sort(needed);
  const auto rank = static_cast<std::size_t>(std::ceil(coverage * static_cast<double>(needed.size() + 1)));
  return needed[std::min(rank, needed.size()) - 1];
}

std::vector<double> predicted_values(const RunConfiguration& configuration,
                                     const calibration::Profile& profile, const std::atomic<bool>* interrupt,
                                     std::string* basis) {
  const auto result = run(*configuration.scenario, profile,
                          scenarios::RunControl{.interrupt = interrupt, .trace = nullptr, .progress = {}});
  if (!result) throw scenarios::Interrupted();
  if (basis != nullptr)
    *basis = basis_of(configuration.scenario->processes.front(), result->processes.front().grade, profile);
  std::vector<double> found;
  for (const ReferenceValue& reference : configuration.reference_values)
    found.push_back(predicted(*result, reference.metric, configuration));
  return found;
}

}  // namespace

double HeldOutRow::needed() const {
  const double error = sim::log(measured / predicted);
  const double side = error < 0 ? spread.below : spread.above;
  return std::sqrt(std::max(0.0, error * error - side * side));
}

std::vector<HeldOutRow> held_out_rows(const ComparisonGroup& group, const std::string& from,
                                      const std::string& device, const std::string& quantity,
                                      const std::string& basis) {
  std::vector<HeldOutRow> rows;
  for (const Comparison& comparison : group.comparisons) {
    if (comparison.quantity != from) continue;
    rows.push_back({.device = device,
                    .quantity = quantity,
                    .basis = basis,
                    .fold = comparison.run.substr(0, comparison.run.find(", process")),
                    .measured = comparison.measured,
                    .predicted = comparison.predicted,
                    .spread = {}});
  }
  return rows;
}

std::vector<calibration::Residual> residuals_of(const std::vector<HeldOutRow>& rows) {
  std::vector<calibration::Residual> any, own;
  const auto add = [](std::vector<calibration::Residual>& to, const HeldOutRow& like,
                      const std::string& device, std::vector<double> needed) {
    const std::size_t n = needed.size();
    to.push_back({device, like.quantity, like.basis, half_width_for(std::move(needed)), n});
  };
  const auto known = [](const std::vector<calibration::Residual>& in, const HeldOutRow& row,
                        const std::string& device) {
    return std::ranges::any_of(in, [&](const calibration::Residual& residual) {
      return residual.quantity == row.quantity && residual.basis == row.basis && residual.device == device;
    });
  };
  for (const HeldOutRow& row : rows) {
    if (known(any, row, {}) && known(own, row, row.device)) continue;
    std::vector<double> of_any, of_own;
    for (const HeldOutRow& other : rows) {
      if (!is_comparable(row, other)) continue;
      of_any.push_back(other.needed());
      if (row.device == other.device) of_own.push_back(other.needed());
    }
    const bool device_specific = of_own.size() >= min_rows && of_own.size() < of_any.size();
    if (!known(any, row, {})) add(any, row, {}, std::move(of_any));
    if (device_specific && !known(own, row, row.device)) add(own, row, row.device, std::move(of_own));
  }
  any.insert(any.end(), own.begin(), own.end());
  return any;
}

std::vector<std::optional<bool>> covered(const std::vector<HeldOutRow>& rows) {
  std::vector<std::optional<bool>> found;
  for (const HeldOutRow& row : rows) {
    std::vector<double> any, own;
    for (const HeldOutRow& other : rows) {
      if (!is_comparable(row, other) || other.fold == row.fold) continue;
      any.push_back(other.needed());
      if (other.device == row.device) own.push_back(other.needed());
    }
    std::vector<double>& used = own.size() >= min_rows ? own : any;
    found.push_back(used.size() < min_rows ? std::nullopt
                                           : std::optional(row.needed() <= half_width_for(std::move(used))));
  }
  return found;
}

std::vector<std::vector<Prediction>> predictions(const calibration::BaseProfile& base,
                                                 const calibration::Uncertainty& uncertainty,
                                                 const std::vector<RunConfiguration>& configurations,
                                                 const std::atomic<bool>* interrupt) {
  std::vector<calibration::Profile> profiles{base.profile};
  for (const calibration::Draw& draw : calibration::draws(uncertainty, base.profile))
    profiles.push_back(calibration::drawn(base.document, base.profile, draw));

  const std::size_t n = configurations.size();
  std::vector<std::vector<double>> values(profiles.size() * n);
  std::vector<std::string> bases(n);
  scenarios::parallel_for(values.size(), [&](std::size_t i) {
    values[i] =
        predicted_values(configurations[i % n], profiles[i / n], interrupt, i < n ? &bases[i] : nullptr);
  });
  std::vector<std::vector<Prediction>> found(n);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t v = 0; v < configurations[s].reference_values.size(); ++v) {
      std::vector<double> draws;
      for (std::size_t p = 1; p < profiles.size(); ++p) draws.push_back(values[p * n + s][v]);
      const double point = values[s][v];
      found[s].push_back({point, spread_of(point, std::move(draws)), bases[s]});
    }
  }
  return found;
}

}  // namespace jostle::analyses
