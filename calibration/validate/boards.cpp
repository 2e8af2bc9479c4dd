#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "calibration/validate/validate.hpp"
#include "input/counted.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/math.hpp"

namespace jostle::calibration {
namespace {

scenarios::Precision precision_of(const RunConfiguration& configuration) {
  return *configuration.scenario->processes.front().work.precision;
}

// Simulates configurations with given factors; may be used from several threads.
class Bench {
 public:
  // Reads the profiles of all devices of the configurations.
  explicit Bench(const std::vector<RunConfiguration>& all) {
    for (const RunConfiguration& configuration : all)
      if (!bases_.contains(configuration.device))
        bases_.emplace(configuration.device, profiles::shipped_base_profile(configuration.device));
  }

  [[nodiscard]] scenarios::Result simulate(const RunConfiguration& configuration,
                                           std::vector<dnn::Factor> factors) const {
    profiles::Profile profile = base_of(configuration.device).profile;
    profile.factors = std::move(factors);
    return simulated(*configuration.scenario, profile);
  }

  // Predicts with the spread of assumed parameters: no measurement of the device is used except for the
  // factors.
  [[nodiscard]] std::vector<Prediction> predict(const RunConfiguration& configuration,
                                                std::vector<dnn::Factor> factors) const {
    profiles::BaseProfile base = base_of(configuration.device);
    base.profile.factors = std::move(factors);
    return predictions({std::move(base), {}}, {configuration}, &input::interruption()).front();
  }

  [[nodiscard]] dnn::Chip chip_of(const std::string& device) const {
    return dnn::Chip::of(base_of(device).profile.spec->gpu);
  }

 private:
  const profiles::BaseProfile& base_of(const std::string& device) const { return bases_.at(device); }

