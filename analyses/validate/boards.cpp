#include "analyses/validate/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analyses/calibrate/calibrate.hpp"
#include "analyses/evidence/run_configuration.hpp"
#include "analyses/evidence/simulated.hpp"
#include "calibration/readers/csv.hpp"
#include "scenarios/run/run.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

scenarios::Precision precision_of(const RunConfiguration& setting) {
  return *setting.scenario.processes.front().precision;
}

// Simulations of settings, with factors of one's own.
class Bench {
 public:
  [[nodiscard]] scenarios::Result simulate(const RunConfiguration& setting,
                                           std::vector<dnn::Factor> factors) {
    calibration::Profile profile = base_of(setting.device).profile;
    profile.factors = std::move(factors);
    const std::optional<scenarios::Result> result = run(setting.scenario, profile, {});
    if (!result) throw std::runtime_error("interrupted");
    return *result;
  }

  // With the spread of what is assumed of the device: nothing measured on it is known but the factors.
  [[nodiscard]] std::vector<Prediction> predict(const RunConfiguration& setting,
                                                std::vector<dnn::Factor> factors) {
    calibration::BaseProfile base = base_of(setting.device);
    base.profile.factors = std::move(factors);
    return predictions(base, {}, {setting}).front();
  }

 private:
  const calibration::BaseProfile& base_of(const std::string& device) {
    if (const auto known = bases_.find(device); known != bases_.end()) return known->second;
    input::Problems problems;
    auto base = calibration::base_profile(device, problems);
    if (!base) throw std::runtime_error(problems.text());
    return bases_.emplace(device, std::move(*base)).first->second;
  }

  std::map<std::string, calibration::BaseProfile> bases_;
};

// Judged apart: the input is what users see, and holds all that the rails leave out.
std::string power_kind(const std::string& metric) {
  return metric == "power" ? " input" : metric == "power_wall" ? " plug" : " rails";
}

double limit_of(const std::string& quantity) {
  return quantity.ends_with(" input") ? 0.05 : quantity.ends_with(" plug") ? 0.15 : 0.1;
}

void compare(ComparisonGroup& group, const RunConfiguration& setting, const scenarios::Result& result,
             MetricKind wanted = MetricKind::time) {
  for (const ReferenceValue& figure : setting.figures) {
    if (kind_of(figure.metric) != wanted) continue;
    group.comparisons.push_back(
        {fmt::format("{} {}, {}", figure.run, setting.text(), figure.metric),
         wanted == MetricKind::power ? setting.device + power_kind(figure.metric) : setting.device,
         figure.value, predicted(result, figure.metric, setting)});
  }
}

// Times that the factors had no part in.
void compare_unseen(ComparisonGroup& group, std::vector<UnseenRow>& rows, const RunConfiguration& setting,
                    const std::vector<Prediction>& predicted) {
  for (std::size_t i = 0; i < setting.figures.size(); ++i) {
    const ReferenceValue& figure = setting.figures[i];
    if (kind_of(figure.metric) != MetricKind::time) continue;
    group.comparisons.push_back({fmt::format("{} {}, {}", figure.run, setting.text(), figure.metric),
                                 setting.device, figure.value, predicted[i].value});
    rows.push_back({.device = setting.device,
                    .quantity = quantity_of(figure.metric),
                    .basis = predicted[i].basis,
                    .fold = setting.device,
                    .measured = figure.value,
                    .predicted = predicted[i].value,
                    .spread = predicted[i].spread});
  }
}

// The factor that brings the setting's GPU time to what was measured: by GPU times where there are some, else
// by throughput or the time of a batch, whose other parts hardly change. The mean of the logarithms.
double fitted(Bench& bench, std::span<const RunConfiguration* const> settings) {
  double factor = 1;
  for (int round = 0; round < 3; ++round) {
    double sum = 0;
    int count = 0;
    for (const RunConfiguration* setting : settings) {
      const scenarios::Result result = bench.simulate(*setting, {{.device = {},
                                                                  .model = {},
                                                                  .family = setting->family(),
                                                                  .precision = precision_of(*setting),
                                                                  .value = factor,
                                                                  .basis = {}}});
      const bool has_gpu_time =
          std::ranges::find(setting->figures, "gpu_time", &ReferenceValue::metric) != setting->figures.end();
      for (const ReferenceValue& figure : setting->figures) {
        if (kind_of(figure.metric) != MetricKind::time || figure.metric == "enqueue" ||
            (has_gpu_time && figure.metric != "gpu_time"))
          continue;
        const double ratio = figure.value / predicted(result, figure.metric, *setting);
        sum += sim::log(figure.metric == "throughput" ? 1 / ratio : ratio);
        ++count;
      }
    }
    factor *= sim::exp(sum / std::max(count, 1));
  }
  return factor;
}

using Group = std::vector<const RunConfiguration*>;

// Settings on the GPU by a key, in the order of appearance.
template <class Key>
std::vector<Group> grouped(const std::vector<RunConfiguration>& all, Key key) {
  std::vector<Group> groups;
  std::vector<std::string> keys;
  for (const RunConfiguration& setting : all) {
    if (!setting.on_gpu()) continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(keys, key(setting)) - keys.begin());
    if (index == keys.size()) {
      keys.push_back(key(setting));
      groups.emplace_back();
    }
    groups[index].push_back(&setting);
  }
  return groups;
}

std::string family_key(const RunConfiguration& setting) {
  return setting.family() + " " + setting.precision;
}
std::string device_key(const RunConfiguration& setting) {
  return setting.device + " " + setting.model + " " + setting.precision;
}

