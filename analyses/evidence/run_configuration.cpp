#include "analyses/evidence/run_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "calibration/embedded.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using calibration::CsvTable;

constexpr std::array<std::pair<std::string_view, MetricKind>, 10> kinds{{
    {"throughput", MetricKind::time},
    {"gpu_time", MetricKind::time},
    {"batch_time", MetricKind::time},
    {"enqueue", MetricKind::time},
    {"memory_bandwidth", MetricKind::traffic},
    {"ram", MetricKind::memory},
    {"power", MetricKind::power},
    {"power_wall", MetricKind::power},
    {"power_cpu_gpu_cv", MetricKind::power},
    {"power_soc", MetricKind::power},
}};
// Metrics of the sensors of a board.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> rails{
    {{"power_cpu_gpu_cv", "VDD_CPU_GPU_CV"}, {"power_soc", "VDD_SOC"}}};

// A row with columns by name; a missing column counts as empty.
class Fields {
 public:
  Fields(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}

  [[nodiscard]] std::string text(std::string_view column) const {
    const auto at = std::ranges::find(table_.header(), column);
    return at == table_.header().end() ? std::string()
                                       : row_.text(static_cast<std::size_t>(at - table_.header().begin()));
  }
  [[nodiscard]] std::optional<double> number(std::string_view column) const {
    if (text(column).empty()) return std::nullopt;
    return row_.number(table_.column(column));
  }
  [[nodiscard]] std::int64_t count(std::string_view column, std::int64_t otherwise) const {
    if (text(column).empty()) return otherwise;
    const std::int64_t value = row_.integer(table_.column(column));
    if (value < 1) row_.fail(fmt::format("{} {} is not positive", column, value));
    return value;
  }
  [[nodiscard]] std::optional<double> hertz(std::string_view column) const {
    const auto mhz = number(column);
    if (mhz && !(*mhz > 0)) row_.fail(fmt::format("{} {} is not positive", column, *mhz));
    return mhz ? std::optional(*mhz * 1e6) : std::nullopt;
  }
  template <class T>
  [[nodiscard]] T word(const scenarios::Names<T>& names, std::string_view column,
                       const std::string& given) const {
    for (const auto& [known, value] : names)
      if (known == given) return value;
    row_.fail(fmt::format("unknown {} '{}'", column, given));
  }
  [[noreturn]] void fail(const std::string& message) const { row_.fail(message); }

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
};

// Adds a closed-loop process on each accelerator of `placement` (separated by '+').
void add_processes(RunConfiguration& configuration, const Fields& fields) {
  const std::int64_t dla_batch = fields.count("dla_batch", configuration.batch);
  for (std::size_t begin = 0; begin <= configuration.placement.size();) {
    const std::size_t end =
        std::min(configuration.placement.find('+', begin), configuration.placement.size());
    scenarios::ProcessEntry entry;
    entry.model = scenarios::BuiltInModel{configuration.model};
    entry.precision = fields.word(scenarios::precision_names(), "precision", configuration.precision);
    entry.placement = fields.word(scenarios::placement_names(), "placement",
                                  configuration.placement.substr(begin, end - begin));
    entry.batch = entry.placement == scenarios::Placement::gpu ? configuration.batch : dla_batch;
    entry.count = configuration.processes;
    entry.runtime = fields.word(scenarios::runtime_names(), "runtime", configuration.runtime);
    entry.sync = scenarios::default_sync(entry.runtime);
    if (const std::string sync = fields.text("sync"); !sync.empty())
      entry.sync = fields.word(scenarios::sync_names(), "sync", sync);
    configuration.scenario->processes.push_back(entry);
    begin = end + 1;
  }
}

