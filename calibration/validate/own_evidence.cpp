#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analyses/interval/interval.hpp"
#include "analyses/roofline/roofline.hpp"
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

// A naive rule: returns its prediction for a row, if it applies.
using Rule = std::function<std::optional<double>(const Row&)>;

void add_rule(std::vector<ComparisonGroup>& groups, const std::vector<Row>& rows, const char* name,
              const Rule& rule) {
  ComparisonGroup group{name, "", "", {}, {}};
  for (const Row& row : rows)
    if (const auto value = rule(row); value && *value > 0) group.comparisons.push_back(row.against(*value));
  if (!group.comparisons.empty()) groups.push_back(std::move(group));
}

bool same_but_for_processes(const RunConfiguration& a, const RunConfiguration& b) {
  return a.device == b.device && a.mode == b.mode && a.clocks == b.clocks && a.model == b.model &&
         a.precision == b.precision && a.placement == b.placement && a.runtime == b.runtime &&
         a.batch == b.batch;
}

// Equal share: total throughput is that of one process alone, and latency grows with the number of processes.
std::optional<double> equal_share(const Row& row, const std::vector<Row>& rows) {
  if (row.configuration->processes < 2) return std::nullopt;
  for (const Row& alone : rows) {
    if (alone.configuration->processes != 1 || alone.reference->metric != row.reference->metric ||
        !same_but_for_processes(*alone.configuration, *row.configuration))
      continue;
    const bool time = row.quantity() == "latency";
    return alone.reference->value * (time ? static_cast<double>(row.configuration->processes) : 1);
  }
  return std::nullopt;
}

// A weighted distance of two configurations.
int distance(const RunConfiguration& a, const RunConfiguration& b) {
  return 16 * (a.model != b.model) + 8 * (a.placement != b.placement) + 8 * (a.precision != b.precision) +
         4 * (a.device != b.device) + 4 * (a.runtime != b.runtime) + 2 * (a.processes != b.processes) +
         2 * (a.mode != b.mode) + (a.clocks != b.clocks) + (a.batch != b.batch);
}

std::optional<double> nearest(const Row& row, const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const Row& other : rows) {
    if (other.configuration == row.configuration || other.reference->metric != row.reference->metric)
      continue;
    if (best == nullptr || distance(*other.configuration, *row.configuration) <
                               distance(*best->configuration, *row.configuration))
      best = &other;
  }
  if (best == nullptr) return std::nullopt;
  const double batches =
      static_cast<double>(row.configuration->batch) / static_cast<double>(best->configuration->batch);
  return best->reference->value * (row.quantity() == "latency" ? batches : 1);
}

std::optional<double> by_roofline(const Row& row, const std::string& device) {
  const RunConfiguration& configuration = *row.configuration;
  const std::string quantity = row.quantity();
  if (!configuration.on_gpu() || (quantity != "latency" && quantity != "throughput")) return std::nullopt;
  analyses::RooflineQuestion question;
  question.device = device;
  if (!configuration.mode.empty()) question.modes = {configuration.mode};
  const scenarios::Clocks& clocks = configuration.scenario->clocks;
  if (clocks.gpu_hz) question.set.push_back(fmt::format("clocks.gpu={} Hz", *clocks.gpu_hz));
  if (clocks.emc_hz) question.set.push_back(fmt::format("clocks.emc={} Hz", *clocks.emc_hz));
  question.networks = {configuration.model};
  question.precision = configuration.precision;
  question.batch = configuration.batch;
  input::Problems problems;
  const auto answer = analyses::roofline(question, problems);
  if (!answer || answer->modes.empty() || answer->modes.front().networks.empty()) return std::nullopt;
  const analyses::ModeRoofline& mode = answer->modes.front();
  const analyses::PlacedNetwork& network = mode.networks.front();
  if (!network.problem.empty()) return std::nullopt;
  const double seconds = power::seconds_of(mode.roofs, network.flop, network.bytes);
  return quantity == "latency" ? 1e3 * seconds : static_cast<double>(configuration.batch) / seconds;
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
                                               const std::string& device,
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
  add_rule(groups, rows, "naive: equal share", [&](const Row& row) { return equal_share(row, rows); });
  add_rule(groups, rows, "naive: nearest neighbour", [&](const Row& row) { return nearest(row, rows); });
  add_rule(groups, rows, "naive: roofline", [&](const Row& row) { return by_roofline(row, device); });
  add_repeats(groups, rows);
  return groups;
}

}  // namespace jostle::calibration
