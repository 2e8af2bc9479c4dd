#include "profiles/tables/trace_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

namespace jostle::profiles {
namespace {

using Columns = std::array<std::string_view, 9>;  // unused ones are empty

// A kind of table and the columns that identify it. The first kind that matches is used.
struct Form {
  TraceKind kind;
  std::string_view file;
  Columns columns;
};
constexpr Columns synthetic{"streams_in", "stream", "streams",       "kind",           "blocks",
                            "threads",    "work",   "kernels_per_s", "duration_p50_us"};
constexpr std::array forms{
    Form{TraceKind::timeslices,
         "timeslices.csv",
         {"processes", "process", "interval", "gap_start_ns", "gap_end_ns"}},
    Form{TraceKind::sharing_configs,
         "sharing_configs.csv",
         {"config", "process", "kernel_us", "kernels_per_batch", "blocks", "threads", "mode", "sync",
          "host_report"}},
    Form{TraceKind::sharing_intervals,
         "sharing_intervals.csv",
         {"config", "process", "start_us", "length_us", "kernels", "batch_kernels"}},
    Form{TraceKind::sparse_launches,
         "sparse_launch_intervals.csv",
         {"config", "process", "start_us", "length_us", "kernels", "gap_before_us"}},
    Form{TraceKind::open_loop,
         "open_loop_periodic.csv",
         {"processes", "model", "batch", "mode", "host_cores", "rate_per_s", "phase_ms", "latency_p50_ms",
          "latency_p99_ms"}},
    Form{TraceKind::eager_repeats,
         "eager_repeats.csv",
         {"model", "precision", "batch", "processes", "host_cores", "blocking_sync",
          "total_images_per_s_median"}},
    Form{TraceKind::streams_networks,
         "streams_networks.csv",
         {"run", "stream", "streams", "model", "precision", "batch", "priority", "images_per_s",
          "solo_images_per_s"}},
    Form{TraceKind::mps,
         "mps.csv",
         {"run", "sharing", "process", "processes", "model", "precision", "batch", "mode", "images_per_s"}},
    Form{TraceKind::streams_synthetic, "streams_synthetic.csv", synthetic},
    Form{TraceKind::streams_of_readers, "streams_synthetic_mem.csv", synthetic},
    Form{TraceKind::streams_by_connections, "streams_synthetic_conn.csv", synthetic},
    Form{TraceKind::clients_synthetic, "streams_synthetic_mps.csv", synthetic},
    Form{TraceKind::solo,
         "solo.csv",
         {"processes", "model", "precision", "batch", "mode", "host_cores", "images_per_s", "enqueue_mean_ms",
          "sync_mean_ms"}},
    Form{TraceKind::kernels,
         "kernels.csv",
         {"model", "precision", "batch", "index", "kind", "duration_us", "blocks", "threads_per_block",
          "registers"}},
    Form{TraceKind::runtime_calls,
         "runtime_calls.csv",
         {"model", "precision", "batch", "call", "calls_per_inference", "mean_us"}},
};

bool has_columns(const input::CsvTable& table, const Form& form) {
  return std::ranges::all_of(form.columns, [&table](std::string_view column) {
    return column.empty() || std::ranges::find(table.header(), column) != table.header().end();
  });
}

bool has(const input::CsvTable& table, std::string_view column) {
  return std::ranges::find(table.header(), column) != table.header().end();
}

constexpr std::int64_t largest_product = 4'000'000'000;

// See product_of(); absent for a text that is not a grid.
std::optional<std::int64_t> product(std::string_view text) {
  std::int64_t all = text.empty() ? 0 : 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t one = 0;
    const auto read = std::from_chars(at, end, one);
    if (read.ec != std::errc{} || one < 0 || one > largest_product) return std::nullopt;
    all = std::min(all * one, largest_product);
    at = read.ptr + (read.ptr < end && *read.ptr == 'x' ? 1 : 0);
    if (at == read.ptr && at < end) return std::nullopt;
  }
  return all;
}

std::int64_t product(const input::CsvTable::Row& row, const std::string& text) {
  const auto all = product(text);
  if (!all) row.fail("not a grid or block: '" + text + "'");
  return *all;
}

bool has_company(const input::CsvTable& table) {
  const std::size_t processes = table.column("processes");
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (table.row(i).integer(processes) > 1) return true;
  return false;
}

// The kind of a table of synthetic kernels, by the word in its first row.
TraceKind synthetic_kind(const input::CsvTable& table) {
  const std::string where = table.rows() > 0 ? table.row(0).text(table.column("streams_in")) : "";
  if (where == "mem") return TraceKind::streams_of_readers;
  if (where == "conn") return TraceKind::streams_by_connections;
  return where == "mps" ? TraceKind::clients_synthetic : TraceKind::streams_synthetic;
}

}  // namespace

std::int64_t product_of(std::string_view sides) {
  return product(sides).value_or(0);
}

std::string_view file_name(TraceKind kind) {
  if (kind == TraceKind::contended) return "contended_resnet50.csv";
  return std::ranges::find(forms, kind, &Form::kind)->file;
}

std::optional<TraceKind> trace_kind(const input::CsvTable& table) {
  const auto form = std::ranges::find_if(forms, [&table](const Form& f) { return has_columns(table, f); });
  if (form == forms.end()) return std::nullopt;
  if (form->kind == TraceKind::solo && has_company(table)) return TraceKind::contended;
  if (form->kind == TraceKind::streams_synthetic) return synthetic_kind(table);
  return form->kind;
}

input::CsvTable as_evidence(input::CsvTable table) {
  if (!has(table, "category") || !has(table, "grid") || !has(table, "block") || !has(table, "duration_us"))
    return table;
  std::string text =
      "model,precision,batch,index,kind,name,duration_us,blocks,threads_per_block,registers,shared_bytes,"
      "input\n";
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto field = [&](std::string_view column) { return row.text(table.column(column)); };
    const auto count = [&](std::string_view column) { return field(column).empty() ? "0" : field(column); };
    const std::string kind = field("category");
    for (const char* const column : {"model", "precision", "batch", "index"}) text += field(column) + ',';
    const bool memory = kind == "gpu_memset" || kind == "gpu_memcpy";
    text += (memory ? kind.substr(4) : kind) + ',' + input::csv_field(field("name")) + ',' +
            field("duration_us") + ',' + std::to_string(product(row, field("grid"))) + ',' +
            std::to_string(product(row, field("block"))) + ',' + count("registers") + ',' +
            count("shared_bytes") + ',' + input::text_in(table, row, "input") + '\n';
  }
  return input::CsvTable::parse(text, "kernels.csv");
}

void TraceFiles::add(TraceKind kind, input::CsvTable table) {
  if (!tables_.emplace(kind, std::move(table)).second)
    throw std::invalid_argument("two files with the columns of " + std::string(file_name(kind)));
}

}  // namespace jostle::profiles