  std::map<std::string, profiles::BaseProfile> bases_;
};

// Each measuring point is a quantity of its own: the input includes power that the rails omit.
std::string power_kind(const std::string& metric) {
  return metric == "power" ? " input" : metric == "power_wall" ? " plug" : " rails";
}

double limit_of(const std::string& quantity) {
  return quantity.ends_with(" input") ? 0.05 : quantity.ends_with(" plug") ? 0.15 : 0.1;
}

void compare(ComparisonGroup& group, const RunConfiguration& configuration, const scenarios::Result& result,
             MetricKind wanted = MetricKind::time) {
  for (const ReferenceValue& reference : configuration.reference_values) {
    if (kind_of(reference.metric) != wanted) continue;
    group.comparisons.push_back({configuration.text(reference),
                                 wanted == MetricKind::power
                                     ? configuration.device + power_kind(reference.metric)
                                     : configuration.device,
                                 reference.value, predicted(result, reference.metric, configuration)});
  }
}

// Adds times that the factors were not fitted to.
void compare_held_out(ComparisonGroup& group, std::vector<analyses::HeldOutRow>& rows,
                      const RunConfiguration& configuration, const std::vector<Prediction>& predicted) {
  for (std::size_t i = 0; i < configuration.reference_values.size(); ++i) {
    const ReferenceValue& reference = configuration.reference_values[i];
    if (kind_of(reference.metric) != MetricKind::time) continue;
    group.comparisons.push_back(
        {configuration.text(reference), configuration.device, reference.value, predicted[i].value});
    rows.push_back(held_out_row(group.comparisons.back(), configuration.device, quantity_of(reference.metric),
                                predicted[i].basis, configuration.device));
    rows.back().configuration = configuration.text();
    rows.back().spread = predicted[i].spread;
  }
}

std::int64_t smallest_batch(std::span<const RunConfiguration* const> configurations) {
  return (*std::ranges::min_element(configurations, {}, &RunConfiguration::batch))->batch;
}

// The factor (geometric mean over the configurations) that matches simulated to measured times: GPU times if
// there are some, else throughput or batch time, whose other parts hardly change.
double fitted(const Bench& bench, std::span<const RunConfiguration* const> configurations) {
  double factor = 1;
  const std::int64_t batch = smallest_batch(configurations);
  for (int round = 0; round < 3; ++round) {
    double sum = 0;
    int count = 0;
    for (const RunConfiguration* configuration : configurations) {
      dnn::Factor tried;
      tried.family = configuration->family();
      tried.precision = precision_of(*configuration);
      tried.value = factor;
      tried.batch = batch;
      const scenarios::Result result = bench.simulate(*configuration, {tried});
      const bool has_gpu_time =
          std::ranges::find(configuration->reference_values, "gpu_time", &ReferenceValue::metric) !=
          configuration->reference_values.end();
      for (const ReferenceValue& reference : configuration->reference_values) {
        if (kind_of(reference.metric) != MetricKind::time || reference.metric == "enqueue" ||
            (has_gpu_time && reference.metric != "gpu_time"))
          continue;
        const double ratio = reference.value / predicted(result, reference.metric, *configuration);
        sum += sim::log(reference.metric == "throughput" ? 1 / ratio : ratio);
        ++count;
      }
    }
    factor *= sim::exp(sum / std::max(count, 1));
  }
  return factor;
}

using Group = std::vector<const RunConfiguration*>;

// Configurations on the GPU grouped by a key, in the order of appearance.
template <class Key>
std::vector<Group> grouped(const std::vector<RunConfiguration>& all, Key key) {
  std::vector<Group> groups;
  std::vector<std::string> keys;
  for (const RunConfiguration& configuration : all) {
    if (!configuration.on_gpu()) continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(keys, key(configuration)) - keys.begin());
    if (index == keys.size()) {
      keys.push_back(key(configuration));
      groups.emplace_back();
    }
    groups[index].push_back(&configuration);
  }
  return groups;
}

std::string family_key(const RunConfiguration& configuration) {
  return configuration.family() + " " + configuration.precision;
}
std::string device_key(const RunConfiguration& configuration) {
  return configuration.device + " " + configuration.model + " " + configuration.precision;
}

// The configurations of a family with the device, mode and clocks of the first.
Group anchor_of(const Group& family) {
  Group anchor;
  for (const RunConfiguration* configuration : family) {
    if (configuration->device == family.front()->device && configuration->mode == family.front()->mode &&
        configuration->clocks == family.front()->clocks)
      anchor.push_back(configuration);
  }
  return anchor;
}

dnn::Factor family_factor(const Bench& bench, const Group& family) {
  const Group anchor = anchor_of(family);
  return {.chip = {},
          .model = {},
          .family = anchor.front()->family(),
          .precision = precision_of(*anchor.front()),
          .value = fitted(bench, anchor),
          .basis = anchor.front()->device + " " + anchor.front()->mode,
          .batch = smallest_batch(anchor)};
}

dnn::Factor device_factor(const Bench& bench, const Group& runs) {
  return {.chip = bench.chip_of(runs.front()->device),
          .model = runs.front()->model,
          .family = runs.front()->family(),
          .precision = precision_of(*runs.front()),
          .value = fitted(bench, runs),
          .basis = fmt::format("{}, {}", runs.front()->device, input::counted(runs.size(), "run")),
          .batch = smallest_batch(runs)};
}

// Bounds each quantity of the group, a device or a kind of power on it.
void bound(ComparisonGroup& group, const std::function<double(const std::string&)>& limit,
           Statistic statistic) {
  for (const Comparison& comparison : group.comparisons) {
    if (std::ranges::find(group.bounds, comparison.quantity, &Bound::quantity) == group.bounds.end())
      group.bounds.push_back({comparison.quantity, limit(comparison.quantity), statistic});
  }
}
void bound_devices(ComparisonGroup& group, double limit, Statistic statistic) {
  bound(
      group, [limit](const std::string&) { return limit; }, statistic);
}

constexpr const char* solo_runs = "boards/solo.csv";

// Predicts every run to which the family's factor was not fitted.
ComparisonGroup other_devices(const Bench& bench, const std::vector<RunConfiguration>& all,
                              std::vector<analyses::HeldOutRow>& rows) {
  ComparisonGroup group{"boards: factors of a family, fitted on another", solo_runs, "", {}, {}};
  std::vector<dnn::Factor> of_families;
  std::vector<const RunConfiguration*> fitted_on;
  for (const Group& family : grouped(all, family_key)) {
    of_families.push_back(family_factor(bench, family));
    for (const RunConfiguration* configuration : anchor_of(family)) fitted_on.push_back(configuration);
  }
  for (const RunConfiguration& configuration : all) {
    if (std::ranges::find(fitted_on, &configuration) == fitted_on.end())
      compare_held_out(group, rows, configuration, bench.predict(configuration, of_families));
  }
  bound_devices(group, 0.15, Statistic::median);
  return group;
}

// Predicts every run with a factor fitted to the runs of its network on its device: times, memory traffic,
// power.
struct OwnFactors {
  ComparisonGroup known{"boards: a factor of their own",
                        solo_runs,
                        "across modes, clocks and batches of a network in a precision",
                        {},
                        {}};
  ComparisonGroup traffic{"boards: memory traffic",
                          solo_runs,
                          "EMC utilisation shown by tegrastats, relative to the peak at that clock",
                          {},
                          {}};
  ComparisonGroup power{
      "boards: power", solo_runs, "at the module's input, on its rails, at the plug", {}, {}};
};

OwnFactors own_factors(const Bench& bench, const std::vector<RunConfiguration>& all) {
  OwnFactors groups;
  for (const Group& runs : grouped(all, device_key)) {
    const std::vector<dnn::Factor> own{device_factor(bench, runs)};
    for (const RunConfiguration* configuration : runs) {
      const scenarios::Result result = bench.simulate(*configuration, own);
      compare(groups.known, *configuration, result);
      compare(groups.traffic, *configuration, result, MetricKind::traffic);
      compare(groups.power, *configuration, result, MetricKind::power);
    }
  }
  bound_devices(groups.known, 0.05, Statistic::mean);
  bound_devices(groups.traffic, 0.1, Statistic::mean);
  bound(groups.power, limit_of, Statistic::mean);
  return groups;
}

// Fits a factor at the first clocks of a batch and predicts the other clocks.
ComparisonGroup other_clocks(const Bench& bench, const std::vector<RunConfiguration>& all,
                             std::vector<analyses::HeldOutRow>& rows) {
  ComparisonGroup group{
      "boards: other clocks", solo_runs, "fitted at the first of them, the same batch at the others", {}, {}};
  const auto by_batch = [](const RunConfiguration& configuration) {
    return device_key(configuration) + fmt::format(" b{}", configuration.batch);
  };
  for (const Group& runs : grouped(all, by_batch)) {
    if (runs.size() < 2) continue;
    const std::vector<dnn::Factor> first{device_factor(bench, {runs.front()})};
    for (std::size_t i = 1; i < runs.size(); ++i)
      compare_held_out(group, rows, *runs[i], bench.predict(*runs[i], first));
  }
  bound_devices(group, 0.08, Statistic::mean);
  return group;
}

}  // namespace