RunConfiguration configuration_of(const Fields& fields) {
  const auto or_else = [&fields](const char* column, const char* otherwise) {
    const std::string text = fields.text(column);
    return text.empty() ? otherwise : text;
  };
  RunConfiguration configuration{.device = fields.text("device"),
                                 .mode = fields.text("power_mode"),
                                 .clocks = {},
                                 .model = fields.text("model"),
                                 .precision = fields.text("precision"),
                                 .placement = or_else("placement", "gpu"),
                                 .runtime = or_else("runtime", "tensorrt"),
                                 .batch = fields.count("batch", 1),
                                 .processes = fields.count("processes", 1),
                                 .scenario = {},
                                 .reference_values = {}};
  if (dnn::find_model(configuration.model) == nullptr)
    fields.fail(fmt::format("unknown network '{}'", configuration.model));
  scenarios::Scenario& scenario = *configuration.scenario;
  scenario.device = configuration.device;
  if (!configuration.mode.empty()) scenario.power_mode = configuration.mode;
  if (fields.text("pinned") == "1") {
    scenario.jetson_clocks = true;
  } else if (!fields.text("pinned").empty() && fields.text("pinned") != "0") {
    fields.fail("pinned is 0 or 1");
  } else {
    configuration.clocks += " governed";
  }
  scenario.clocks.gpu_hz = fields.hertz("gpu_mhz");
  scenario.clocks.cpu_hz = fields.hertz("cpu_mhz");
  scenario.clocks.emc_hz = fields.hertz("emc_mhz");
  if (scenario.clocks.gpu_hz)
    configuration.clocks += fmt::format(" gpu {:g} MHz", *scenario.clocks.gpu_hz / 1e6);
  if (scenario.clocks.cpu_hz)
    configuration.clocks += fmt::format(" cpu {:g} MHz", *scenario.clocks.cpu_hz / 1e6);
  if (scenario.clocks.emc_hz)
    configuration.clocks += fmt::format(" emc {:g} MHz", *scenario.clocks.emc_hz / 1e6);
  if (!fields.text("cores").empty()) {
    scenario.clocks.cores = static_cast<int>(std::min<std::int64_t>(fields.count("cores", 1), 1024));
    configuration.clocks += fmt::format(" {} cores", *scenario.clocks.cores);
  }
  scenario.run.duration = sim::seconds(2);
  scenario.run.warmup = sim::milliseconds(500);
  add_processes(configuration, fields);
  return configuration;
}

}  // namespace

std::string RunConfiguration::family() const {
  return std::string(dnn::find_model(model)->family);
}

std::string RunConfiguration::text() const {
  return fmt::format("{} {}{} {} {} b{}{}{}{}", device, mode, clocks, model, precision, batch,
                     on_gpu() ? "" : " " + placement, runtime == "tensorrt" ? "" : " " + runtime,
                     processes > 1 ? fmt::format(" x{}", processes) : "");
}

MetricKind kind_of(const std::string& metric) {
  for (const auto& [name, kind] : kinds)
    if (name == metric) return kind;
  return MetricKind::unknown;
}

std::vector<RunConfiguration> run_configurations_of(const CsvTable& table) {
  std::vector<RunConfiguration> found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const CsvTable::Row row = table.row(i);
    const Fields fields(table, row);
    const std::string metric = fields.text("metric");
    // `of`: a part of the run, such as a kernel, or another time range.
    if (kind_of(metric) == MetricKind::unknown || !fields.text("of").empty()) continue;
    const double value = row.number(table.column("value"));
    if (!(value > 0)) fields.fail(fmt::format("{} {} is not positive", metric, value));
    RunConfiguration configuration = configuration_of(fields);
    const auto same = std::ranges::find(found, configuration.text(), &RunConfiguration::text);
    RunConfiguration& into = same != found.end() ? *same : found.emplace_back(std::move(configuration));
    // Standard deviation of the mean, if samples are independent.
    const double samples = std::max(fields.number("count").value_or(1), 1.0);
    const double sd = std::abs(fields.number("sd").value_or(0)) / value / std::sqrt(samples);
    into.reference_values.push_back({fields.text("run"), metric, value, sd});
  }
  return found;
}

std::vector<RunConfiguration> shipped_run_configurations() {
  const char* const name = "evidence/boards/solo.csv";
  return run_configurations_of(CsvTable::parse(calibration::embedded_file(name).value_or(""), name));
}

double predicted(const scenarios::Result& result, const std::string& metric,
                 const RunConfiguration& configuration) {
  const scenarios::ProcessResult& process = result.processes.front();
  if (metric == "throughput") return result.system.throughput.value_or(0);
  if (metric == "power_wall") return result.system.power_w.wall.value_or(0);
  if (metric == "power") return result.system.power_w.mean.value_or(0);
  for (const auto& [word, rail] : rails) {
    if (metric != word) continue;
    for (const auto& [name, watts] : result.system.power_w.rails)
      if (name == rail) return watts;
    return 0;
  }
  if (metric == "memory_bandwidth") return result.system.memory.bandwidth_gb_s.value_or(0);
  if (metric == "ram") return result.system.memory.used_mb.value_or(0) * 1e6 / (1 << 20);  // tegrastats: MiB
  if (metric == "enqueue") return process.ec_ms.mean.value_or(0);
  const double images_per_s = process.throughput.mean.value_or(0);
  if (images_per_s <= 0) return 0;
  const double batch_ms = 1e3 * static_cast<double>(configuration.batch) / images_per_s;
  if (metric == "batch_time" || !process.time_share) return batch_ms;
  return batch_ms * (*process.time_share)[index_of(process::Share::gpu_running)];
}

}  // namespace jostle::analyses
