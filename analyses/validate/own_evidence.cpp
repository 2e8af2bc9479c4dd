#include "analyses/validate/own_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "analyses/evidence/simulated.hpp"
#include "analyses/interval/coverage.hpp"
#include "analyses/roofline/roofline.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

// One measured figure and where it stands.
struct Row {
  const RunConfiguration* setting = nullptr;
  const ReferenceValue* figure = nullptr;
  double predicted = 0;
  bool covered = false;  // by its 90 % interval

  [[nodiscard]] std::string quantity() const { return quantity_of(figure->metric); }
  [[nodiscard]] Comparison against(double value) const {
    return {fmt::format("{} {}, {}", figure->run, setting->text(), figure->metric),
            quantity(),
            figure->value,
            value,
            {}};
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
    const std::string name = fmt::format("{} {}", what, key(*row.setting));
    auto group = std::ranges::find(split, name, &ComparisonGroup::name);
    if (group == split.end()) group = split.insert(split.end(), {name, "", "", {}, {}});
    group->comparisons.push_back(row.simulated());
  }
  if (split.size() < 2) return;
  for (ComparisonGroup& group : split) groups.push_back(std::move(group));
}

// A naive rule: what it says of a row, if anything.
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

// Throughput is the board's: as much as one alone. What a process waits for grows with their number.
std::optional<double> equal_share(const Row& row, const std::vector<Row>& rows) {
  if (row.setting->processes < 2) return std::nullopt;
  for (const Row& alone : rows) {
    if (alone.setting->processes != 1 || alone.figure->metric != row.figure->metric ||
        !same_but_for_processes(*alone.setting, *row.setting))
      continue;
    const bool time = row.quantity() == "latency";
    return alone.figure->value * (time ? static_cast<double>(row.setting->processes) : 1);
  }
  return std::nullopt;
}

int unlike(const RunConfiguration& a, const RunConfiguration& b) {
  return 16 * (a.model != b.model) + 8 * (a.placement != b.placement) + 8 * (a.precision != b.precision) +
         4 * (a.device != b.device) + 4 * (a.runtime != b.runtime) + 2 * (a.processes != b.processes) +
         2 * (a.mode != b.mode) + (a.clocks != b.clocks) + (a.batch != b.batch);
}

std::optional<double> nearest(const Row& row, const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const Row& other : rows) {
    if (other.setting == row.setting || other.figure->metric != row.figure->metric) continue;
    if (best == nullptr || unlike(*other.setting, *row.setting) < unlike(*best->setting, *row.setting))
      best = &other;
  }
  if (best == nullptr) return std::nullopt;
  const double batches = static_cast<double>(row.setting->batch) / static_cast<double>(best->setting->batch);
  return best->figure->value * (row.quantity() == "latency" ? batches : 1);
}

std::optional<double> by_roofline(const Row& row, const std::string& device) {
  const RunConfiguration& setting = *row.setting;
  const std::string quantity = row.quantity();
  if (!setting.on_gpu() || (quantity != "latency" && quantity != "throughput")) return std::nullopt;
  RooflineQuestion question;
  question.device = device;
  if (!setting.mode.empty()) question.modes = {setting.mode};
  const scenarios::Clocks& clocks = setting.scenario.clocks;
  if (clocks.gpu_hz) question.set.push_back(fmt::format("clocks.gpu={} Hz", *clocks.gpu_hz));
  if (clocks.emc_hz) question.set.push_back(fmt::format("clocks.emc={} Hz", *clocks.emc_hz));
  question.networks = {setting.model};
  question.precision = setting.precision;
  question.batch = setting.batch;
  input::Problems problems;
  const auto answer = roofline(question, problems);
  if (!answer || answer->modes.empty() || answer->modes.front().networks.empty()) return std::nullopt;
  const ModeRoofline& mode = answer->modes.front();
  const PlacedNetwork& network = mode.networks.front();
  if (!network.problem.empty()) return std::nullopt;
  const double seconds = power::seconds_of(mode.roofs, network.flop, network.bytes);
  return quantity == "latency" ? 1e3 * seconds : static_cast<double>(setting.batch) / seconds;
}

// Of figures that were measured more than once in a setting.
void add_repeats(std::vector<ComparisonGroup>& groups, const std::vector<Row>& rows) {
  ComparisonGroup group{"repeats", "", "", {}, {}};
  for (const Row& row : rows) {
    double sum = 0;
    int count = 0;
    for (const Row& other : rows) {
      if (other.setting != row.setting || other.figure->metric != row.figure->metric) continue;
      sum += other.figure->value;
      ++count;
    }
    if (count > 1) group.comparisons.push_back(row.against(sum / count));
  }
  if (!group.comparisons.empty()) groups.push_back(std::move(group));
}

}  // namespace

std::vector<ComparisonGroup> validate_evidence(const UncertainProfile& profile, const std::string& device,
                                               const std::vector<RunConfiguration>& settings,
                                               const std::atomic<bool>* interrupt) {
  const auto figures = predictions(profile.base, profile.uncertainty, settings, interrupt);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t j = 0; j < settings[i].figures.size(); ++j) {
      const ReferenceValue& measured = settings[i].figures[j];
      const Prediction& of = figures[i][j];
      const double half_width = residual_half_width(profile.uncertainty, profile.base.profile.spec.name,
                                                    quantity_of(measured.metric), of.basis);
      const auto [from, to] = interval_around(of.value, of.spread, half_width);
      rows.push_back({&settings[i], &measured, of.value, from <= measured.value && measured.value <= to});
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

}  // namespace jostle::analyses
