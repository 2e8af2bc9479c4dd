#include "calibration/evidence/run_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "calibration/evidence/evidence_files.hpp"
#include "calibration/logs/log_text.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;

constexpr std::array<std::pair<std::string_view, MetricKind>, 16> kinds{{
    {"throughput", MetricKind::time},
    {"gpu_time", MetricKind::time},
    {"batch_time", MetricKind::time},
    {"layers_time", MetricKind::time},
    {"enqueue", MetricKind::time},
    {"latency_mean", MetricKind::time},
    {"latency_p50", MetricKind::time},
    {"memory_bandwidth", MetricKind::traffic},
    {"ram", MetricKind::memory},
    {"power", MetricKind::power},
    {"power_wall", MetricKind::power},
    {"power_cpu_gpu_cv", MetricKind::power},
    {"power_soc", MetricKind::power},
    {"power_gpu_soc", MetricKind::power},
    {"power_cpu_cv", MetricKind::power},
    {"power_sys_5v0", MetricKind::power},
}};
// The board's sensor for each metric of a power rail.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> rails{
    {{"power_cpu_gpu_cv", "VDD_CPU_GPU_CV"},
     {"power_soc", "VDD_SOC"},
     {"power_gpu_soc", "VDD_GPU_SOC"},
     {"power_cpu_cv", "VDD_CPU_CV"},
     {"power_sys_5v0", "VIN_SYS_5V0"}}};

constexpr std::int64_t most_threads = 1024;

// Columns that hold for all rows of a run.
constexpr std::array<std::string_view, 15> of_run{"device",    "power_mode", "pinned", "gpu_mhz",   "cpu_mhz",
                                                  "emc_mhz",   "cores",      "model",  "precision", "batch",
                                                  "processes", "runtime",    "sync",   "onnx",      "input"};

// The values that a run has in some of its rows, by run and column. Empty: no value, or several different
// ones.
using Shared = std::map<std::pair<std::string, std::string_view>, std::string>;

Shared shared_columns(std::span<const input::CsvTable> tables) {
  Shared shared;
  std::set<std::pair<std::string, std::string_view>> several;
  for (const input::CsvTable& table : tables) {
    for (const input::CsvTable::Row row : table) {
      const std::string run = input::text_in(table, row, "run");
      if (run.empty()) continue;
      for (const std::string_view column : of_run) {
        const std::string text = input::text_in(table, row, column);
        if (text.empty()) continue;
        const auto [known, is_new] = shared.emplace(std::pair(run, column), text);
        if (!is_new && known->second != text) several.emplace(run, column);
      }
    }
  }
  for (const auto& key : several) shared[key].clear();
  return shared;
}

// The runs with a log of trtexec.
std::set<std::string> runs_of_tensorrt(std::span<const input::CsvTable> tables) {
  std::set<std::string> found;
  for (const input::CsvTable& table : tables)
    for (std::size_t i = 0; i < table.rows(); ++i)
      if (input::text_in(table, table.row(i), "source").find("trtexec") != std::string::npos)
        found.insert(input::text_in(table, table.row(i), "run"));
  return found;
}

// The names of networks with kernels in order in a framework's runtime, which need no layers to run.
std::set<std::string> networks_with_kernels(std::span<const input::CsvTable> tables) {
  std::set<std::string> found;
  for (const input::CsvTable& table : tables) {
    for (const input::CsvTable::Row row : table) {
      const std::string runtime = input::text_in(table, row, "runtime"),
                        model = input::text_in(table, row, "model");
      const bool framework =
          std::ranges::any_of(process::runtimes, [&](const process::RuntimeTraits& traits) {
            return traits.name == runtime && traits.lowering == dnn::Lowering::framework;
          });
      if (framework && !model.ends_with(".onnx") && input::text_in(table, row, "metric") == "layer_time")
        found.insert(model);
    }
  }
  return found;
}

// A row with columns by name. A missing or empty column has the value of another row of the run, else none.
class Fields {
 public:
  // `of_tensorrt`: the runs of trtexec.
  Fields(const input::CsvTable& table, const input::CsvTable::Row& row, const Shared& shared,
         const std::set<std::string>& of_tensorrt)
      : table_(table), row_(row), shared_(shared), of_tensorrt_(of_tensorrt) {}

