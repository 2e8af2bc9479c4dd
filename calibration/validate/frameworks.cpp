#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::calibration {
namespace {

constexpr const char* measured_device = "nvidia-h100";
constexpr const char* runs_file = "evidence/h100-nets/solo.csv";
constexpr const char* laws_file = "evidence/h100-nets/laws.csv";
// Networks drawn at random, and the laws of single precision.
constexpr const char* random_device = "nvidia-h200";
constexpr const char* random_runs_file = "evidence/h200-random/solo.csv";
constexpr const char* single_laws_file = "evidence/h200-random/laws.csv";

// Laws by the family that they leave out.
using LawsWithout = std::map<std::string, std::vector<dnn::LawOf>, std::less<>>;

dnn::LaunchKind kind_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(dnn::LaunchKind::fill); ++i)
    if (to_string(static_cast<dnn::LaunchKind>(i)) == name) return static_cast<dnn::LaunchKind>(i);
  throw std::runtime_error(fmt::format("{}: no kernels of the kind '{}'", laws_file, name));
}

LawsWithout read_laws(const char* file) {
  const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
  LawsWithout laws;
  for (const input::CsvTable::Row row : table) {
    laws[row.text("left_out")].push_back(
        {kind_named(row.text("kind")),
         dnn::parse_precision(row.text("precision")),
         {row.number("start_us"), row.number("per_step"), row.number("per_work"), row.number("per_mb"),
          row.number("per_cold_mb")}});
  }
  return laws;
}

// The families that scripts/fit-framework-laws leaves out, by those of the catalogue; a family itself if it
// has no part in the laws of half precision.
std::string_view left_out_with(std::string_view family) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> families{
      {{"bert", "transformer"},
       {"convnext", "convnext"},
       {"deeplab", "resnet"},
       {"densenet", "densenet"},
       {"efficientnet", "mobilenet"},
       {"mnasnet", "mobilenet"},
       {"mobilenet_v3", "mobilenet"},
       {"regnet", "regnet"},
       {"shufflenet", "shufflenet"},
       {"swin", "transformer"},
       {"vgg", "vgg"},
       {"vit", "transformer"}}};
  for (const auto& [own, left_out] : families)
    if (own == family) return left_out;
  return family;
}

// The laws of half and of single precision that know as little of a network as there are.
std::vector<dnn::LawOf> laws_without(const dnn::Model& model, const LawsWithout& half,
                                     const LawsWithout& single) {
  std::vector<dnn::LawOf> found;
  for (const LawsWithout* const laws : {&half, &single}) {
    auto of_others = laws->find(model.name);
    if (of_others == laws->end()) of_others = laws->find(left_out_with(model.family));
    if (of_others == laws->end()) of_others = laws->find("");
    found.insert(found.end(), of_others->second.begin(), of_others->second.end());
  }
  return found;
}

const dnn::Model& model_of(const EvidenceRow& row) {
  const dnn::Model* const model = dnn::find_model(row.at("model"));
  if (model == nullptr) throw std::runtime_error(filled("evidence: '<model>'", row));
  return *model;
}

// The rows of a file of runs, with the runtime and what ran; of repeats of eager the fastest.
std::vector<EvidenceRow> rows_of(const char* file) {
  std::vector<EvidenceRow> rows;
  for (EvidenceRow& row : evidence_rows(file)) {
    row["model"] = model_of(row).name;
    row["runtime"] = row["mode"] == "eager" ? "eager" : "cuda-graph";
    row["what"] = filled("<model> <precision> b<batch> <runtime>", row);
    const auto twin = std::ranges::find_if(rows, [&](const EvidenceRow& other) {
      return row.at("mode") == "eager" && other.at("what") == row.at("what");
    });
    if (twin == rows.end())
      rows.push_back(std::move(row));
    else if (number(row, "images_per_s") > number(*twin, "images_per_s"))
      *twin = std::move(row);
  }
  return rows;
}

