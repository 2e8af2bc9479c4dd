#include "calibration/calibrate/own_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "calibration/calibrate/calibrate.hpp"
#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/override.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/priors.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "profiles/tables/trace_files.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace {

constexpr std::array<std::string_view, 15> kernel_columns{
    "model",  "precision",         "batch",     "index",        "kind",  "name",      "duration_us",
    "blocks", "threads_per_block", "registers", "shared_bytes", "input", "operators", "views",
    "host_us"};
constexpr std::array<std::string_view, 7> rate_columns{"processes", "model",        "precision", "batch",
                                                       "mode",      "images_per_s", "input"};

std::string network_key(const RunConfiguration& run) {
  return fmt::format("{} {} {}", run.network(), run.precision, run.input());
}

bool runs_kernels_of_framework(const RunConfiguration& run) {
  return run.on_gpu() && run.is_of_framework();
}

// The kind of a kernel in the evidence: CUPTI's names of memsets and copies.
std::string_view kind_of_kernel(const std::string& name) {
  if (name.starts_with("Memset (")) return "memset";
  if (name.starts_with("Memcpy ")) return "memcpy";
  return "kernel";
}

// The columns on the operators of a batch, which stand in its first row.
std::string operators_of(const RunConfiguration& run) {
  if (run.launching_operators <= 0) return ",,";
  return fmt::format("{:.7g},{:.7g},{:.7g}", run.launching_operators, run.view_operators, run.host_us);
}

void add_table(const RunConfiguration& run, std::string& csv) {
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const TimedKernel& kernel = run.kernels[i];
    csv +=
        fmt::format("{},{},{},{},{},{},{:.7g},{},{},{},{},{},{}\n", input::csv_field(run.network()),
                    run.precision, run.batch, i, kind_of_kernel(kernel.name), input::csv_field(kernel.name),
                    kernel.us, profiles::product_of(kernel.grid), profiles::product_of(kernel.block),
                    kernel.registers, kernel.shared_bytes, run.input(), i == 0 ? operators_of(run) : ",,");
  }
}

// The throughput of a process alone that the profile's tables can hold; absent for another run.
std::optional<double> rate_alone(const RunConfiguration& run) {
  if (!runs_kernels_of_framework(run) || run.processes != 1 || run.scenario->sharing == gpu::Sharing::mps ||
      (run.runtime != "cuda-graph" && run.runtime != "eager"))
    return std::nullopt;
  for (const ReferenceValue& value : run.reference_values)
    if (value.metric == "throughput" && !value.profiled && value.value > 0) return value.value;
  return std::nullopt;
}

dnn::Request request_of(const RunConfiguration& run, const profiles::BaseProfile& base) {
  const scenarios::ProcessEntry& entry = run.scenario->processes.front();
  return {.model = run.network(),
          .precision = *entry.work.precision,
          .batch = run.batch,
          .input = static_cast<int>(entry.work.input.value_or(0)),
          .chip = dnn::Chip::of(base.profile.spec->gpu),
          .network = scenarios::network_of_file(entry.work.model)};
}

// True if a rate of a graph tells the level of the computed kernels of its network: it has layers, no table
// ships, and the computed time is not too far off to be of the same run.
bool tells_level(const RunConfiguration& run, const profiles::BaseProfile& base) {
  const auto rate = rate_alone(run);
  if (!rate || run.runtime != "cuda-graph" || !run.has_layers()) return false;
  const dnn::Request request = request_of(run, base);
  const auto& spec = *base.profile.spec;
  const dnn::KernelTables& shipped = profiles::kernel_tables_for(
      spec.evidence, spec.sibling,
      {request.model, request.precision, request.batch, static_cast<int>(run.input())});
  const dnn::MeasuredNetwork* const known =
      shipped.find(request.model, request.precision, static_cast<int>(run.input()));
  if (known != nullptr && !known->batches.empty()) return false;
  const double computed = sim::to_seconds(dnn::kernels_for(request, {}, spec.gpu).total());
  const double measured = static_cast<double>(run.batch) / *rate;
  return std::max(computed / measured, measured / computed) < profiles::factor_range;
}

