#include "profiles/tables/kernel_tables.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/sibling_tables.hpp"
#include "profiles/embedded.hpp"
#include "profiles/onnx/content_name.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::profiles {
namespace {

constexpr std::array<std::string_view, 6> solo_columns{"processes", "model", "precision",
                                                       "batch",     "mode",  "images_per_s"};
constexpr int measured_input = 224;  // "all networks at 224 x 224"

dnn::Precision precision_of(const input::CsvTable::Row& row, std::size_t column) {
  const auto precision = dnn::parse_precision(row.view(column));
  if (!precision) row.fail("unknown precision '" + row.text(column) + "'");
  return *precision;
}

std::int64_t batch_of(const input::CsvTable::Row& row, std::size_t column) {
  const std::int64_t batch = row.integer(column);
  if (batch < 1) row.fail("batch below 1: " + std::to_string(batch));
  return batch;
}

std::uint32_t count_of(const input::CsvTable::Row& row, std::size_t column) {
  const std::int64_t value = row.integer(column);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) row.fail("count out of range");
  return static_cast<std::uint32_t>(value);
}

// The optional column `input`: the side of the image, the number of tokens, or 0 for a network from a file.
int input_of(const input::CsvTable& csv, const input::CsvTable::Row& row) {
  const std::string given = input::text_in(csv, row, "input");
  if (given.empty()) return measured_input;
  const std::uint32_t side = count_of(row, csv.column("input"));
  if (side > static_cast<std::uint32_t>(dnn::largest_input)) row.fail("input out of range");
  return static_cast<int>(side);
}

dnn::MeasuredNetwork& network_of(dnn::KernelTables& tables, std::string_view model, dnn::Precision precision,
                                 int input) {
  const std::string name = dnn::catalogue_name(model);
  for (dnn::MeasuredNetwork& network : tables.networks) {
    if (network.model == name && network.precision == precision && network.input == input) return network;
  }
  tables.networks.push_back({.model = name,
                             .precision = precision,
                             .input = input,
                             .batches = {},
                             .solo_graph = {},
                             .solo_eager = {}});
  return tables.networks.back();
}

dnn::MeasuredBatch& batch_in(dnn::MeasuredNetwork& network, std::int64_t batch) {
  const auto found = std::ranges::find(network.batches, batch, &dnn::MeasuredBatch::batch);
  if (found != network.batches.end()) return *found;
  network.batches.push_back({.batch = batch, .kernels = {}, .names = {}});
  return network.batches.back();
}

// Optional columns on the operators of a batch, which stand in the row of its first kernel.
void read_operators(const input::CsvTable& csv, const input::CsvTable::Row& row, dnn::MeasuredBatch& table) {
  const auto number = [&](std::string_view column) {
    if (input::text_in(csv, row, column).empty()) return 0.0;
    const double value = row.number(csv.column(column));
    if (!(value >= 0 && value < 1e9)) row.fail(std::string(column) + " is out of range");
    return value;
  };
  table.operators = {.launching = number("operators"), .views = number("views")};
  table.host = sim::microseconds(number("host_us"));
}

