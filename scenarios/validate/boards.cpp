#include "scenarios/validate/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibration/embedded.hpp"
#include "calibration/readers/csv.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/names.hpp"
#include "scenarios/run.hpp"
#include "scenarios/scenario.hpp"
#include "sim/math.hpp"

namespace jostle::scenarios {
namespace {

using calibration::CsvTable;

// One published figure.
struct Published {
  std::string run, metric;
  double value = 0;
};

// The figures of one setting: a run, as a scenario.
struct Setting {
  std::string device, mode, clocks, model, precision, placement;
  std::int64_t batch = 1;
  Scenario scenario;
  std::vector<Published> figures;

  [[nodiscard]] std::string family() const { return std::string(dnn::find_model(model)->family); }
  [[nodiscard]] bool on_gpu() const { return placement == "gpu"; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} {}{} {} {} b{}{}", device, mode, clocks, model, precision, batch,
                       on_gpu() ? "" : " " + placement);
  }
};

template <class Names>
auto value_of(const Names& names, const std::string& word) {
  for (const auto& [known, value] : names)
    if (known == word) return value;
  throw std::runtime_error("evidence/boards/solo.csv: unknown word '" + word + "'");
}

// A closed loop of one process on each accelerator that `placement` lists with '+'.
void add_processes(Scenario& scenario, const Setting& setting, std::int64_t dla_batch) {
  for (std::size_t begin = 0; begin <= setting.placement.size();) {
    const std::size_t end = std::min(setting.placement.find('+', begin), setting.placement.size());
    ProcessEntry entry;
    entry.model = BuiltInModel{setting.model};
    entry.precision = value_of(precision_names(), setting.precision);
    entry.placement = value_of(placement_names(), setting.placement.substr(begin, end - begin));
    entry.batch = entry.placement == Placement::gpu || dla_batch == 0 ? setting.batch : dla_batch;
    scenario.processes.push_back(entry);
    begin = end + 1;
  }
}

std::optional<double> megahertz(const CsvTable& table, const CsvTable::Row& row, const char* column) {
  const std::size_t at = table.column(column);
  return row.text(at).empty() ? std::nullopt : std::optional(row.number(at) * 1e6);
}

Setting setting_of(const CsvTable& table, const CsvTable::Row& row) {
  const auto text = [&](const char* column) { return row.text(table.column(column)); };
  Setting setting{.device = text("device"),
                  .mode = text("power_mode"),
                  .clocks = {},
                  .model = text("model"),
                  .precision = text("precision"),
                  .placement = text("placement"),
                  .batch = row.integer(table.column("batch")),
                  .scenario = {},
                  .figures = {}};
  Scenario& scenario = setting.scenario;
  scenario.device = setting.device;
  scenario.power_mode = setting.mode;
  scenario.clocks.gpu_hz = megahertz(table, row, "gpu_mhz");
  scenario.clocks.cpu_hz = megahertz(table, row, "cpu_mhz");
  scenario.clocks.emc_hz = megahertz(table, row, "emc_mhz");
  if (scenario.clocks.gpu_hz) setting.clocks += fmt::format(" gpu {:g} MHz", *scenario.clocks.gpu_hz / 1e6);
  if (scenario.clocks.emc_hz) setting.clocks += fmt::format(" emc {:g} MHz", *scenario.clocks.emc_hz / 1e6);
  if (const std::size_t cores = table.column("cores"); !row.text(cores).empty()) {
    scenario.clocks.cores = static_cast<int>(row.integer(cores));
    setting.clocks += fmt::format(" {} cores", *scenario.clocks.cores);
  }
  scenario.run.duration = sim::seconds(2);
  scenario.run.warmup = sim::milliseconds(500);
  const std::size_t dla = table.column("dla_batch");
  add_processes(scenario, setting, row.text(dla).empty() ? 0 : row.integer(dla));
  return setting;
}

// What the simulator answers to a metric; power is for later.
bool is_time(const std::string& metric) {
  return metric == "throughput" || metric == "gpu_time" || metric == "batch_time" || metric == "enqueue";
}

std::vector<Setting> settings() {
  const auto csv = calibration::embedded_file("evidence/boards/solo.csv");
  const CsvTable table = CsvTable::parse(csv.value_or(""), "evidence/boards/solo.csv");
  std::vector<Setting> found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const std::string& metric = row.text(table.column("metric"));
    if (!is_time(metric)) continue;
    Setting setting = setting_of(table, row);
    const auto same = std::ranges::find(found, setting.text(), &Setting::text);
    Setting& into = same != found.end() ? *same : found.emplace_back(std::move(setting));
    into.figures.push_back({row.text(table.column("run")), metric, row.number(table.column("value"))});
  }
  return found;
}

// Simulations of settings, with factors of one's own.
class Bench {
 public:
  [[nodiscard]] Result simulate(const Setting& setting, std::vector<dnn::Factor> factors) {
    calibration::Profile profile = profile_of(setting.device);
    profile.factors = std::move(factors);
    const std::optional<Result> result = run(setting.scenario, profile, {});
    if (!result) throw std::runtime_error("interrupted");
    return *result;
  }

 private:
  const calibration::Profile& profile_of(const std::string& device) {
    if (const auto known = profiles_.find(device); known != profiles_.end()) return known->second;
    input::Problems problems;
    auto profile = calibration::shipped_profile(device, problems);
    if (!profile) throw std::runtime_error(problems.text());
    return profiles_.emplace(device, std::move(*profile)).first->second;
  }

  std::map<std::string, calibration::Profile> profiles_;
};

