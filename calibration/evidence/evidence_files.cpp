#include "calibration/evidence/evidence_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "calibration/evidence/measured_run.hpp"
#include "input/counted.hpp"
#include "input/csv.hpp"
#include "input/printable.hpp"
#include "profiles/onnx/network_files.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

struct EvidencePath {
  std::string path;
  bool from_folder;  // found in a folder, not named by the user
};

std::vector<EvidencePath> files_of(const std::vector<std::string>& paths) {
  std::vector<EvidencePath> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, false});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".csv") inside.push_back(at->path().string());
    if (error) throw input::CsvError(path, 0, error.message());
    if (inside.empty()) throw input::CsvError(path, 0, "this folder has no .csv files");
    std::ranges::sort(inside);
    for (std::string& file : inside) files.push_back({std::move(file), true});
  }
  return files;
}

// A file in one of the forms of traces.
struct TraceFile {
  std::string path;
  profiles::TraceKind kind;
  input::CsvTable table;
};

// True for the form of runs with and without MPS if each of these runs is of one process without MPS: they
// are rates.
bool is_alone(const TraceFile& file) {
  if (file.kind != profiles::TraceKind::mps) return false;
  for (const input::CsvTable::Row row : file.table) {
    if (row.integer("processes") != 1 || row.view("sharing") == "mps") return false;
  }
  return true;
}

// True for rates and kernel tables, which are rows of general evidence in another form.
bool is_of_networks(const TraceFile& file) {
  return file.kind == profiles::TraceKind::solo || file.kind == profiles::TraceKind::kernels ||
         is_alone(file);
}

// Rates, with watts where they were measured, or kernel tables as rows of general evidence.
input::CsvTable as_rows(const TraceFile& file) {
  const input::CsvTable& table = file.table;
  const bool kernels = file.kind == profiles::TraceKind::kernels;
  std::string text =
      "run,model,precision,batch,input,runtime,metric,value,unit,of,grid,block,registers,shared_bytes\n";
  for (const input::CsvTable::Row row : table) {
    const auto field = [&](std::string_view column) { return input::csv_field(row.text(column)); };
    const std::string run = kernels
                                ? fmt::format("{} {} {}", field("model"), field("precision"), field("batch"))
                                : fmt::format("line {}", row.line());
    const std::string begin =
        fmt::format("{},{},{},{},{},", input::csv_field(run), field("model"), field("precision"),
                    field("batch"), input::csv_field(input::text_in(table, row, "input")));
    if (kernels) {
      text += begin + fmt::format("eager,layer_time,{},us,{},{},{},{},{}\n", field("duration_us"),
                                  field("name"), field("blocks"), field("threads_per_block"),
                                  field("registers"), field("shared_bytes"));
      continue;
    }
    const std::string runtime = field("mode") == "graph" ? "cuda-graph" : field("mode");
    text += begin + fmt::format("{},throughput,{},images/s,,,,,\n", runtime, field("images_per_s"));
    const std::string watts = input::text_in(table, row, "board_power_w");
    if (!watts.empty() && row.number("board_power_w") > 0) {
      const std::string share = input::text_in(table, row, "meter_share");
      text += begin + fmt::format("{},power,{},W,,,,,\n", runtime,
                                  share.empty()
                                      ? row.number("board_power_w")
                                      : settled_watts(row.number("board_power_w"), row.number("meter_share"),
                                                      row.number("watts_before")));
    }
  }
  return input::CsvTable::parse(text, file.path);
}

// Why a file of traces has no effect beside general evidence; empty: it would have one.
std::string_view no_effect(profiles::TraceKind kind) {
  switch (kind) {
    case profiles::TraceKind::contended:
    case profiles::TraceKind::eager_repeats:
    case profiles::TraceKind::mps:
      return "processes that share the GPU, for `jostle validate` to compare with";
    case profiles::TraceKind::streams_by_connections:
      return "streams of one process with 32 connections, which only say that there are as many";
    case profiles::TraceKind::runtime_calls:
      return "calls of the CUDA runtime, which tell a profile nothing";
    default:
      return {};
  }
}

// Adds the traces. Rates and kernel tables are rows of general evidence, unless they come with traces of a
// shared GPU, which are fitted together with them.
void add_traces(std::vector<TraceFile> traces, EvidenceFiles& all, std::vector<std::string>& names,
                std::vector<input::CsvTable>& tables) {
  const bool general = !tables.empty() || std::ranges::all_of(traces, is_of_networks);
  for (TraceFile& file : traces) {
    if (general && is_of_networks(file)) {
      names.push_back(file.path);
      tables.push_back(as_rows(file));
    } else if (const std::string_view why = no_effect(file.kind); general && !why.empty()) {
      all.files.push_back({.path = file.path, .unused = {{std::string(why), file.table.rows()}}});
    } else if (general) {
      throw input::CsvError(
          file.path, 0,
          fmt::format("traces such as {} and general evidence cannot be combined: fit one after the other, "
                      "the second on top of the profile that the first gave",
                      profiles::file_name(file.kind)));
    } else {
      if (file.kind == profiles::TraceKind::solo) all.alone_in_traces = run_configurations_of(as_rows(file));
      try {
        all.traces.add(file.kind, std::move(file.table));
      } catch (const std::invalid_argument& error) {
        throw input::CsvError(file.path, 0, error.what());
      }
    }
  }
}