  [[nodiscard]] std::string text(std::string_view column) const {
    std::string own = input::text_in(table_, row_, column);
    const std::string run = input::text_in(table_, row_, "run");
    if (own.empty()) {
      const auto known = shared_.find({run, column});
      if (known != shared_.end()) own = known->second;
    }
    // Earlier imports call the graphs of trtexec so; the runtime cuda-graph stands for a framework.
    const bool engine = column == "runtime" && own == "cuda-graph" && of_tensorrt_.contains(run);
    return engine ? "tensorrt-graph" : own;
  }
  [[nodiscard]] std::optional<double> number(std::string_view column) const {
    const std::string given = text(column);
    if (given.empty()) return std::nullopt;
    if (!input::text_in(table_, row_, column).empty()) return row_.number(table_.column(column));
    std::string_view rest = given;
    const auto value = calibration::take_number(rest);
    if (!value || !rest.empty()) row_.fail(fmt::format("{} '{}' is not a number", column, given));
    return value;
  }
  [[nodiscard]] std::int64_t count(std::string_view column, std::int64_t otherwise,
                                   std::int64_t most = 1'000'000'000) const {
    const auto given = number(column);
    if (!given) return otherwise;
    if (*given != std::floor(*given)) row_.fail(fmt::format("{} {} is not a whole number", column, *given));
    if (!(*given >= 1)) row_.fail(fmt::format("{} {} is not positive", column, *given));
    if (*given > static_cast<double>(most))
      row_.fail(fmt::format("{} {:.0f} is more than {}", column, *given, most));
    return static_cast<std::int64_t>(*given);
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
  const input::CsvTable& table_;
  const input::CsvTable::Row& row_;
  const Shared& shared_;
  const std::set<std::string>& of_tensorrt_;
};

// The network of a row: built in, or from a file, which is found by its content or by its name.
scenarios::Model model_of(const Fields& fields, profiles::NetworkFiles& networks,
                          const std::set<std::string>& traced) {
  const std::string model = fields.text("model"), content = fields.text("onnx");
  const std::string plain = calibration::stem(model);
  if (const dnn::Model* const known = dnn::find_model(model); content.empty() && known != nullptr)
    return scenarios::BuiltInModel{std::string(known->name)};
  const std::string path = content.empty() ? networks.by_name(model) : networks.by_content(content);
  if (path.empty() && content.empty() && traced.contains(model)) return scenarios::BuiltInModel{model};
  if (path.empty() && content.empty())
    fields.fail(
        fmt::format("unknown network '{}': name its .onnx file with --onnx FILE, or import the log with "
                    "--model and a built-in name ({})",
                    input::printable(model), input::spelling_hint(model, dnn::model_names())));
  if (path.empty())
    fields.fail(fmt::format("no .onnx file here is the network {} ({}): name it with --onnx FILE",
                            input::printable(model), input::printable(content)));
  input::Problems problems;
  auto file = networks.read(path, problems);
  if (!problems.empty()) fields.fail(problems.text());
  return scenarios::OnnxModel{path, path, std::move(file)};
}

// Sets the fields of a process that only rows of published evidence have.
void set_others(scenarios::ProcessEntry& entry, const Fields& fields) {
  const auto set = [&](std::optional<std::int64_t>& into, const char* column, std::int64_t most) {
    if (const std::int64_t given = fields.count(column, 0, most); given > 0) into = given;
  };
  set(entry.work.input, "input", dnn::largest_input);
  set(entry.host.threads, "threads", most_threads);
  if (const std::string transfers = fields.text("transfers"); transfers == "none")
    entry.host.transfers = false;
  else if (!transfers.empty() && transfers != "both")
    fields.fail(fmt::format("transfers is '{}', not both or none", input::printable(transfers)));
  if (const auto rate = fields.number("rate_hz")) {
    if (!(*rate > 0)) fields.fail(fmt::format("rate_hz {} is not positive", *rate));
    if (*rate > scenarios::max_rate)
      fields.fail(fmt::format("rate_hz {} is more than {}", *rate, scenarios::max_rate));
    entry.arrivals.kind = process::ArrivalKind::periodic;
    entry.arrivals.rate_per_s = *rate;
  }
  if (const auto percent = fields.number("mps_percent")) {
    if (!(*percent > 0 && *percent <= 100)) fields.fail(fmt::format("mps_percent is {}", *percent));
    entry.gpu.mps_threads = *percent / 100;
  }
}

std::string others_of(const Fields& fields) {
  std::string text;
  const auto add = [&](std::string_view column, const char* form) {
    if (const std::string given = fields.text(column); !given.empty())
      text += fmt::format(fmt::runtime(form), given);
  };
  add("input", " input {}");
  add("threads", " {} threads");
  add("transfers", " {} transfers");
  add("rate_hz", " {}/s");
  add("mps_percent", " MPS {} %");
  return text;
}

// Adds the processes for the accelerators of `placement`: instances of one process if '+' separates them, as
// in MLPerf's harness, or one process for each if '|' separates them.
void add_processes(RunConfiguration& configuration, const Fields& fields, const scenarios::Model& model) {
  const std::int64_t dla_batch = fields.count("dla_batch", configuration.batch, scenarios::max_batch);
  const bool together = configuration.placement.find('+') != std::string::npos;
  std::vector<scenarios::ProcessEntry> entries;
  for (std::size_t begin = 0; begin <= configuration.placement.size();) {
    const std::size_t end =
        std::min(configuration.placement.find_first_of("+|", begin), configuration.placement.size());
    scenarios::ProcessEntry entry;
    entry.work.model = model;
    entry.work.precision = fields.word(scenarios::precision_names(), "precision", configuration.precision);
    entry.host.placement = fields.word(scenarios::placement_names(), "placement",
                                       configuration.placement.substr(begin, end - begin));
    entry.work.batch = entry.host.placement == scenarios::Placement::gpu ? configuration.batch : dla_batch;
    entry.count = configuration.processes;
    set_others(entry, fields);
    entry.host.runtime = fields.word(scenarios::runtime_names(), "runtime", configuration.runtime);
    entry.host.sync = scenarios::default_sync(entry.host.runtime);
    if (const std::string sync = fields.text("sync"); !sync.empty())
      entry.host.sync = fields.word(scenarios::sync_names(), "sync", sync);
    entries.push_back(std::move(entry));
    begin = end + 1;
  }
  if (static_cast<std::int64_t>(entries.size()) * configuration.processes > scenarios::max_processes)
    fields.fail(fmt::format("more than {} processes", scenarios::max_processes));
  if (!together) {
    configuration.scenario->processes = std::move(entries);
    return;
  }
  scenarios::ProcessEntry process = entries.front();
  process.instances = std::move(entries);
  for (scenarios::ProcessEntry& instance : process.instances) instance.count = 1;
  configuration.scenario->processes.push_back(std::move(process));
}

// Sets the clocks that differ from the mode's, and their text.
void set_clocks(RunConfiguration& configuration, const Fields& fields) {
  scenarios::Clocks& clocks = configuration.scenario->clocks;
  const auto set = [&](std::optional<double>& hertz, const char* column, const char* name) {
    hertz = fields.hertz(column);
    if (hertz) configuration.clocks += fmt::format(" {} {:g} MHz", name, *hertz / 1e6);
  };
  set(clocks.gpu_hz, "gpu_mhz", "gpu");
  set(clocks.cpu_hz, "cpu_mhz", "cpu");
  set(clocks.emc_hz, "emc_mhz", "emc");
  set(clocks.dla_hz, "dla_mhz", "dla");
  if (fields.text("cores").empty()) return;
  clocks.cores = static_cast<int>(fields.count("cores", 1, 1024));
  configuration.clocks += fmt::format(" {} cores", *clocks.cores);
}

RunConfiguration configuration_of(const Fields& fields, profiles::NetworkFiles& networks,
                                  const std::set<std::string>& traced) {
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
                                 .others = others_of(fields),
                                 .lab = fields.text("lab"),
                                 .presumed = fields.text("presumed"),
                                 .batch = fields.count("batch", 1, scenarios::max_batch),
                                 .processes = fields.count("processes", 1, scenarios::max_processes),
                                 .scenario = {},
                                 .reference_values = {}};
  const scenarios::Model model = model_of(fields, networks, traced);
  configuration.model = scenarios::model_name(model);
  if (configuration.precision.empty())
    fields.fail(fmt::format("run {} has no precision: import its log with --precision",
                            input::printable(fields.text("run"))));
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
  set_clocks(configuration, fields);
  if (!fields.text("mps_percent").empty()) scenario.sharing = gpu::Sharing::mps;
  scenario.run.duration = sim::seconds(2);
  scenario.run.warmup = sim::milliseconds(500);
  add_processes(configuration, fields, model);
  return configuration;
}