void read_kernels(std::string_view text, std::string_view name, dnn::KernelTables& tables) {
  input::CsvTable raw = input::CsvTable::parse(text, name);
  const input::CsvTable csv =
      trace_kind(raw) == TraceKind::kernels ? std::move(raw) : as_evidence(std::move(raw));
  const auto model = csv.column("model"), precision = csv.column("precision"), batch = csv.column("batch"),
             index = csv.column("index"), kind = csv.column("kind"), kernel_name = csv.column("name"),
             duration = csv.column("duration_us"), blocks = csv.column("blocks"),
             threads = csv.column("threads_per_block"), registers = csv.column("registers"),
             shared = csv.column("shared_bytes");
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const input::CsvTable::Row row = csv.row(i);
    dnn::MeasuredNetwork& network =
        network_of(tables, row.view(model), precision_of(row, precision), input_of(csv, row));
    dnn::MeasuredBatch& table = batch_in(network, batch_of(row, batch));
    const bool moves_memory = row.view(kind) == "memset" || row.view(kind) == "memcpy";
    if (!moves_memory && row.view(kind) != "kernel")
      row.fail("kind '" + row.text(kind) + "' is neither kernel, memset nor memcpy");
    if (row.integer(index) != static_cast<std::int64_t>(table.kernels.size()))
      row.fail("the index is not consecutive: a kernel is missing before this one");
    gpu::Kernel kernel;
    kernel.duration = sim::microseconds(row.number(duration));
    if (kernel.duration <= sim::Duration::zero()) row.fail("the duration must be positive");
    kernel.blocks = std::max(1U, count_of(row, blocks));  // a memset has no grid: one block is the minimum
    kernel.threads_per_block = std::max(1U, count_of(row, threads));
    kernel.registers_per_thread = count_of(row, registers);
    kernel.shared_bytes = count_of(row, shared);
    kernel.persistent = dnn::is_persistent(row.view(kernel_name));
    dnn::split_shares(kernel,
                      moves_memory ? dnn::KernelClass::memory : dnn::classify_kernel(row.view(kernel_name)));
    kernel.code = gpu::code_of(row.view(kernel_name), kernel);
    if (table.kernels.empty()) read_operators(csv, row, table);
    table.kernels.push_back(kernel);
    table.names.emplace_back(row.view(kernel_name));
    if (row.view(kind) == "memset") table.nodes_to_last_memset = table.names.size();
  }
}

void keep_fastest(std::vector<dnn::SoloBatch>& solo, std::int64_t batch, sim::Duration time) {
  const auto found = std::ranges::find(solo, batch, &dnn::SoloBatch::batch);
  if (found == solo.end()) {
    solo.push_back({batch, time});
  } else {
    found->time = std::min(found->time, time);
  }
}

void read_solo(std::string_view text, std::string_view name, dnn::KernelTables& tables) {
  const input::CsvTable csv = input::CsvTable::parse(text, name, solo_columns);
  const auto processes = csv.column("processes"), model = csv.column("model"),
             precision = csv.column("precision"), batch = csv.column("batch"), mode = csv.column("mode"),
             rate = csv.column("images_per_s");
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const input::CsvTable::Row row = csv.row(i);
    if (row.integer(processes) != 1) row.fail("expected a run of one process");
    const bool graph = row.view(mode) == "graph";
    if (!graph && row.view(mode) != "eager")
      row.fail("mode '" + row.text(mode) + "' is neither graph nor eager");
    const double images_per_s = row.number(rate);
    if (images_per_s <= 0) row.fail("the rate must be positive");
    const std::int64_t images = batch_of(row, batch);
    dnn::MeasuredNetwork& network =
        network_of(tables, row.view(model), precision_of(row, precision), input_of(csv, row));
    keep_fastest(graph ? network.solo_graph : network.solo_eager, images,
                 sim::seconds(static_cast<double>(images) / images_per_s));
  }
}

// Removes the overhead of the profiler: a batch cannot be shorter than the sum of its kernels.
void take_off_profiler(dnn::MeasuredNetwork& network) {
  for (dnn::MeasuredBatch& table : network.batches) {
    const auto solo = std::ranges::find(network.solo_graph, table.batch, &dnn::SoloBatch::batch);
    if (solo == network.solo_graph.end()) continue;
    const double factor = dnn::profiler_correction(sim::to_us(table.total()), sim::to_us(solo->time));
    if (factor >= 1) continue;
    for (gpu::Kernel& kernel : table.kernels)
      kernel.duration = sim::microseconds(factor * sim::to_us(kernel.duration));
  }
}

