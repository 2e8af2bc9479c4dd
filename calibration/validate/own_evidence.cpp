#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analyses/interval/interval.hpp"
#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/validate/validate.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

// A measured value with its prediction.
struct Row {
  const RunConfiguration* configuration = nullptr;
  const ReferenceValue* reference = nullptr;
  double predicted = 0;
  std::optional<bool> covered;  // its 90 % interval contains it; none: no interval

  [[nodiscard]] std::string quantity() const { return quantity_of(reference->metric); }
  [[nodiscard]] Comparison against(double value) const {
    return {configuration->text(*reference), quantity(), reference->value, value, {}};
  }
  [[nodiscard]] Comparison simulated() const {
    Comparison comparison = against(predicted);
    comparison.covered = covered;
    return comparison;
  }
};

using Key = std::function<std::string(const RunConfiguration&)>;

void add_split(std::vector<ComparisonGroup>& groups, const std::vector<Row>& rows, const char* what,
               const Key& key) {
  std::vector<ComparisonGroup> split;
  for (const Row& row : rows) {
    const std::string name = fmt::format("{} {}", what, key(*row.configuration));
    auto group = std::ranges::find(split, name, &ComparisonGroup::name);
    if (group == split.end()) group = split.insert(split.end(), {name, "", "", {}, {}});
    group->comparisons.push_back(row.simulated());
  }
  if (split.size() < 2) return;
  for (ComparisonGroup& group : split) groups.push_back(std::move(group));
}

// Adds the metrics that were measured more than once in a configuration.
void add_repeats(std::vector<ComparisonGroup>& groups, const std::vector<Row>& rows) {
  ComparisonGroup group{"repeats", "", "", {}, {}};
  for (const Row& row : rows) {
    double sum = 0;
    int count = 0;
    for (const Row& other : rows) {
      if (other.configuration != row.configuration || other.reference->metric != row.reference->metric)
        continue;
      sum += other.reference->value;
      ++count;
    }
    if (count > 1) group.comparisons.push_back(row.against(sum / count));
  }
  if (!group.comparisons.empty()) groups.push_back(std::move(group));
}

}  // namespace

std::vector<ComparisonGroup> validate_evidence(const analyses::UncertainProfile& profile,
                                               const std::vector<RunConfiguration>& configurations,
                                               const std::atomic<bool>* interrupt) {
  const auto predicted = predictions(profile, configurations, interrupt);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    for (std::size_t j = 0; j < configurations[i].reference_values.size(); ++j) {
      const ReferenceValue& measured = configurations[i].reference_values[j];
      const Prediction& of = predicted[i][j];
      const auto error = analyses::residual_for(profile.uncertainty, profile.base.profile.spec->name,
                                                quantity_of(measured.metric), of.basis);
      Row row{&configurations[i], &measured, of.value, std::nullopt};
      if (error && of.spread.known) {
        const auto [from, to] = analyses::interval_around(of.value, of.spread, error->half_width);
        row.covered = from <= measured.value && measured.value <= to;
      }
      rows.push_back(row);
    }
  }
  std::vector<ComparisonGroup> groups;
  ComparisonGroup all{"all", "", "", {}, {}};
  for (const Row& row : rows) all.comparisons.push_back(row.simulated());
  groups.push_back(std::move(all));
  add_split(groups, rows,
            "processes:", [](const RunConfiguration& s) { return fmt::format("{}", s.processes); });
  add_split(groups, rows, "mix:", [](const RunConfiguration& s) { return s.placement; });
  add_split(groups, rows, "network:", [](const RunConfiguration& s) { return s.model; });
  add_split(groups, rows, "power mode:", [](const RunConfiguration& s) { return s.mode; });
  add_split(groups, rows, "device:", [](const RunConfiguration& s) { return s.device; });
  add_repeats(groups, rows);
  return groups;
}

}  // namespace jostle::calibration