// Notes rates of a network whose kernels are of another input, because a missing column is the usual reason.
void note_other_inputs(const std::vector<RunConfiguration>& runs, OwnTables& own) {
  const std::set<std::string> traced = own.networks;
  std::set<std::string> noted;
  for (const RunConfiguration& run : runs) {
    if (run.reference_values.empty() || !runs_kernels_of_framework(run)) continue;
    const std::string begin = fmt::format("{} {} ", run.network(), run.precision);
    const auto of_any_input = traced.lower_bound(begin);
    const bool other = of_any_input != traced.end() && of_any_input->starts_with(begin) &&
                       !traced.contains(network_key(run));
    if (other && noted.insert(begin).second)
      own.notes.push_back(
          fmt::format("{} in {}: these rates are of input {} (column `input`, or the network's own), its "
                      "kernels are of another",
                      input::printable(run.model), run.precision, run.input()));
  }
}

// Notes graphs that take longer than the kernels that were traced, launched one by one, and the gaps between
// them.
void note_other_kernels(const std::vector<RunConfiguration>& runs, OwnTables& own) {
  std::map<std::string, const RunConfiguration*> traced;
  for (const RunConfiguration& run : runs)
    if (!run.kernels.empty() && run.runtime != "cuda-graph")
      traced.emplace(fmt::format("{} b{}", network_key(run), run.batch), &run);
  for (const RunConfiguration& run : runs) {
    const auto known = traced.find(fmt::format("{} b{}", network_key(run), run.batch));
    const auto rate = rate_alone(run);
    if (known == traced.end() || !rate || run.runtime != "cuda-graph") continue;
    double us = 0;
    for (const TimedKernel& kernel : known->second->kernels) us += kernel.us;
    const double graph_us = 1e6 * static_cast<double>(run.batch) / *rate;
    if (graph_us > us + dnn::widest_gap_us * static_cast<double>(known->second->kernels.size()))
      own.notes.push_back(
          fmt::format("{} {} b{}: its CUDA graph takes {:.2f} ms, the kernels traced in {} take {:.2f} ms: "
                      "the graph runs other kernels, so these are stretched to it; better trace the graph's "
                      "replays and import them with --runtime cuda-graph",
                      input::printable(run.model), run.precision, run.batch, graph_us / 1e3,
                      known->second->runtime, us / 1e3));
  }
}

// The folders of one's own tables that the profile names.
std::vector<std::string> own_sources(const profiles::BaseProfile& base) {
  std::vector<std::string> sources = profiles::evidence_sources(base.profile.spec->evidence);
  std::erase_if(sources, [](const std::string& source) { return !input::has_directory(source); });
  return sources;
}

// Takes over the rows of one's own tables that `base` has already, but for configurations in `known`.
// NOLINTNEXTLINE(readability-function-size): a table, what is known of it, and the two places it goes to
void take_over(const std::string& source, const char* file, std::span<const std::string_view> columns,
               const std::set<std::string>& known, std::string& csv, OwnTables& own) {
  const input::CsvTable table =
      profiles::as_evidence(input::CsvTable::parse(profiles::table_text(source, file), file));
  std::string before;
  for (const input::CsvTable::Row row : table) {
    const auto field = [&](std::string_view column) {
      const std::string given = input::text_in(table, row, column);
      if (column == "model") return dnn::catalogue_name(given);
      return column == "input" && given.empty() ? std::string("224") : given;
    };
    const std::string network = fmt::format("{} {} {}", field("model"), field("precision"), field("input"));
    const std::string key = fmt::format("{} b{} {}", network, field("batch"), field("mode"));
    if (known.contains(key)) continue;
    for (const std::string_view column : columns)
      csv += (column == columns.front() ? "" : ",") + input::csv_field(field(column));
    csv += '\n';
    own.networks.insert(network);
    std::size_t& count = columns.size() == kernel_columns.size() ? own.tables : own.rates;
    if (key != before) ++count;
    before = key;
  }
}

}  // namespace