// Reads, in blocks, only the lines that contain `about` directly behind the character `before`. Each block
// begins with the header.
template <class Read>
void read_about(std::string_view text, char before, std::string_view about, const Read& read) {
  constexpr std::size_t block_bytes = 8192;
  const std::string wanted = before + std::string(about);
  std::size_t end = text.find('\n') + 1;
  const std::string_view header = text.substr(0, end);
  std::string block(header);
  for (std::size_t at = end - 1; (at = text.find(wanted, at)) != std::string_view::npos; at = end - 1) {
    const std::size_t begin = std::max(end, text.rfind('\n', at) + 1);
    end = std::min(text.find('\n', at + 1), text.size() - 1) + 1;
    block += text.substr(begin, end - begin);
    if (block.size() < block_bytes) continue;
    read(block);
    block = header;
  }
  read(block);
}

void put_in_order(dnn::KernelTables& tables) {
  std::erase_if(tables.networks, [](const dnn::MeasuredNetwork& network) {
    return network.batches.empty() && network.solo_graph.empty();
  });
  for (dnn::MeasuredNetwork& network : tables.networks) {
    std::ranges::sort(network.batches, {}, &dnn::MeasuredBatch::batch);
    std::ranges::sort(network.solo_graph, {}, &dnn::SoloBatch::batch);
    std::ranges::sort(network.solo_eager, {}, &dnn::SoloBatch::batch);
    take_off_profiler(network);
    for (dnn::MeasuredBatch& table : network.batches) gpu::note_same_functions(table.kernels);
  }
}

// The network in a precision, at the wanted input, or at any.
const dnn::MeasuredNetwork* find_any(const dnn::KernelTables& tables, const WantedTable& wanted) {
  const auto found = std::ranges::find_if(tables.networks, [&](const dnn::MeasuredNetwork& network) {
    return network.model == wanted.model && network.precision == wanted.precision &&
           (wanted.input == 0 || network.input == wanted.input);
  });
  return found == tables.networks.end() ? nullptr : &*found;
}

// The tables of `evidence`, with the batches that only `sibling` has.
const dnn::KernelTables& with_sibling(std::string_view evidence, std::string_view sibling) {
  static std::mutex mutex;
  static std::map<std::string, dnn::KernelTables, std::less<>> read;
  const std::scoped_lock lock(mutex);
  const std::string both = std::string(evidence).append(" ").append(sibling) + " " +
                           state_of_tables(evidence) + state_of_tables(sibling);
  if (const auto known = read.find(both); known != read.end()) return known->second;
  return read.emplace(both, dnn::with_batches_of(kernel_tables(evidence), kernel_tables(sibling)))
      .first->second;
}

const dnn::KernelTables& tables_of_one(std::string_view evidence, std::string_view sibling,
                                       const WantedTable& wanted) {
  const std::string about = std::string(wanted.model) + "," + dnn::to_string(wanted.precision) + ",";
  const bool embedded = !input::has_directory(evidence);
  if (embedded) {
    // If the exact batch was measured, its rows alone are enough, which are a fraction of the table.
    const dnn::KernelTables& exact =
        embedded_kernel_tables(evidence, about + std::to_string(wanted.batch) + ",");
    const dnn::MeasuredNetwork* const network = exact.find(wanted.model, wanted.precision, measured_input);
    if (network != nullptr && !network->batches.empty() && !network->solo_graph.empty()) return exact;
  }
  const dnn::KernelTables& own = embedded ? embedded_kernel_tables(evidence, about) : kernel_tables(evidence);
  const dnn::MeasuredNetwork* const network = find_any(own, wanted);
  if (sibling.empty() || network == nullptr || network->batches.empty() ||
      network->batches.back().batch >= wanted.batch)
    return own;
  return with_sibling(evidence, sibling);
}

}  // namespace

dnn::KernelTables parse_kernel_tables(std::string_view kernels_csv, std::string_view solo_csv,
                                      std::string_view source) {
  dnn::KernelTables tables;
  tables.source = source;
  const std::string folder = std::string(source) + "/";
  read_kernels(kernels_csv, folder + "kernels.csv", tables);
  read_solo(solo_csv, folder + "solo.csv", tables);
  put_in_order(tables);
  return tables;
}