// Of a family's settings those of the first one's device and mode.
Group anchor_of(const Group& family) {
  Group anchor;
  for (const RunConfiguration* setting : family) {
    if (setting->device == family.front()->device && setting->mode == family.front()->mode &&
        setting->clocks == family.front()->clocks)
      anchor.push_back(setting);
  }
  return anchor;
}

dnn::Factor family_factor(Bench& bench, const Group& family) {
  const Group anchor = anchor_of(family);
  return {.device = {},
          .model = {},
          .family = anchor.front()->family(),
          .precision = precision_of(*anchor.front()),
          .value = fitted(bench, anchor),
          .basis = anchor.front()->device + " " + anchor.front()->mode};
}

dnn::Factor device_factor(Bench& bench, const Group& runs) {
  return {.device = runs.front()->device,
          .model = runs.front()->model,
          .family = runs.front()->family(),
          .precision = precision_of(*runs.front()),
          .value = fitted(bench, runs),
          .basis = fmt::format("{} run{} of it", runs.size(), runs.size() == 1 ? "" : "s")};
}

void bound_devices(ComparisonGroup& group, double limit, Judged judged) {
  for (const Comparison& comparison : group.comparisons) {
    if (std::ranges::find(group.bounds, comparison.quantity, &Bound::quantity) == group.bounds.end())
      group.bounds.push_back({comparison.quantity, limit, judged});
  }
}

}  // namespace

std::vector<dnn::Factor> fit_board_factors(const std::function<void(double)>& progress) {
  const std::vector<RunConfiguration> all = shipped_run_configurations();
  const std::vector<Group> families = grouped(all, family_key), devices = grouped(all, device_key);
  Bench bench;
  std::vector<dnn::Factor> factors;
  const auto add = [&](dnn::Factor factor) {
    factors.push_back(std::move(factor));
    if (progress)
      progress(static_cast<double>(factors.size()) / static_cast<double>(families.size() + devices.size()));
  };
  for (const Group& family : families) add(family_factor(bench, family));
  for (const Group& runs : devices) add(device_factor(bench, runs));
  return factors;
}

BoardsValidation validate_boards(const std::function<void(double)>& progress) {
  const std::vector<RunConfiguration> all = shipped_run_configurations();
  Bench bench;
  std::vector<UnseenRow> rows;
  ComparisonGroup unseen{"boards: factors of a family, fitted on another", "boards/solo.csv", "", {}, {}};
  std::vector<dnn::Factor> of_families;
  std::vector<const RunConfiguration*> fitted_on;
  for (const Group& family : grouped(all, family_key)) {
    of_families.push_back(family_factor(bench, family));
    for (const RunConfiguration* setting : anchor_of(family)) fitted_on.push_back(setting);
  }
  for (const RunConfiguration& setting : all) {
    if (std::ranges::find(fitted_on, &setting) == fitted_on.end())
      compare_unseen(unseen, rows, setting, bench.predict(setting, of_families));
  }
  bound_devices(unseen, 0.15, Judged::median);
  if (progress) progress(0.4);

  ComparisonGroup traffic{"boards: memory traffic",
                          "boards/solo.csv",
                          "EMC utilisation that tegrastats shows, of the peak at that clock",
                          {},
                          {}};
  ComparisonGroup power{
      "boards: power", "boards/solo.csv", "at the module's input, on its rails, at the plug", {}, {}};
  ComparisonGroup known{"boards: a factor of their own",
                        "boards/solo.csv",
                        "across modes, clocks and batches of a network in a precision",
                        {},
                        {}};
  for (const Group& runs : grouped(all, device_key)) {
    const std::vector<dnn::Factor> own{device_factor(bench, runs)};
    for (const RunConfiguration* setting : runs) {
      const scenarios::Result result = bench.simulate(*setting, own);
      compare(known, *setting, result);
      compare(traffic, *setting, result, MetricKind::traffic);
      compare(power, *setting, result, MetricKind::power);
    }
  }
  bound_devices(known, 0.05, Judged::mean);
  bound_devices(traffic, 0.1, Judged::mean);
  for (const Comparison& comparison : power.comparisons) {
    if (std::ranges::find(power.bounds, comparison.quantity, &Bound::quantity) == power.bounds.end())
      power.bounds.push_back({comparison.quantity, limit_of(comparison.quantity), Judged::mean});
  }
  if (progress) progress(0.7);

  ComparisonGroup clocks{"boards: other clocks",
                         "boards/solo.csv",
                         "fitted at the first of them, the same batch at the others",
                         {},
                         {}};
  const auto by_batch = [](const RunConfiguration& setting) {
    return device_key(setting) + fmt::format(" b{}", setting.batch);
  };
  for (const Group& runs : grouped(all, by_batch)) {
    if (runs.size() < 2) continue;
    const std::vector<dnn::Factor> first{device_factor(bench, {runs.front()})};
    for (std::size_t i = 1; i < runs.size(); ++i)
      compare_unseen(clocks, rows, *runs[i], bench.predict(*runs[i], first));
  }
  bound_devices(clocks, 0.08, Judged::mean);
  const auto inside = covered(rows);
  std::size_t row = 0;
  for (ComparisonGroup* group : {&unseen, &clocks})
    for (Comparison& comparison : group->comparisons) comparison.covered = inside[row++];
  if (progress) progress(1);
  return {{unseen, known, clocks, traffic, power}, std::move(rows)};
}

std::string factors_csv(const std::vector<dnn::Factor>& factors) {
  std::string text = "device,model,family,precision,factor,basis\n";
  for (const dnn::Factor& factor : factors) {
    text += fmt::format("{},{},{},{},{:.4f},{}\n", factor.device, factor.model, factor.family,
                        dnn::to_string(factor.precision), factor.value, calibration::csv_field(factor.basis));
  }
  return text;
}

}  // namespace jostle::analyses