class EvidenceReading {
 public:
  EvidenceReading(std::span<const input::CsvTable> tables, profiles::NetworkFiles& networks, Missing missing)
      : tables_(tables),
        networks_(networks),
        missing_(missing),
        shared_(shared_columns(tables)),
        tensorrt_(runs_of_tensorrt(tables)),
        traced_(networks_with_kernels(tables)) {}

  Evidence run() {
    for (const input::CsvTable& table : tables_) {
      found_.used.push_back(0);
      found_.unused.emplace_back();
      for (std::size_t i = 0; i < table.rows(); ++i) read(table, table.row(i));
    }
    for (const auto& [why, count] : left_out_)
      found_.notes.push_back(fmt::format("{} left out: {}", input::counted(count, "value"), why));
    for (RunConfiguration& configuration : found_.configurations) use_layers(configuration);
    return std::move(found_);
  }

 private:
  void read(const input::CsvTable& table, const input::CsvTable::Row& row) {
    const Fields fields(table, row, shared_, tensorrt_);
    const std::string metric = fields.text("metric");
    if (const std::string why = no_use(fields, metric); !why.empty()) {
      ++found_.unused.back()[why];
      return;
    }
    const bool of_layer = metric == "layer_time";
    if (fields.text("model").empty() && fields.text("onnx").empty()) {
      leave_out(fmt::format("run {}: no network (import with --model if one ran)",
                            input::printable(fields.text("run"))));
      return;
    }
    const double value = row.number("value");
    if (of_layer || metric == "view_operators" ? !(value >= 0) : !(value > 0))
      fields.fail(fmt::format("{} {} is not positive", metric, value));
    if (metric == "throughput" && fields.text("unit") == "queries/s")
      fields.fail(
          fmt::format("run {} has no batch, so its throughput is in queries: import its log with --batch",
                      input::printable(fields.text("run"))));
    if (missing_ == Missing::count && is_not_yet_there(fields)) return;
    RunConfiguration& into = known(configuration_of(fields, networks_, traced_));
    ++found_.used.back();
    if (of_layer && into.is_of_framework()) {
      const auto [first_run, is_first] =
          kernels_of_.emplace(into.text() + into.network(), fields.text("run"));
      if (!is_first && first_run->second != fields.text("run"))
        fields.fail(
            fmt::format("a second table of the kernels of {}, of run {}; the first is of run {}: give one",
                        input::printable(into.text()), input::printable(fields.text("run")),
                        input::printable(first_run->second)));
      into.kernels.push_back(kernel_of(table, row, value * (fields.text("unit") == "us" ? 1 : 1000)));
      return;
    }
    if (double RunConfiguration::*const counted = member_of(metric)) {
      into.*counted = value * (fields.text("unit") == "ms" ? 1000 : 1);
      return;
    }
    if (of_layer) {
      into.layer_times.push_back({fields.text("of"), value * (fields.text("unit") == "us" ? 1e-3 : 1)});
      return;
    }
    // Standard deviation of the mean, if samples are independent.
    const double samples = std::max(fields.number("count").value_or(1), 1.0);
    const double sd = std::abs(fields.number("sd").value_or(0)) / value / std::sqrt(samples);
    into.reference_values.push_back({fields.text("run"), metric, value, sd, !fields.text("observer").empty(),
                                     input::text_in(table, row, "mark")});
  }

