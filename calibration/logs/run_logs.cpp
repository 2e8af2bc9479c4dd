#include "calibration/logs/run_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibration/logs/log_text.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::calibration {
namespace {

using LogsOfRun = std::vector<RunLog*>;  // the logs of one run

bool is_file_name(std::string_view model) {
  return model.ends_with(".onnx");
}

void apply(const SuppliedFields& said, Import& result, input::Problems& problems) {
  Setting& setting = result.setting;
  const auto replace = [](std::string& field, const std::string& by) {
    if (!by.empty()) field = by;
  };
  replace(setting.power_mode, said.power_mode);
  replace(setting.model, said.model);
  if (!said.model.empty()) setting.onnx.clear();
  replace(setting.runtime, said.runtime);
  replace(setting.sync, said.sync);
  if (said.pinned) setting.pinned = said.pinned;
  if (said.processes) setting.processes = said.processes;
  if (said.input) setting.input = said.input;
  if (!said.precision.empty() && !setting.precision.empty() && said.precision != setting.precision) {
    result.notes.push_back(fmt::format("the log has precision {}, but --precision {} is given and is used",
                                       setting.precision, said.precision));
  }
  replace(setting.precision, said.precision);
  if (!said.batch) return;
  if (setting.batch && *setting.batch != *said.batch) {
    problems.add_file(result.origin, fmt::format("the log has batch {}, but --batch {} is given",
                                                 *setting.batch, *said.batch));
    return;
  }
  setting.batch = said.batch;
}

// ---------------------------------------------------------------------------------------------- the network

// The file of a log's network; empty if the network is built in or unknown.
std::string file_of(RunLog& log, const std::string& sha256, profiles::NetworkFiles& networks,
                    input::Problems& problems) {
  Setting& setting = log.import.setting;
  const std::string wanted = setting.onnx.empty() ? setting.model : setting.onnx;
  const bool is_language_model = std::ranges::any_of(
      log.import.rows, [](const Measurement& row) { return row.unit == "tokens/s" || row.metric == "ttft"; });
  if (wanted.empty() || is_language_model) return {};
  const std::string plain = stem(wanted);
  const bool built_in = dnn::find_model(is_file_name(wanted) ? plain : wanted) != nullptr;
  if (!is_file_name(wanted) && built_in && sha256.empty()) {
    setting.model = dnn::catalogue_name(wanted);
    return {};
  }
  std::string path = sha256.empty() ? std::string() : networks.by_sha256(sha256);
  if (path.empty()) path = networks.by_name(wanted);
  if (!path.empty() && !sha256.empty() && networks.by_sha256(sha256).empty()) {
    problems.add_file(path, "not the file that was recorded: its SHA-256 is another",
                      fmt::format("--onnx FILE names the one with {}", sha256));
    return {};
  }
  setting.model = plain;
  if (!path.empty()) return path;
  if (built_in) {
    log.import.notes.push_back(fmt::format(
        "{} is not here, so the built-in {} is meant: --onnx FILE takes the file instead", wanted, plain));
  } else {
    const auto near = input::similar(plain, dnn::known_names());
    const bool kernels = std::ranges::any_of(
        log.import.rows, [](const Measurement& row) { return row.metric == "layer_time"; });
    log.import.notes.push_back(fmt::format(
        "no built-in network and no file here is called {}{}: --onnx FILE says where it is, --model NAME "
        "which built-in network it is{}",
        plain, near.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(near, " or ")),
        kernels && !setting.runtime.empty()
            ? "; without, it is known by its kernels alone and runs at its measured batches and precisions"
            : ""));
  }
  return {};
}

void find_network(RunLog& log, const std::string& sha256, profiles::NetworkFiles& networks,
                  input::Problems& problems) {
  const std::string path = file_of(log, sha256, networks, problems);
  if (path.empty()) return;
  Setting& setting = log.import.setting;
  const auto network = networks.read(path, problems);
  if (network == nullptr) return;
  setting.model = path;
  log.content = networks.content_of(path, problems);
  // Without dimensions in the log, trtexec ran the file with its own batch.
  if (!setting.batch && log.import.format == "trtexec") setting.batch = network->batch;
}

// --------------------------------------------------------------------------- fields shared by a run's logs

// A field of a run: its value in a log, and the option that supplies it.
enum class If { needed, assumed, optional };  // consequence for a run without the field
struct EvidenceField {
  const char* name;
  const char* option;
  If missing;
  std::string (*get)(const RunLog&);
  void (*set)(RunLog&, const RunLog& from);
};