// The time of a network's kernels with these laws, over that with those that ship.
double ratio(const scenarios::ProcessEntry& process, const dnn::Model& model, const gpu::Spec& gpu,
             const std::vector<dnn::LawOf>& laws) {
  const auto network = dnn::built_network(model, static_cast<int>(*process.work.input));
  const bool graph = process.host.runtime == process::Runtime::cuda_graph;
  const auto total = [&](std::span<const dnn::LawOf> of) {
    return sim::to_seconds(dnn::framework_kernels(*network, process.work.batch, *process.work.precision, gpu,
                                                  {dnn::attention_of(model, graph), of})
                               .sequence.total());
  };
  return total(laws) / total(dnn::framework_laws());
}

// A run on a device, to be predicted without the laws' knowledge of its family.
MeasuredRun measured_run(EvidenceRow row, const char* device, std::size_t index,
                         const std::vector<dnn::LawOf>& laws) {
  const dnn::Model& model = model_of(row);
  const bool random = device == random_device;
  const std::string& precision = row.at("precision");
  row["device"] = device;
  row["input"] = fmt::format("{}", random || model.family == "bert" ? model.default_input : 224);
  MeasuredRun run{
      filled("device: <device>\nprocesses:\n  - {model: <model>, input: <input>, precision: <precision>, "
             "batch: <batch>, runtime: <runtime>, sync: spin}\nrun: {duration: 300 ms, warmup: 60 ms}\n",
             row),
      row.at("runtime") == "eager" ? 2
                                   : (random ? 3U : 0U) + (precision == "fp16"   ? 0U
                                                           : precision == "tf32" ? 1U
                                                                                 : 2U),
      {}};
  const std::string name = fmt::format("{} {}", row.at("what"), index);
  run.values.push_back({name, "images/s", number(row, "images_per_s"), "processes.0.throughput"});
  if (random)
    run.values.push_back({name, "watts", number(row, "power_average_w"), "system.power_w"});
  else
    run.values.push_back({name, "latency", number(row, "latency_mean_ms"), "processes.0.latency_ms"});
  const auto [scenario, profile] = board_and_work(run.scenario);
  const scenarios::ProcessEntry& process = scenario.processes.front();
  run.factors.push_back({.chip = dnn::Chip::of(profile.spec->gpu),
                         .model = std::string(model.name),
                         .family = std::string(model.family),
                         .precision = *process.work.precision,
                         .lowering = dnn::Lowering::framework,
                         .value = ratio(process, model, profile.spec->gpu, laws),
                         .basis = "the laws of other families"});
  return run;
}

analyses::HeldOutRow held_out(const EvidenceRow& row, const Comparison& comparison, const char* device,
                              const char* quantity) {
  const bool eager = row.at("runtime") == "eager";
  const char* const basis = eager ? "laws eager" : row.at("precision") == "fp16" ? "laws" : "single";
  analyses::HeldOutRow found =
      held_out_row(comparison, device, quantity, basis, std::string(left_out_with(model_of(row).family)));
  found.configuration = row.at("what");
  return found;
}

}  // namespace

FrameworksValidation validate_frameworks(const std::function<void(double)>& progress) {
  const LawsWithout half = read_laws(laws_file), single = read_laws(single_laws_file);
  std::vector<EvidenceRow> rows = rows_of(runs_file);
  const std::size_t first_random = rows.size();
  std::ranges::move(rows_of(random_runs_file), std::back_inserter(rows));
  std::vector<MeasuredRun> runs;
  for (std::size_t i = 0; i < rows.size(); ++i)
    runs.push_back(measured_run(rows[i], i < first_random ? measured_device : random_device, i,
                                laws_without(model_of(rows[i]), half, single)));
  auto comparisons = compared(runs, progress);
  FrameworksValidation found;
  for (const std::size_t value : {0U, 1U})
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool random = i >= first_random;
      found.held_out.push_back(held_out(rows[i], comparisons[i].at(value),
                                        random ? random_device : measured_device,
                                        value == 0 ? "throughput"
                                        : random   ? "power"
                                                   : "latency"));
    }
  const auto inside = covered(found.held_out);
  found.groups = groups_of("pytorch");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Comparison& comparison = comparisons[i].front();
    comparison.covered = inside[i];
    found.groups[runs[i].group].comparisons.push_back(std::move(comparison));
    if (i < first_random) continue;
    comparisons[i].at(1).covered = inside[rows.size() + i];
    found.groups[runs[i].group].comparisons.push_back(std::move(comparisons[i].at(1)));
  }
  return found;
}

}  // namespace jostle::calibration