  // Where a count or time of a batch's operators belongs; null for another metric.
  static double RunConfiguration::*member_of(std::string_view metric) {
    if (metric == "launching_operators") return &RunConfiguration::launching_operators;
    if (metric == "view_operators") return &RunConfiguration::view_operators;
    return metric == "host_time" ? &RunConfiguration::host_us : nullptr;
  }

  static TimedKernel kernel_of(const input::CsvTable& table, const input::CsvTable::Row& row, double us) {
    const auto count = [&](std::string_view column) {
      const std::int64_t given = input::text_in(table, row, column).empty() ? 0 : row.integer(column);
      if (given < 0) row.fail(fmt::format("{} {} is negative", column, given));
      return given;
    };
    if (!(us > 0)) row.fail("the time of a kernel is not positive");
    return {input::text_in(table, row, "of"),
            us,
            input::text_in(table, row, "grid"),
            input::text_in(table, row, "block"),
            count("registers"),
            count("shared_bytes")};
  }

  // Why no fit and no comparison uses the row; empty: they do.
  static std::string no_use(const Fields& fields, const std::string& metric) {
    const bool of_layer = metric == "layer_time", part = !fields.text("of").empty();
    if (of_layer && !part) return "layer_time without a name in `of`";
    if (metric == "layers_time") return "layers_time, the sum of layer_time";
    if (metric == "kernel_time" || metric == "operator_time")
      return metric + ": sums by name, beside the kernels in order (layer_time)";
    if (!fields.text("observer").empty() && (metric == "launch_call" || metric == "api_call"))
      return metric + " under a profiler, which slows it: throughput in runtime eager tells the host's costs";
    if (!of_layer && kind_of(metric) == MetricKind::unknown && member_of(metric) == nullptr)
      return metric + ", which jostle does not predict";
    // `of` marks a part of the run, such as a kernel, or another time range.
    if (!of_layer && part) return metric + " of a part of the run";
    // With several processes, a measured GPU time includes the turns of other processes.
    if (metric == "gpu_time" && fields.count("processes", 1) > 1)
      return "gpu_time of one process among several, which has the turns of the others in it";
    return {};
  }