const dnn::KernelTables& embedded_kernel_tables(std::string_view device, std::string_view about) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, dnn::KernelTables> read;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = read.try_emplace({std::string(device), std::string(about)});
  dnn::KernelTables& tables = place->second;
  const std::string folder = std::string("kernels/").append(device);
  const std::string kernels = folder + "/kernels.csv", solo = folder + "/solo.csv";
  if (!is_new || !embedded_file(kernels) || !embedded_file(solo)) return tables;
  if (about.empty())
    return tables = parse_kernel_tables(*embedded_file(kernels), *embedded_file(solo), device);
  tables.source = device;
  read_about(*embedded_file(kernels), '\n', about,
             [&](const std::string& block) { read_kernels(block, kernels, tables); });
  read_about(*embedded_file(solo), ',', about,
             [&](const std::string& block) { read_solo(block, solo, tables); });
  put_in_order(tables);
  return tables;
}

std::string state_of_tables(std::string_view evidence) {
  std::string state;
  const std::vector<std::string> sources = evidence_sources(evidence);
  if (sources.size() > 1) {
    for (const std::string& source : sources) state += state_of_tables(source);
    return state;
  }
  if (!input::has_directory(evidence)) return state;
  for (const char* const file : {"kernels.csv", "solo.csv"}) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::path(evidence) / file;
    state += std::to_string(std::filesystem::file_size(path, error)) + " " +
             std::to_string(std::filesystem::last_write_time(path, error).time_since_epoch().count()) + " ";
  }
  return state;
}

const dnn::KernelTables& kernel_tables(std::string_view evidence) {
  if (!input::has_directory(evidence)) return embedded_kernel_tables(evidence);
  static std::mutex mutex;
  static std::map<std::string, dnn::KernelTables, std::less<>> read;
  const std::string key = std::string(evidence).append(" ") + state_of_tables(evidence);
  const std::scoped_lock lock(mutex);
  if (const auto known = read.find(key); known != read.end()) return known->second;
  dnn::KernelTables& tables =
      read.emplace(key, read_kernel_tables(std::filesystem::path(evidence))).first->second;
  tables.own = true;
  return tables;
}

const dnn::KernelTables& kernel_tables_for(std::string_view evidence, std::string_view sibling,
                                           const WantedTable& wanted) {
  const std::vector<std::string> sources = evidence_sources(evidence);
  for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
    const dnn::KernelTables& own = kernel_tables(sources[i]);
    const dnn::MeasuredNetwork* const network = find_any(own, wanted);
    const bool traced = std::ranges::any_of(own.networks, [&](const dnn::MeasuredNetwork& each) {
      return each.model == wanted.model && dnn::find_model(each.model) == nullptr;
    });
    if (network == nullptr && traced) return own;  // no other source describes the network
    if (network == nullptr) continue;
    const bool measured = std::ranges::find(network->batches, wanted.batch, &dnn::MeasuredBatch::batch) !=
                          network->batches.end();
    return measured ? own : with_sibling(sources[i], sources[i + 1]);
  }
  return tables_of_one(sources.empty() ? std::string_view() : sources.back(), sibling, wanted);
}

std::vector<std::string> traced_networks(std::string_view evidence) {
  std::vector<std::string> names;
  for (const std::string& source : evidence_sources(evidence)) {
    if (!input::has_directory(source)) continue;
    for (const dnn::MeasuredNetwork& network : kernel_tables(source).networks)
      if (dnn::find_model(network.model) == nullptr && !is_content_name(network.model))
        names.push_back(network.model);
  }
  return names;
}

dnn::KernelTables read_kernel_tables(const std::filesystem::path& folder) {
  return parse_kernel_tables(table_text(folder.string(), "kernels.csv"),
                             table_text(folder.string(), "solo.csv"),
                             (folder.filename().empty() ? folder.parent_path() : folder).filename().string());
}

}  // namespace jostle::profiles
