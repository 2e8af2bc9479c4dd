// The result as CSV: one table of columns, used for the header and for each row.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <span>

#include "calibration/readers/csv.hpp"
#include "models/board/gpu_windows.hpp"
#include "scenarios/result/entries.hpp"
#include "scenarios/result/instance_row.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

std::string figure_cell(const Metric& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}
std::string low(const Interval& value) {
  return value ? figure_cell(value->first) : "";
}
std::string high(const Interval& value) {
  return value ? figure_cell(value->second) : "";
}

struct Column {
  std::string name;
  std::function<std::string(const Result&, const ProcessResult&)> cell;
};

using R = Result;
using P = ProcessResult;

// So many shares have their columns before those that were added later.
constexpr std::size_t first_shares = index_of(process::Share::engine_running);

void add_shares(std::vector<Column>& columns, std::span<const process::ShareRow> shares) {
  for (const process::ShareRow& row : shares) {
    columns.push_back({"share_" + std::string(row.name), [i = index_of(row.share)](const R&, const P& p) {
                         return p.time_share ? figure_cell((*p.time_share)[i]) : std::string();
                       }});
  }
}

void add_memory(std::vector<Column>& columns) {
  const auto memory = [&](const char* name, Metric ProcessMemory::*part) {
    columns.push_back({name, [part](const R&, const P& p) { return figure_cell(p.memory.*part); }});
  };
  memory("memory_context_mb", &ProcessMemory::context);
  memory("memory_engine_mb", &ProcessMemory::engine);
  memory("memory_arena_mb", &ProcessMemory::arena);
  memory("memory_io_mb", &ProcessMemory::io);
  memory("memory_gpu_mb", &ProcessMemory::gpu);
}

void add_gpu(std::vector<Column>& columns) {
  const auto of_array = [&](const char* name, Metric SmArray::*which) {
    columns.push_back({name, [which](const R&, const P& p) { return figure_cell(p.gpu.*which); }});
  };
  of_array("gpu_sm_active", &SmArray::sm_active);
  of_array("gpu_issue_slot", &SmArray::issue_slot);
  of_array("gpu_tensor_active", &SmArray::tensor_active);
  of_array("gpu_occupancy", &SmArray::occupancy);
  for (std::size_t metric = 0; metric < board::gpu_window_names.size(); ++metric) {
    const auto of_windows = [&, metric](const std::string& what, const auto& get) {
      columns.push_back({fmt::format("gpu_{}_{}", board::gpu_window_names[metric], what),
                         [metric, get](const R&, const P& p) {
                           return p.gpu_windows ? figure_cell(get(p.gpu_windows->shares[metric]))
                                                : std::string();
                         }});
    };
    for (std::size_t i = 0; i < window_percentiles.size(); ++i)
      of_windows(fmt::format("p{}", window_percentiles[i]),
                 [i](const WindowShares& shares) { return shares.percentiles[i]; });
    of_windows("max", [](const WindowShares& shares) { return shares.max; });
  }
}

std::vector<Column> make_columns() {
  std::vector<Column> columns{
      {"scenario", [](const R& r, const P&) { return calibration::csv_field(r.scenario); }},
      {"device", [](const R& r, const P&) { return calibration::csv_field(r.device); }},
      {"seed", [](const R& r, const P&) { return fmt::format("{}", r.seed); }},
      {"index", [](const R&, const P& p) { return fmt::format("{}", p.index); }},
      {"entry", [](const R&, const P& p) { return fmt::format("{}", p.entry); }},
      {"name", [](const R&, const P& p) { return calibration::csv_field(p.name); }},
      {"model", [](const R&, const P& p) { return calibration::csv_field(p.model); }},
      {"precision", [](const R&, const P& p) { return p.precision.value_or(""); }},
      {"batch", [](const R&, const P& p) { return fmt::format("{}", p.batch); }},
      {"runtime", [](const R&, const P& p) { return p.runtime; }},
      {"status", [](const R&, const P& p) { return p.status; }},
      {"grade", [](const R&, const P& p) { return lowest(p.grades); }},
      {"throughput_images_per_s", [](const R&, const P& p) { return figure_cell(p.throughput.mean); }},
      {"throughput_ci95_low", [](const R&, const P& p) { return low(p.throughput.ci95); }},
      {"throughput_ci95_high", [](const R&, const P& p) { return high(p.throughput.ci95); }},
      {"latency_mean_ms", [](const R&, const P& p) { return figure_cell(p.latency_ms.mean); }},
      {"latency_p50_ms", [](const R&, const P& p) { return figure_cell(p.latency_ms.p50); }},
      {"latency_p90_ms", [](const R&, const P& p) { return figure_cell(p.latency_ms.p90); }},
      {"latency_p95_ms", [](const R&, const P& p) { return figure_cell(p.latency_ms.p95); }},
      {"latency_p99_ms", [](const R&, const P& p) { return figure_cell(p.latency_ms.p99); }},
      {"ec_mean_ms", [](const R&, const P& p) { return figure_cell(p.ec_ms.mean); }},
      {"sync_mean_ms", [](const R&, const P& p) { return figure_cell(p.sync_ms); }},
      {"memory_mb", [](const R&, const P& p) { return figure_cell(p.memory_mb); }},
      {"drops", [](const R&, const P& p) { return fmt::format("{}", p.drops); }},
      {"throughput_pi90_low", [](const R&, const P& p) { return low(p.throughput.pi90); }},
      {"throughput_pi90_high", [](const R&, const P& p) { return high(p.throughput.pi90); }},
      {"latency_pi90_low_ms", [](const R&, const P& p) { return low(p.latency_ms.pi90); }},
      {"latency_pi90_high_ms", [](const R&, const P& p) { return high(p.latency_ms.pi90); }},
  };
  add_shares(columns, std::span(process::share_rows).first(first_shares));
  add_memory(columns);
  add_gpu(columns);
  columns.push_back({"setup_ms", [](const R&, const P& p) { return figure_cell(p.setup_ms); }});
  columns.push_back({"finished_ms", [](const R&, const P& p) { return figure_cell(p.finished_ms); }});
  columns.push_back(
      {"system_power_w", [](const R& r, const P&) { return figure_cell(r.system.power_w.mean); }});
  columns.push_back({"system_energy_per_image_mj",
                     [](const R& r, const P&) { return figure_cell(r.system.energy_per_image_mj); }});
  columns.push_back({"images", [](const R&, const P& p) { return figure_cell(p.images); }});
  columns.push_back({"offered_images_per_s", [](const R&, const P& p) { return figure_cell(p.offered); }});
  columns.push_back({"stable", [](const R&, const P& p) {
                       return p.stable ? std::string(*p.stable ? "true" : "false") : std::string();
                     }});
  columns.push_back(
      {"backlog_growth_images_per_s", [](const R&, const P& p) { return figure_cell(p.backlog_growth); }});
  columns.push_back(
      {"throughput_after_setup", [](const R&, const P& p) { return figure_cell(p.throughput_after_setup); }});
  columns.push_back({"limited_by", [](const R& r, const P&) { return r.system.limited_by; }});
  columns.push_back({"stationary", [](const R&, const P& p) {
                       return p.stationary ? std::string(*p.stationary ? "true" : "false") : std::string();
                     }});
  return columns;
}