using input::CsvTable;

// A slow run is simulated for at least this many of its batches, or requests, but not for longer than this.
constexpr double least_batches = 12, longest_s = 600;

void run_long_enough(RunConfiguration& configuration) {
  scenarios::Scenario& scenario = *configuration.scenario;
  double slowest_s = 0;
  for (const ReferenceValue& reference : configuration.reference_values) {
    if (reference.metric == "throughput")
      slowest_s = std::max(slowest_s, static_cast<double>(configuration.batch) / reference.value);
    if (reference.metric == "batch_time" || reference.metric == "gpu_time")
      slowest_s = std::max(slowest_s, reference.value / 1e3);
  }
  const process::Arrivals& arrivals = scenario.processes.front().arrivals;
  if (arrivals.kind == process::ArrivalKind::periodic) slowest_s = 1 / arrivals.rate_per_s;
  scenario.run.duration =
      std::max(scenario.run.duration, sim::seconds(std::min(least_batches * slowest_s, longest_s)));
}

void check(const input::CsvTable& table) {
  const std::size_t metrics = table.column("metric"), labs = table.column("lab");
  for (const input::CsvTable::Row row : table) {
    if (kind_of(row.text(metrics)) == MetricKind::unknown)
      row.fail(fmt::format("unknown metric '{}'", input::printable(row.text(metrics))));
    if (row.text(labs).empty()) row.fail("who measured it is not said: lab is empty");
  }
}

}  // namespace

EvidenceFiles read_evidence_files(const std::vector<std::string>& paths,
                                  const std::vector<std::string>& onnx) {
  EvidenceFiles all;
  std::vector<input::CsvTable> tables;
  std::vector<std::string> names;
  std::vector<TraceFile> traces;
  profiles::NetworkFiles networks(onnx);
  for (const EvidencePath& file : files_of(paths)) {
    input::CsvTable table = profiles::as_evidence(input::CsvTable::read(file.path));
    if (const auto kind = profiles::trace_kind(table)) {
      traces.push_back({file.path, *kind, std::move(table)});
    } else if (file.from_folder && std::ranges::find(table.header(), "metric") == table.header().end()) {
      all.skipped.push_back(file.path);
    } else {
      networks.also_in(fs::path(file.path).parent_path().string());
      names.push_back(file.path);
      tables.push_back(std::move(table));
    }
  }
  add_traces(std::move(traces), all, names, tables);
  networks.also_in("");
  Evidence evidence = evidence_of(tables, networks);
  all.configurations = std::move(evidence.configurations);
  all.notes = std::move(evidence.notes);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.files.push_back({names[i], evidence.used[i], evidence.unused[i]});
  return all;
}

using profiles::TraceFiles;
using profiles::TraceKind;

std::optional<std::string_view> evidence_file(std::string_view path) {
  const auto own = profiles::embedded_file(embedded_files(), path);
  return own ? own : profiles::embedded_file(path);
}

const TraceFiles& embedded_traces(std::string_view folder) {
  static std::mutex mutex;
  static std::map<std::string, TraceFiles, std::less<>> read;
  const std::scoped_lock lock(mutex);
  if (const auto known = read.find(folder); known != read.end()) return known->second;
  TraceFiles& files = read[std::string(folder)];
  for (int i = 0; i <= static_cast<int>(TraceKind::clients_synthetic); ++i) {
    const auto kind = static_cast<TraceKind>(i);
    for (std::string path : {"evidence/", "kernels/"}) {
      path.append(folder).append("/").append(file_name(kind));
      if (const auto text = evidence_file(path)) files.add(kind, input::CsvTable::parse(*text, path));
    }
  }
  return files;
}

Evidence shipped_evidence() {
  std::vector<input::CsvTable> tables;
  for (const profiles::EmbeddedFile& file : embedded_files())
    if (file.path == "evidence/boards/solo.csv" || file.path.starts_with("evidence/published/"))
      tables.push_back(input::CsvTable::parse(file.contents, file.path));
  return published_evidence(tables);
}

Evidence published_evidence(std::span<const input::CsvTable> tables) {
  std::size_t rows = 0, accounted = 0;
  for (const input::CsvTable& table : tables) {
    check(table);
    rows += table.rows();
  }
  profiles::NetworkFiles networks({}, {""});
  Evidence found = evidence_of(tables, networks, Missing::count);
  for (const std::size_t used : found.used) accounted += used;
  for (const NotYet& waiting : found.not_yet) accounted += waiting.rows;
  if (rows != accounted)
    throw std::runtime_error(fmt::format("of {} of published evidence, {} are used or counted",
                                         input::counted(rows, "row"), accounted));
  for (RunConfiguration& configuration : found.configurations) run_long_enough(configuration);
  return found;
}

}  // namespace jostle::calibration