// In the unit of the row: images/s or ms. 0: undefined.
double predicted(const Result& result, const std::string& metric, std::int64_t batch) {
  const ProcessResult& process = result.processes.front();
  if (metric == "throughput") return result.system.throughput.value_or(0);
  if (metric == "enqueue") return process.ec_ms.mean.value_or(0);
  const double images_per_s = process.throughput.mean.value_or(0);
  if (images_per_s <= 0) return 0;
  const double batch_ms = 1e3 * static_cast<double>(batch) / images_per_s;
  return metric == "batch_time" || !process.time_share ? batch_ms : batch_ms * process.time_share->front();
}

void compare(ComparisonGroup& group, const Setting& setting, const Result& result) {
  for (const Published& figure : setting.figures) {
    group.comparisons.push_back({fmt::format("{} {}, {}", figure.run, setting.text(), figure.metric),
                                 setting.device, figure.value,
                                 predicted(result, figure.metric, setting.batch)});
  }
}

// The factor that brings the setting's GPU time to what was measured: by GPU times where there are some, else
// by throughput or the time of a batch, whose other parts hardly change. The mean of the logarithms.
double fitted(Bench& bench, std::span<const Setting* const> settings) {
  double factor = 1;
  for (int round = 0; round < 3; ++round) {
    double sum = 0;
    int count = 0;
    for (const Setting* setting : settings) {
      const Result result =
          bench.simulate(*setting, {{.device = {},
                                     .model = {},
                                     .family = setting->family(),
                                     .precision = value_of(precision_names(), setting->precision),
                                     .value = factor,
                                     .basis = {}}});
      const bool has_gpu_time =
          std::ranges::find(setting->figures, "gpu_time", &Published::metric) != setting->figures.end();
      for (const Published& figure : setting->figures) {
        if (figure.metric == "enqueue" || (has_gpu_time && figure.metric != "gpu_time")) continue;
        const double ratio = figure.value / predicted(result, figure.metric, setting->batch);
        sum += sim::log(figure.metric == "throughput" ? 1 / ratio : ratio);
        ++count;
      }
    }
    factor *= sim::exp(sum / std::max(count, 1));
  }
  return factor;
}

using Group = std::vector<const Setting*>;

// Settings on the GPU by a key, in the order of appearance.
template <class Key>
std::vector<Group> grouped(const std::vector<Setting>& all, Key key) {
  std::vector<Group> groups;
  std::vector<std::string> keys;
  for (const Setting& setting : all) {
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

std::string family_key(const Setting& setting) {
  return setting.family() + " " + setting.precision;
}
std::string device_key(const Setting& setting) {
  return setting.device + " " + setting.model + " " + setting.precision;
}

// Of a family's settings those of the first one's device and mode.
Group anchor_of(const Group& family) {
  Group anchor;
  for (const Setting* setting : family) {
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
          .precision = value_of(precision_names(), anchor.front()->precision),
          .value = fitted(bench, anchor),
          .basis = anchor.front()->device + " " + anchor.front()->mode};
}

dnn::Factor device_factor(Bench& bench, const Group& runs) {
  return {.device = runs.front()->device,
          .model = runs.front()->model,
          .family = runs.front()->family(),
          .precision = value_of(precision_names(), runs.front()->precision),
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
  const std::vector<Setting> all = settings();
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

std::vector<ComparisonGroup> validate_boards(const std::function<void(double)>& progress) {
  const std::vector<Setting> all = settings();
  Bench bench;
  ComparisonGroup unseen{"boards: factors of a family, fitted on another", "boards/solo.csv", "", {}, {}};
  std::vector<dnn::Factor> of_families;
  std::vector<const Setting*> fitted_on;
  for (const Group& family : grouped(all, family_key)) {
    of_families.push_back(family_factor(bench, family));
    for (const Setting* setting : anchor_of(family)) fitted_on.push_back(setting);
  }
  for (const Setting& setting : all) {
    if (std::ranges::find(fitted_on, &setting) == fitted_on.end())
      compare(unseen, setting, bench.simulate(setting, of_families));
  }
  bound_devices(unseen, 0.15, Judged::median);
  if (progress) progress(0.4);

  ComparisonGroup known{"boards: a factor of their own",
                        "boards/solo.csv",
                        "across modes, clocks and batches of a network in a precision",
                        {},
                        {}};
  for (const Group& runs : grouped(all, device_key)) {
    const std::vector<dnn::Factor> own{device_factor(bench, runs)};
    for (const Setting* setting : runs) compare(known, *setting, bench.simulate(*setting, own));
  }
  bound_devices(known, 0.05, Judged::mean);
  if (progress) progress(0.7);

  ComparisonGroup clocks{"boards: other clocks",
                         "boards/solo.csv",
                         "fitted at the first of them, the same batch at the others",
                         {},
                         {}};
  const auto by_batch = [](const Setting& setting) {
    return device_key(setting) + fmt::format(" b{}", setting.batch);
  };
  for (const Group& runs : grouped(all, by_batch)) {
    if (runs.size() < 2) continue;
    const std::vector<dnn::Factor> first{device_factor(bench, {runs.front()})};
    for (std::size_t i = 1; i < runs.size(); ++i) compare(clocks, *runs[i], bench.simulate(*runs[i], first));
  }
  bound_devices(clocks, 0.08, Judged::mean);
  if (progress) progress(1);
  return {unseen, known, clocks};
}

std::string factors_csv(const std::vector<dnn::Factor>& factors) {
  std::string text = "device,model,family,precision,factor,basis\n";
  for (const dnn::Factor& factor : factors) {
    text += fmt::format("{},{},{},{},{:.4f},{}\n", factor.device, factor.model, factor.family,
                        dnn::to_string(factor.precision), factor.value, calibration::csv_field(factor.basis));
  }
  return text;
}

}  // namespace jostle::scenarios
