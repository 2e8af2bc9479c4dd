#include "analyses/interval/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyses/interval/basis.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double share = 0.9;
constexpr std::size_t fewest = 4;

bool alike(const UnseenRow& a, const UnseenRow& b) {
  return a.quantity == b.quantity && a.basis == b.basis;
}

// 0 rows: 0.
double asked_by(std::vector<double> needed) {
  if (needed.empty()) return 0;
  std::ranges::sort(needed);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(needed.size() + 1)));
  return needed[std::min(rank, needed.size()) - 1];
}

std::vector<double> figures_of(const RunConfiguration& setting, const calibration::Profile& profile,
                               const std::atomic<bool>* interrupt, std::string* basis) {
  const auto result = run(setting.scenario, profile,
                          scenarios::RunControl{.interrupt = interrupt, .trace = nullptr, .progress = {}});
  if (!result) throw scenarios::Interrupted();
  if (basis != nullptr)
    *basis = basis_of(setting.scenario.processes.front(), result->processes.front().grade, profile);
  std::vector<double> found;
  for (const ReferenceValue& figure : setting.figures)
    found.push_back(predicted(*result, figure.metric, setting));
  return found;
}

}  // namespace

double UnseenRow::needed() const {
  const double error = sim::log(measured / predicted);
  const double side = error < 0 ? spread.below : spread.above;
  return std::sqrt(std::max(0.0, error * error - side * side));
}

std::vector<UnseenRow> unseen_rows(const ComparisonGroup& group, const std::string& from,
                                   const std::string& device, const std::string& quantity,
                                   const std::string& basis) {
  std::vector<UnseenRow> rows;
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

std::vector<calibration::Residual> residuals_of(const std::vector<UnseenRow>& rows) {
  std::vector<calibration::Residual> any, own;
  const auto add = [](std::vector<calibration::Residual>& to, const UnseenRow& like,
                      const std::string& device, std::vector<double> needed) {
    const std::size_t n = needed.size();
    to.push_back({device, like.quantity, like.basis, asked_by(std::move(needed)), n});
  };
  const auto known = [](const std::vector<calibration::Residual>& in, const UnseenRow& row,
                        const std::string& device) {
    return std::ranges::any_of(in, [&](const calibration::Residual& residual) {
      return residual.quantity == row.quantity && residual.basis == row.basis && residual.device == device;
    });
  };
  for (const UnseenRow& row : rows) {
    if (known(any, row, {}) && known(own, row, row.device)) continue;
    std::vector<double> of_any, of_own;
    for (const UnseenRow& other : rows) {
      if (!alike(row, other)) continue;
      of_any.push_back(other.needed());
      if (row.device == other.device) of_own.push_back(other.needed());
    }
    const bool apart = of_own.size() >= fewest && of_own.size() < of_any.size();
    if (!known(any, row, {})) add(any, row, {}, std::move(of_any));
    if (apart && !known(own, row, row.device)) add(own, row, row.device, std::move(of_own));
  }
  any.insert(any.end(), own.begin(), own.end());
  return any;
}

std::vector<std::optional<bool>> covered(const std::vector<UnseenRow>& rows) {
  std::vector<std::optional<bool>> found;
  for (const UnseenRow& row : rows) {
    std::vector<double> any, own;
    for (const UnseenRow& other : rows) {
      if (!alike(row, other) || other.fold == row.fold) continue;
      any.push_back(other.needed());
      if (other.device == row.device) own.push_back(other.needed());
    }
    std::vector<double>& used = own.size() >= fewest ? own : any;
    found.push_back(used.size() < fewest ? std::nullopt
                                         : std::optional(row.needed() <= asked_by(std::move(used))));
  }
  return found;
}

std::vector<std::vector<Prediction>> predictions(const calibration::BaseProfile& base,
                                                 const calibration::Uncertainty& uncertainty,
                                                 const std::vector<RunConfiguration>& settings,
                                                 const std::atomic<bool>* interrupt) {
  std::vector<calibration::Profile> profiles{base.profile};
  for (const calibration::Draw& draw : calibration::draws(uncertainty, base.profile))
    profiles.push_back(calibration::drawn(base.document, base.profile, draw));

  const std::size_t n = settings.size();
  std::vector<std::vector<double>> figures(profiles.size() * n);
  std::vector<std::string> bases(n);
  scenarios::parallel_for(figures.size(), [&](std::size_t i) {
    figures[i] = figures_of(settings[i % n], profiles[i / n], interrupt, i < n ? &bases[i] : nullptr);
  });
  std::vector<std::vector<Prediction>> found(n);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t f = 0; f < settings[s].figures.size(); ++f) {
      std::vector<double> draws;
      for (std::size_t p = 1; p < profiles.size(); ++p) draws.push_back(figures[p * n + s][f]);
      const double point = figures[s][f];
      found[s].push_back({point, spread_of(point, std::move(draws)), bases[s]});
    }
  }
  return found;
}

}  // namespace jostle::analyses