bool OwnTables::cover(const RunConfiguration& run) const {
  return runs_kernels_of_framework(run) && networks.contains(network_key(run));
}

bool OwnTables::can_run(const RunConfiguration& run) const {
  return run.has_layers() || cover(run);
}

OwnTables OwnTables::without_eager_rates() const {
  OwnTables left = *this;
  left.solo_csv.clear();
  for (std::size_t at = 0; at < solo_csv.size();) {
    const std::size_t end = solo_csv.find('\n', at) + 1;
    const std::string_view line = std::string_view(solo_csv).substr(at, end - at);
    if (line.find(",eager,") == std::string_view::npos) left.solo_csv += line;
    at = end;
  }
  return left;
}

OwnTables own_tables(const std::vector<RunConfiguration>& runs, const profiles::BaseProfile& base) {
  OwnTables own{.kernels_csv = fmt::format("{}\n", fmt::join(kernel_columns, ",")),
                .solo_csv = fmt::format("{}\n", fmt::join(rate_columns, ","))};
  std::map<std::string, std::string> runtimes;  // runtime by network and batch
  std::set<std::string> tables, rates;
  for (const RunConfiguration& run : runs) {
    if (run.kernels.empty() || !runs_kernels_of_framework(run)) continue;
    const std::string key = fmt::format("{} b{} ", network_key(run), run.batch);
    const auto [known, is_new] = runtimes.emplace(key, run.runtime);
    if (!is_new) {
      own.notes.push_back(fmt::format("{} batch {}: the kernels of runtime {} count, those of {} do not",
                                      input::printable(run.model), run.batch, known->second, run.runtime));
      continue;
    }
    add_table(run, own.kernels_csv);
    tables.insert(key);
    own.networks.insert(network_key(run));
  }
  own.tables = tables.size();
  const std::vector<std::string> before = own_sources(base);
  for (const std::string& source : before)
    take_over(source, "kernels.csv", kernel_columns, tables, own.kernels_csv, own);
  note_other_inputs(runs, own);
  note_other_kernels(runs, own);
  for (const RunConfiguration& run : runs)
    if (!own.cover(run) && tells_level(run, base)) own.networks.insert(network_key(run));
  for (const RunConfiguration& run : runs) {
    const auto rate = rate_alone(run);
    if (!rate || !own.cover(run)) continue;
    const char* const mode = run.runtime == "eager" ? "eager" : "graph";
    own.solo_csv += fmt::format("1,{},{},{},{},{:.7g},{}\n", input::csv_field(run.network()), run.precision,
                                run.batch, mode, *rate, run.input());
    rates.insert(fmt::format("{} b{} {}", network_key(run), run.batch, mode));
    ++own.rates;
  }
  for (const std::string& source : before)
    take_over(source, "solo.csv", rate_columns, rates, own.solo_csv, own);
  for (const RunConfiguration& run : runs)
    if (!own.can_run(run) && !run.reference_values.empty())
      own.notes.push_back(
          fmt::format("{}: no effect, because the network is known by its kernels alone, and not in this "
                      "precision or runtime",
                      input::printable(run.text())));
  return own;
}

std::vector<std::string> with_folder(const std::string& folder, const profiles::BaseProfile& base) {
  std::vector<std::string> sources{folder};
  for (std::string& source : profiles::evidence_sources(base.profile.spec->evidence))
    if (!input::has_directory(source)) sources.push_back(std::move(source));
  return sources;
}

profiles::BaseProfile with_tables(const profiles::BaseProfile& base, const OwnTables& tables) {
  const std::string folder = profiles::keep_in_memory(tables.kernels_csv, tables.solo_csv);
  input::Problems problems;
  profiles::BaseProfile with = base;
  with.document = input::with_override(
      base.document, fmt::format("evidence=[{}]", fmt::join(with_folder(folder, base), ", ")), problems);
  auto profile = with.document ? profiles::profile_of(with.document, problems) : std::nullopt;
  if (!profile) throw CalibrationError(problems.text());
  with.profile = std::move(*profile);
  return with;
}

}  // namespace jostle::calibration