// What only streams have; empty in the row of a process.
struct InstanceColumn {
  std::string name;
  std::function<std::string(const InstanceResult&)> cell;
};
const std::vector<InstanceColumn>& instance_columns() {
  using I = InstanceResult;
  static const std::vector<InstanceColumn> table{
      {"instance", [](const I& i) { return fmt::format("{}", i.index); }},
      {"priority", [](const I& i) { return i.priority; }},
      {"mean_batch", [](const I& i) { return figure_cell(i.mean_batch); }},
  };
  return table;
}

// What only loads have; empty in other rows.
struct LoadColumn {
  std::string name;
  std::function<std::string(const LoadResult&)> cell;
};
const std::vector<LoadColumn>& load_columns() {
  using L = LoadResult;
  static const std::vector<LoadColumn> table{
      {"load", [](const L& l) { return l.load; }},
      {"threads", [](const L& l) { return fmt::format("{}", l.threads); }},
      {"bandwidth_gb_s", [](const L& l) { return figure_cell(l.bandwidth_gb_s); }},
      {"busy_cores", [](const L& l) { return figure_cell(l.busy_cores); }},
  };
  return table;
}

// The row of a load: what only inference has is empty.
ProcessResult row_of(const LoadResult& load, const Place& place) {
  ProcessResult row;
  row.index = place.index;
  row.entry = place.entry;
  row.name = load.name;
  row.model = load.load;
  row.grades.kernels = load.grade;
  return row;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> table = make_columns();
  return table;
}
// Of processes, behind those of instances and loads, which were there before.
const std::vector<Column>& last_columns() {
  static const std::vector<Column> table = [] {
    std::vector<Column> columns;
    add_shares(columns, std::span(process::share_rows).subspan(first_shares));
    return columns;
  }();
  return table;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Column& column : columns()) line += (line.empty() ? "" : ",") + column.name;
  for (const InstanceColumn& column : instance_columns()) line += "," + column.name;
  for (const LoadColumn& column : load_columns()) line += "," + column.name;
  for (const Column& column : last_columns()) line += "," + column.name;
  return line + "\n";
}

std::string to_csv(const Result& result) {
  std::string text;
  const auto add = [&](const ProcessResult& process, const InstanceResult* instance,
                       const LoadResult* load = nullptr) {
    std::string line;
    for (const Column& column : columns()) line += column.cell(result, process) + ",";
    for (const InstanceColumn& column : instance_columns())
      line += (instance != nullptr ? column.cell(*instance) : "") + ",";
    for (const LoadColumn& column : load_columns()) line += (load != nullptr ? column.cell(*load) : "") + ",";
    for (const Column& column : last_columns()) line += column.cell(result, process) + ",";
    line.back() = '\n';
    text += line;
  };
  in_order(
      result,
      [&add](ProcessResult process, const Place& place) {
        process.entry = place.entry;
        add(process, nullptr);
        for (const InstanceResult& instance : process.instances) add(row_of(process, instance), &instance);
      },
      [&add](const LoadResult& load, const Place& place) { add(row_of(load, place), nullptr, &load); });
  return text;
}

}  // namespace jostle::scenarios