std::vector<dnn::Factor> fit_board_factors(const std::vector<RunConfiguration>& fitted_on,
                                           const std::function<void(double)>& progress) {
  const std::vector<Group> families = grouped(fitted_on, family_key),
                           devices = grouped(fitted_on, device_key);
  const Bench bench(fitted_on);
  std::vector<dnn::Factor> factors(families.size() + devices.size());
  const auto fit = [&](std::size_t i) {
    factors[i] = i < families.size() ? family_factor(bench, families[i])
                                     : device_factor(bench, devices[i - families.size()]);
  };
  simulated_at_once(factors.size(), fit, progress);
  return factors;
}

BoardsValidation validate_boards(const std::function<void(double)>& progress) {
  const auto report = [&](double done) {
    if (progress) progress(done);
  };
  const std::vector<RunConfiguration> all = shipped_run_configurations();
  const Bench bench(all);
  std::vector<analyses::HeldOutRow> rows;
  ComparisonGroup devices = other_devices(bench, all, rows);
  report(0.4);
  const OwnFactors own = own_factors(bench, all);
  report(0.7);
  ComparisonGroup clocks = other_clocks(bench, all, rows);
  const auto inside = covered(rows);
  std::size_t row = 0;
  for (ComparisonGroup* group : {&devices, &clocks})
    for (Comparison& comparison : group->comparisons) comparison.covered = inside[row++];
  report(1);
  return {{devices, own.known, clocks, own.traffic, own.power}, std::move(rows)};
}

std::string factors_csv(const std::vector<dnn::Factor>& factors) {
  std::string text = "architecture,sms,model,family,precision,batch,factor,basis\n";
  for (const dnn::Factor& factor : factors) {
    text += fmt::format("{},{},{},{},{},{},{:.4f},{}\n", factor.chip.architecture, factor.chip.sms,
                        factor.model, factor.family, dnn::to_string(factor.precision), factor.batch,
                        factor.value, input::csv_field(factor.basis));
  }
  return text;
}

}  // namespace jostle::calibration
