// The result as rows: a table of columns, each with the location of its metric in the JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "input/csv.hpp"
#include "models/board/gpu_windows.hpp"
#include "models/process/share.hpp"
#include "output/json.hpp"
#include "scenarios/result/entries.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

using Json = nlohmann::ordered_json;

struct Column {
  Column(std::string called, const std::string& at, bool in_result = false)
      : name(std::move(called)), pointer(at), of_result(in_result) {}

  std::string name;
  Json::json_pointer pointer;  // into the process or into the result
  bool of_result = false;
};

void add_shares(std::vector<Column>& columns, std::span<const process::ShareRow> shares) {
  for (const process::ShareRow& row : shares)
    columns.push_back({fmt::format("share_{}", row.name), fmt::format("/time_share/{}", row.name)});
}

void add_gpu(std::vector<Column>& columns) {
  for (const char* const name : {"sm_active", "issue_slot", "tensor_active", "occupancy"})
    columns.push_back({fmt::format("gpu_{}", name), fmt::format("/gpu/{}", name)});
  for (const std::string_view name : board::gpu_window_names) {
    const auto add = [&](const std::string& what) {
      columns.push_back(
          {fmt::format("gpu_{}_{}", name, what), fmt::format("/gpu/metrics/{}/{}", name, what)});
    };
    for (const int percentile : window_percentiles) add(fmt::format("p{}", percentile));
    add("max");
  }
}

// The columns, in the order in which they were added over time.
std::vector<Column> make_columns() {
  std::vector<Column> columns{
#include "scenarios/result/csv_columns.inc"
  };
  const std::span shares(process::share_rows);
  constexpr std::size_t first_shares = index_of(process::Share::engine_running);
  add_shares(columns, shares.first(first_shares));
  for (const char* const part : {"context", "engine", "arena", "io", "gpu"})
    columns.push_back({fmt::format("memory_{}_mb", part), fmt::format("/memory/{}_mb", part)});
  add_gpu(columns);
  const Column later[] = {{"setup_ms", "/setup_ms"},
                          {"finished_ms", "/finished_ms"},
                          {"system_power_w", "/system/power_w/mean", true},
                          {"system_energy_per_image_mj", "/system/energy_per_image_mj", true},
                          {"images", "/images"},
                          {"offered_images_per_s", "/offered/mean"},
                          {"stable", "/stable"},
                          {"backlog_growth_images_per_s", "/backlog_growth"},
                          {"throughput_after_setup", "/throughput_after_setup"},
                          {"limited_by", "/system/limited_by", true},
                          {"stationary", "/stationary"},
                          {"instance", "/instance"},
                          {"priority", "/priority"},
                          {"mean_batch", "/mean_batch"},
                          {"load", "/load"},
                          {"threads", "/threads"},
                          {"bandwidth_gb_s", "/bandwidth_gb_s"},
                          {"busy_cores", "/busy_cores"}};
  columns.insert(columns.end(), std::begin(later), std::end(later));
  add_shares(columns, shares.subspan(first_shares));
  return columns;
}
const std::vector<Column>& columns() {
  static const std::vector<Column> table = make_columns();
  return table;
}

const Json& cell(const Json& in, const Json::json_pointer& at) {
  static const Json none;
  return in.contains(at) ? in.at(at) : none;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_string() ? input::csv_field(value.get<std::string>()) : output::json_text(value);
}

// A row. `process` is a process, a stream of one, or a load.
std::vector<Json> cells_of(const Json& result, const Json& process) {
  std::vector<Json> cells;
  cells.reserve(columns().size());
  for (const Column& column : columns())
    cells.push_back(cell(column.of_result ? result : process, column.pointer));
  return cells;
}

}  // namespace

std::vector<std::string> row_columns() {
  std::vector<std::string> names;
  for (const Column& column : columns()) names.push_back(column.name);
  return names;
}

std::vector<std::vector<Json>> rows_of(const Result& result, const Json& json) {
  std::vector<std::vector<Json>> rows;
  std::size_t at = 0;
  in_order(
      result,
      [&](const ProcessResult& process, const Place& /*place*/) {
        const Json& own = json["processes"][at++];
        rows.push_back(cells_of(json, own));
        for (const InstanceResult& instance : process.instances) {
          Json stream = json_of(row_of(process, instance));
          stream["entry"] = own["entry"];
          stream["instance"] = instance.index;
          stream["priority"] = instance.priority;
          rows.push_back(cells_of(json, stream));
        }
      },
      [&](const LoadResult& /*load*/, const Place& /*place*/) {
        Json load = json["processes"][at++];
        load["batch"] = 1;  // 0 in JSON; CSV has had 1 from the beginning
        rows.push_back(cells_of(json, load));
      });
  return rows;
}

std::string csv_header() {
  std::string line;
  for (const Column& column : columns()) line += column.name + ",";
  line.back() = '\n';
  return line;
}

std::string to_csv(const Result& result) {
  std::string text;
  for (const std::vector<Json>& row : rows_of(result, json_of(result))) {
    for (const Json& value : row) text += csv_cell(value) + ",";
    text.back() = '\n';
  }
  return text;
}

// A stream as a row of the table of processes.

ProcessResult row_of(const ProcessResult& process, const InstanceResult& instance) {
  ProcessResult row;
  row.index = process.index;
  row.entry = process.entry;
  row.name = instance.name;
  row.model = instance.model;
  row.precision = instance.precision;
  row.batch = instance.batch;
  row.runtime = process.runtime;
  row.status = process.status;
  row.grades = process.grades;
  row.images = instance.images;
  row.throughput = instance.throughput;
  row.offered = instance.offered;
  row.stable = instance.stable;
  row.latency_ms = instance.latency_ms;
  row.mean_batch = instance.mean_batch;
  row.drops = instance.drops;
  return row;
}

}  // namespace jostle::scenarios