std::string count_text(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

constexpr std::array<EvidenceField, 12> evidence_fields{{
    {"power modes", "--power-mode NAME", If::assumed,
     [](const RunLog& log) { return log.import.setting.power_mode; },
     [](RunLog& log, const RunLog& from) { log.import.setting.power_mode = from.import.setting.power_mode; }},
    {"clocks (jetson_clocks: 1, governed: 0)", "--pinned", If::assumed,
     [](const RunLog& log) {
       const auto& pinned = log.import.setting.pinned;
       return std::string(!pinned ? "" : *pinned ? "1" : "0");
     },
     [](RunLog& log, const RunLog& from) { log.import.setting.pinned = from.import.setting.pinned; }},
    {"CPU clocks", "", If::optional, [](const RunLog& log) { return log.cpu_mhz; },
     [](RunLog& log, const RunLog& from) { log.cpu_mhz = from.cpu_mhz; }},
    {"boards", "--device NAME", If::assumed, [](const RunLog& log) { return log.device; },
     [](RunLog& log, const RunLog& from) { log.device = from.device; }},
    {"networks", "--model NAME or FILE.onnx", If::needed,
     [](const RunLog& log) { return log.content.empty() ? log.import.setting.model : log.content; },
     [](RunLog& log, const RunLog& from) {
       log.import.setting.model = from.import.setting.model;
       log.content = from.content;
     }},
    {"precisions", "--precision WORD", If::needed,
     [](const RunLog& log) { return log.import.setting.precision; },
     [](RunLog& log, const RunLog& from) { log.import.setting.precision = from.import.setting.precision; }},
    {"batches", "--batch N", If::needed,
     [](const RunLog& log) { return count_text(log.import.setting.batch); },
     [](RunLog& log, const RunLog& from) { log.import.setting.batch = from.import.setting.batch; }},
    {"inputs", "", If::optional, [](const RunLog& log) { return count_text(log.import.setting.input); },
     [](RunLog& log, const RunLog& from) { log.import.setting.input = from.import.setting.input; }},
    {"placements", "", If::optional, [](const RunLog& log) { return log.import.setting.placement; },
     [](RunLog& log, const RunLog& from) { log.import.setting.placement = from.import.setting.placement; }},
    {"runtimes", "", If::optional, [](const RunLog& log) { return log.import.setting.runtime; },
     [](RunLog& log, const RunLog& from) { log.import.setting.runtime = from.import.setting.runtime; }},
    {"ways of waiting", "", If::optional, [](const RunLog& log) { return log.import.setting.sync; },
     [](RunLog& log, const RunLog& from) { log.import.setting.sync = from.import.setting.sync; }},
    {"numbers of processes", "--processes N", If::optional,
     [](const RunLog& log) { return count_text(log.import.setting.processes); },
     [](RunLog& log, const RunLog& from) { log.import.setting.processes = from.import.setting.processes; }},
}};

void share(const LogsOfRun& run, const EvidenceField& field, input::Problems& problems) {
  const RunLog* first = nullptr;
  for (const RunLog* const log : run) {
    const std::string value = field.get(*log);
    if (value.empty()) continue;
    if (first == nullptr) first = log;
    if (field.get(*first) == value) continue;
    problems.add_file(log->import.origin,
                      fmt::format("run {} mixes {}: {} here, {} in {}", input::printable(log->run),
                                  field.name, input::printable(value), input::printable(field.get(*first)),
                                  input::printable(first->import.origin)),
                      "these are different runs: import them with different --run");
    return;
  }
  if (first == nullptr) return;
  for (RunLog* const log : run)
    if (field.get(*log).empty()) field.set(*log, *first);
}

bool has(const RunLog& log, std::string_view metric) {
  return std::ranges::any_of(log.import.rows, [&](const Measurement& row) { return row.metric == metric; });
}

bool has(const LogsOfRun& run, std::string_view metric) {
  return std::ranges::any_of(run, [&](const RunLog* log) { return has(*log, metric); });
}

bool times_a_network(const LogsOfRun& run) {
  return std::ranges::any_of(run, [](const RunLog* log) {
    return has(*log, "layer_time") || log->import.format == "trtexec" ||
           log->import.format == "trtexec-times" || log->import.format == "trtexec-profile" ||
           log->import.format == "perf-analyzer";
  });
}

// Collects the fields that no log of a run contains, and reports them once for all runs that lack the same
// fields.
class Missing {
 public:
  void look_at(const LogsOfRun& run) {
    if (!times_a_network(run)) return;
    std::vector<std::string> needed, assumed;
    for (const EvidenceField& field : evidence_fields) {
      if (!field.get(*run.front()).empty() || field.missing == If::optional) continue;
      (field.missing == If::needed ? needed : assumed).emplace_back(field.option);
    }
    if (!needed.empty())
      add(run, fmt::format("no log says what jostle needs to know: add {}", fmt::join(needed, ", ")));
    // PyTorch's traces are of cards in servers as well, which have one power mode and no pinned clocks.
    const bool trace_alone =
        std::ranges::all_of(run, [](const RunLog* log) { return log->import.format == "chrome-trace"; });
    if (!assumed.empty() && !trace_alone)
      add(run, fmt::format("no log says in which state the board was: add {}; otherwise calibrate and "
                           "validate assume the device they are given, its default mode and governed clocks",
                           fmt::join(assumed, ", ")));
  }
  void note() const {
    for (const auto& [what, runs] : runs_) {
      const std::string name = runs.front()->run;
      runs.front()->import.notes.push_back(
          fmt::format("run {}{}: {}", name,
                      runs.size() > 1 ? fmt::format(" and {} more", runs.size() - 1) : std::string(), what));
    }
  }

 private:
  void add(const LogsOfRun& run, const std::string& what) { runs_[what].push_back(run.front()); }

  std::map<std::string, std::vector<RunLog*>> runs_;  // the first logs of runs by what they lack
};

// ------------------------------------------------------------------------------------- several processes

Measurement* row_of(Import& import, const std::string& metric) {
  const auto found = std::ranges::find_if(
      import.rows, [&](const Measurement& row) { return row.metric == metric && row.of.empty(); });
  return found == import.rows.end() ? nullptr : &*found;
}

// Replaces the logs of several processes by one, with the sum of throughputs and the means of times.
void combine(const std::vector<RunLog*>& logs) {
  Import& all = logs.front()->import;
  for (Measurement& row : all.rows) {
    double sum = row.value;
    std::size_t found = 1;
    for (std::size_t i = 1; i < logs.size(); ++i) {
      const Measurement* const other = row_of(logs[i]->import, row.metric);
      if (other == nullptr || other->unit != row.unit) continue;
      sum += other->value;
      ++found;
    }
    row.value = row.metric == "throughput" ? sum : sum / static_cast<double>(found);
    row.sd = row.median = row.p90 = row.p99 = {};
  }
  for (std::size_t i = 1; i < logs.size(); ++i) logs[i]->import.rows.clear();
}

void combine_processes(const LogsOfRun& run, input::Problems& problems) {
  const std::int64_t processes = run.front()->import.setting.processes.value_or(1);
  for (const char* const format : {"trtexec", "trtexec-times"}) {
    std::vector<RunLog*> logs;
    for (RunLog* const log : run)
      if (log->import.format == format) logs.push_back(log);
    if (logs.empty()) continue;
    if (std::string_view(format) == "trtexec" || run.size() == logs.size()) {
      if (static_cast<std::int64_t>(logs.size()) != processes) {
        problems.add_file(logs.front()->import.origin,
                          fmt::format("run {} has {} processes, but {} of their logs",
                                      input::printable(run.front()->run), processes, logs.size()),
                          "give the log of each process, with --processes N, or each run its own --run");
        return;
      }
    }
    if (logs.size() > 1) combine(logs);
  }
  // If there is a log of trtexec, the times of its queries repeat its content.
  const bool has_log = std::ranges::any_of(
      run, [](const RunLog* log) { return log->import.format == "trtexec" && !log->import.rows.empty(); });
  for (RunLog* const log : run)
    if (has_log && log->import.format == "trtexec-times") log->import.rows.clear();
}

// Notes at the log of a kernel trace the uses of the trace, and what would make it usable for more.
void note_use(const LogsOfRun& run) {
  for (RunLog* const log : run) {
    if (!has(*log, "kernel_time")) continue;
    const Setting& setting = log->import.setting;
    const auto kernels = std::ranges::count(log->import.rows, "layer_time", &Measurement::metric);
    if (kernels == 0) {
      log->import.notes.emplace_back(
          "usable for nothing that calibrate does: it needs the kernels of a batch in order");
      continue;
    }
    if (!setting.batch || setting.precision.empty() || setting.model.empty())
      continue;  // the missing settings are requested elsewhere
    const bool rate = has(run, "throughput");
    log->import.notes.push_back(
        fmt::format("usable for: kernel table of batch {} in {} ({} kernels){}", *setting.batch,
                    setting.precision, kernels,
                    rate ? ", and its rate"
                         : "; no rate: add one (a row of metric throughput in runtime cuda-graph or eager, "
                           "alone on the GPU, without a profiler)"));
  }
}

void count_images(RunLog& log) {
  const auto& batch = log.import.setting.batch;
  for (Measurement& row : log.import.rows) {
    if (row.unit != "queries/s" || !batch) continue;
    row.value *= static_cast<double>(*batch);
    row.unit = "images/s";
  }
}

}  // namespace

std::vector<RunLog> run_logs(std::vector<LogFile> files, profiles::NetworkFiles& networks,
                             input::Problems& problems) {
  std::vector<RunLog> logs;
  for (LogFile& file : files) {
    const bool several = file.imports.size() > 1;
    for (std::size_t i = 0; i < file.imports.size(); ++i) {
      Import& import = file.imports[i];
      apply(file.said, import, problems);
      const std::string name = file.said.run.empty() ? stem(import.origin) : file.said.run;
      logs.push_back({.run = several ? fmt::format("{}-{}", name, i + 1) : name,
                      .device = file.said.device,
                      .cpu_mhz = file.said.cpu_mhz,
                      .import = std::move(import)});
      find_network(logs.back(), file.said.onnx_sha256, networks, problems);
    }
  }
  std::map<std::string, LogsOfRun> runs;
  for (RunLog& log : logs) runs[log.run].push_back(&log);
  Missing missing;
  for (auto& [name, run] : runs) {
    for (const EvidenceField& field : evidence_fields) share(run, field, problems);
    for (RunLog* const log : run) count_images(*log);
    combine_processes(run, problems);
    missing.look_at(run);
    note_use(run);
  }
  missing.note();
  return logs;
}

}  // namespace jostle::calibration