  void leave_out(const std::string& why) {
    ++left_out_[why];
    ++found_.unused.back()[why];
  }

  // Finds the configuration among the known ones, or adds it.
  RunConfiguration& known(RunConfiguration configuration) {
    const auto [at, is_new] = places_.emplace(
        fmt::format("{}\n{}\n{}", configuration.text(), configuration.network(), configuration.lab),
        found_.configurations.size());
    return is_new ? found_.configurations.emplace_back(std::move(configuration))
                  : found_.configurations[at->second];
  }

  // Returns whether the row waits for a device, a runtime or a network, and counts it if so.
  bool is_not_yet_there(const Fields& fields) {
    const std::string device = fields.text("device"), model = fields.text("model");
    const std::string given = fields.text("runtime"), runtime = given.empty() ? "tensorrt" : given;
    if (std::ranges::find(profiles::device_names(), device) == profiles::device_names().end())
      return wait_for("device", device);
    const auto& names = scenarios::runtime_names();
    const auto named =
        std::ranges::find(names, runtime, [](const auto& name) { return std::string_view(name.first); });
    if (named == names.end()) return wait_for("runtime", runtime);
    if (!has_runtime(device, named->second)) return wait_for("runtime", runtime + " on " + device);
    return dnn::find_model(model) == nullptr && wait_for("network", model);
  }

  bool has_runtime(const std::string& device, scenarios::Runtime runtime) {
    auto at = profiles_.find(device);
    if (at == profiles_.end()) at = profiles_.emplace(device, profiles::shipped_base_profile(device)).first;
    return at->second.profile.spec->runtimes[runtime].has_value();
  }

  bool wait_for(const char* what, const std::string& name) {
    for (NotYet& known : found_.not_yet) {
      if (known.what != what || known.name != name) continue;
      ++known.rows;
      return true;
    }
    found_.not_yet.push_back({what, name, 1});
    return true;
  }

