#include "validation/calibrate/own_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "calibration/evidence/evidence_list.hpp"
#include "calibration/evidence/trace_files.hpp"
#include "calibration/onnx/content_name.hpp"
#include "calibration/readers/csv.hpp"
#include "input/override.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/language/scenario.hpp"
#include "validation/calibrate/calibrate.hpp"

namespace jostle::validation {
namespace {

constexpr std::string_view kernels_header =
    "model,precision,batch,index,kind,name,duration_us,blocks,threads_per_block,registers,shared_bytes,"
    "input\n";
constexpr std::string_view solo_header = "processes,model,precision,batch,mode,images_per_s,input\n";

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

void add_table(const RunConfiguration& run, std::string& csv) {
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const TimedKernel& kernel = run.kernels[i];
    csv += fmt::format("{},{},{},{},{},{},{:.7g},{},{},{},{},{}\n", calibration::csv_field(run.network()),
                       run.precision, run.batch, i, kind_of_kernel(kernel.name),
                       calibration::csv_field(kernel.name), kernel.us, calibration::product_of(kernel.grid),
                       calibration::product_of(kernel.block), kernel.registers, kernel.shared_bytes,
                       run.input());
  }
}

// Notes rates of a network whose kernels are of another input, because a missing column is the usual reason.
void note_other_inputs(const std::vector<RunConfiguration>& runs, OwnTables& own) {
  std::set<std::string> noted;
  for (const RunConfiguration& run : runs) {
    if (own.cover(run) || run.reference_values.empty() || !runs_kernels_of_framework(run)) continue;
    const std::string begin = fmt::format("{} {} ", run.network(), run.precision);
    const auto of_any_input = own.batches.lower_bound(begin);
    const bool other = of_any_input != own.batches.end() && of_any_input->first.starts_with(begin);
    if (other && noted.insert(begin).second)
      own.notes.push_back(
          fmt::format("{} in {}: these rates are of input {} (column `input`, or the network's own), its "
                      "kernels are of another",
                      input::printable(run.model), run.precision, run.input()));
  }
}

}  // namespace

bool OwnTables::cover(const RunConfiguration& run) const {
  return runs_kernels_of_framework(run) && batches.contains(network_key(run));
}

bool OwnTables::can_run(const RunConfiguration& run) const {
  if (dnn::find_model(run.model) != nullptr || calibration::is_content_name(run.network())) return true;
  const auto known = batches.find(network_key(run));
  return known != batches.end() && runs_kernels_of_framework(run) && run.batch >= *known->second.begin() &&
         run.batch <= *known->second.rbegin();
}

OwnTables own_tables(const std::vector<RunConfiguration>& runs) {
  OwnTables own{.kernels_csv = std::string(kernels_header), .solo_csv = std::string(solo_header)};
  std::map<std::string, std::string> tables;  // runtime by network and batch
  for (const RunConfiguration& run : runs) {
    if (run.kernels.empty() || !runs_kernels_of_framework(run)) continue;
    const auto [known, is_new] =
        tables.emplace(fmt::format("{} b{}", network_key(run), run.batch), run.runtime);
    if (!is_new) {
      own.notes.push_back(fmt::format("{} batch {}: the kernels of runtime {} count, those of {} do not",
                                      input::printable(run.model), run.batch, known->second, run.runtime));
      continue;
    }
    add_table(run, own.kernels_csv);
    ++own.tables;
    own.batches[network_key(run)].insert(run.batch);
  }
  note_other_inputs(runs, own);
  for (const RunConfiguration& run : runs) {
    if (!own.cover(run) || run.processes != 1 || run.scenario->sharing == gpu::Sharing::mps) continue;
    const bool graph = run.runtime == "cuda-graph";
    if (!graph && run.runtime != "eager") continue;
    for (const ReferenceValue& value : run.reference_values) {
      if (value.metric != "throughput" || value.profiled) continue;
      own.solo_csv +=
          fmt::format("1,{},{},{},{},{:.7g},{}\n", calibration::csv_field(run.network()), run.precision,
                      run.batch, graph ? "graph" : "eager", value.value, run.input());
      ++own.rates;
      if (graph) own.batches[network_key(run)].insert(run.batch);
    }
  }
  for (const RunConfiguration& run : runs)
    if (!own.can_run(run) && !run.reference_values.empty())
      own.notes.push_back(fmt::format(
          "{}: no effect, because the network is known by its kernels alone, and not in this precision, "
          "runtime or batch",
          input::printable(run.text())));
  return own;
}

calibration::BaseProfile with_tables(const calibration::BaseProfile& base, const OwnTables& tables) {
  std::string sources = calibration::keep_in_memory(tables.kernels_csv, tables.solo_csv);
  for (const std::string& source : calibration::evidence_sources(base.profile.spec->evidence))
    sources += ", " + source;
  input::Problems problems;
  calibration::BaseProfile with = base;
  with.document = input::with_override(base.document, fmt::format("evidence=[{}]", sources), problems);
  auto profile = with.document ? calibration::profile_of(with.document, problems) : std::nullopt;
  if (!profile) throw CalibrationError(problems.text());
  with.profile = std::move(*profile);
  return with;
}

}  // namespace jostle::validation