  // Drops times measured under a profiler if there are other times. If only layers were timed, their sum
  // stands for the time on the GPU.
  static void use_layers(RunConfiguration& configuration) {
    auto& values = configuration.reference_values;
    const auto is_time = [](const ReferenceValue& reference) {
      return kind_of(reference.metric) == MetricKind::time && reference.metric != "enqueue";
    };
    const bool layers = !configuration.layer_times.empty();
    if (layers || std::ranges::any_of(
                      values, [&](const ReferenceValue& value) { return is_time(value) && !value.profiled; }))
      std::erase_if(values, [&](const ReferenceValue& value) { return is_time(value) && value.profiled; });
    if (!layers || std::ranges::any_of(values, is_time)) return;
    double sum = 0;
    for (const LayerTime& layer : configuration.layer_times) sum += layer.ms;
    if (sum > 0) values.push_back({"layers", "layers_time", sum, 0, true});
  }

  std::span<const input::CsvTable> tables_;
  profiles::NetworkFiles& networks_;
  Missing missing_;
  Shared shared_;
  std::set<std::string> tensorrt_, traced_;
  Evidence found_;
  std::map<std::string, std::size_t> left_out_;    // values by reason
  std::map<std::string, std::string> kernels_of_;  // the run whose kernels a configuration has
  std::map<std::string, std::size_t> places_;      // index of each configuration
  std::map<std::string, profiles::BaseProfile> profiles_;
};

}  // namespace

std::string RunConfiguration::network() const {
  return scenarios::network_name(scenario->processes.front().work.model);
}

std::int64_t RunConfiguration::input() const {
  if (scenario->processes.front().work.input) return *scenario->processes.front().work.input;
  const dnn::Model* const built_in = dnn::find_model(model);
  return built_in == nullptr ? 0 : built_in->default_input;
}

std::string RunConfiguration::family() const {
  const dnn::Model* const built_in = dnn::find_model(model);
  return built_in == nullptr ? network() : std::string(built_in->family);
}

std::string RunConfiguration::text(const ReferenceValue& value) const {
  return fmt::format("{} {}, {}", value.run, text(), value.metric);
}

std::string RunConfiguration::text() const {
  return fmt::format("{}{}{} {} {} b{}{}{}{}{}", device.empty() ? "" : device + " ", mode, clocks, model,
                     precision, batch, on_gpu() ? "" : " " + placement,
                     runtime == "tensorrt" ? "" : " " + runtime,
                     processes > 1 ? fmt::format(" x{}", processes) : "", others);
}

bool RunConfiguration::has_layers() const {
  return dnn::find_model(model) != nullptr ||
         scenarios::network_of_file(scenario->processes.front().work.model) != nullptr;
}

bool RunConfiguration::is_of_framework() const {
  return process::traits_of(scenario->processes.front().host.runtime).lowering == dnn::Lowering::framework;
}

MetricKind kind_of(const std::string& metric) {
  for (const auto& [name, kind] : kinds)
    if (name == metric) return kind;
  return MetricKind::unknown;
}

Evidence evidence_of(std::span<const input::CsvTable> tables, profiles::NetworkFiles& networks,
                     Missing missing) {
  return EvidenceReading(tables, networks, missing).run();
}

std::vector<RunConfiguration> run_configurations_of(const input::CsvTable& table) {
  profiles::NetworkFiles networks({}, {""});
  return evidence_of({&table, 1}, networks).configurations;
}

std::vector<RunConfiguration> shipped_run_configurations() {
  const char* const name = "evidence/boards/solo.csv";
  return run_configurations_of(input::CsvTable::parse(evidence_file(name).value_or(""), name));
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
  if (metric == "latency_mean") return process.latency_ms.mean.value_or(0);
  if (metric == "latency_p50") return process.latency_ms.p50.value_or(0);
  const double images_per_s = process.throughput.mean.value_or(0);
  if (images_per_s <= 0) return 0;
  const double batch_ms = 1e3 * static_cast<double>(configuration.batch) / images_per_s;
  // For an engine on a DLA, trtexec reports the whole batch as GPU time, submission included.
  const bool on_dla = configuration.placement.starts_with("dla");
  if (metric == "batch_time" || on_dla || !process.time_share) return batch_ms;
  return batch_ms * (*process.time_share)[index_of(process::Share::gpu_running)];
}

}  // namespace jostle::calibration
