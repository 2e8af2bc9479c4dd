#include "calibration/validate/frameworks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/measured_run.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/base_profile.hpp"

namespace jostle::calibration {
namespace {

constexpr const char* measured_device = "nvidia-h100";
constexpr const char* runs_file = "evidence/h100-nets/solo.csv";
constexpr const char* laws_file = "evidence/h100-nets/laws.csv";

// Laws by the family that they leave out.
using LawsWithout = std::map<std::string, std::vector<dnn::LawOf>, std::less<>>;

dnn::LaunchKind kind_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(dnn::LaunchKind::fill); ++i)
    if (to_string(static_cast<dnn::LaunchKind>(i)) == name) return static_cast<dnn::LaunchKind>(i);
  throw std::runtime_error(fmt::format("{}: no kernels of the kind '{}'", laws_file, name));
}

LawsWithout read_laws() {
  LawsWithout laws;
  for (const EvidenceRow& row : evidence_rows(laws_file))
    laws[row.at("left_out")].push_back(
        {kind_named(row.at("kind")),
         dnn::parse_precision(row.at("precision")),
         {number(row, "start_us"), number(row, "per_step"), number(row, "per_work"), number(row, "per_mb"),
          number(row, "per_cold_mb")}});
  return laws;
}

// The families that scripts/fit-framework-laws leaves out, by those of the catalogue.
std::string_view left_out_with(std::string_view family) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> families{
      {{"bert", "transformer"},
       {"convnext", "convnext"},
       {"deeplab", "resnet"},
       {"densenet", "densenet"},
       {"efficientnet", "mobilenet"},
       {"mobilenet_v3", "mobilenet"},
       {"regnet", "regnet"},
       {"shufflenet", "shufflenet"},
       {"swin", "transformer"},
       {"vgg", "vgg"},
       {"vit", "transformer"}}};
  for (const auto& [own, left_out] : families)
    if (own == family) return left_out;
  throw std::runtime_error(fmt::format("{}: no laws leave out the family '{}'", laws_file, family));
}

// The rows with the names of the catalogue, of eager runs the faster of those that are the same.
std::vector<EvidenceRow> fastest_rows() {
  std::vector<EvidenceRow> rows;
  for (EvidenceRow& row : evidence_rows(runs_file)) {
    const dnn::Model* const model = dnn::find_model(row["model"]);
    if (model == nullptr) throw std::runtime_error(fmt::format("{}: '{}'", runs_file, row["model"]));
    row["model"] = model->name;
    row["input"] = fmt::format("{}", model->family == "bert" ? model->default_input : 224);
    row["left_out"] = left_out_with(model->family);
    if (row["mode"] == "graph") row["mode"] = "cuda-graph";
    row["what"] = filled("<model> <precision> b<batch> <mode>", row);
    const auto twin = std::ranges::find_if(rows, [&](const EvidenceRow& other) {
      return row["mode"] == "eager" && other.at("what") == row["what"];
    });
    if (twin == rows.end())
      rows.push_back(std::move(row));
    else if (number(row, "images_per_s") > number(*twin, "images_per_s"))
      *twin = std::move(row);
  }
  return rows;
}

// Corrects the time of a network's kernels by the ratio of laws that its family has no part in to those that
// ship.
dnn::Factor factor_of(const EvidenceRow& row, const gpu::Spec& gpu, const LawsWithout& all) {
  const dnn::Model& model = *dnn::find_model(row.at("model"));
  const auto precision = dnn::parse_precision(row.at("precision")).value();
  const auto network = dnn::built_network(model, std::stoi(row.at("input")));
  const auto total = [&](std::span<const dnn::LawOf> of) {
    return sim::to_seconds(dnn::framework_kernels(*network, std::stoll(row.at("batch")), precision, gpu,
                                                  {dnn::attention_of(model, row.at("mode") != "eager"), of})
                               .sequence.total());
  };
  return {.chip = dnn::Chip::of(gpu),
          .model = std::string(model.name),
          .family = std::string(model.family),
          .precision = precision,
          .lowering = dnn::Lowering::framework,
          .value = total(all.at(row.at("left_out"))) / total(dnn::framework_laws()),
          .basis = "the laws of other families"};
}

std::vector<MeasuredRun> runs_of(const std::vector<EvidenceRow>& rows) {
  const LawsWithout laws = read_laws();
  const auto profile = profiles::shipped_base_profile(measured_device).profile;
  std::vector<MeasuredRun> runs;
  for (const EvidenceRow& row : rows) {
    const std::string name = fmt::format("{} {}", row.at("what"), runs.size());
    runs.push_back({filled("device: nvidia-h100\nprocesses:\n  - {model: <model>, input: <input>, precision: "
                           "<precision>, batch: <batch>, runtime: <mode>, sync: spin}\n"
                           "run: {duration: 300 ms, warmup: 60 ms}\n",
                           row),
                    row.at("mode") == "eager"       ? 2U
                    : row.at("precision") == "fp16" ? 0U
                                                    : 1U,
                    {{name, "throughput", number(row, "images_per_s"), "processes.0.throughput"},
                     {name, "latency", number(row, "latency_mean_ms"), "processes.0.latency_ms"}},
                    {},
                    {factor_of(row, profile.spec->gpu, laws)}});
  }
  return runs;
}

}  // namespace

FrameworksValidation validate_frameworks(const std::function<void(double)>& progress) {
  const std::vector<EvidenceRow> rows = fastest_rows();
  const std::vector<MeasuredRun> runs = runs_of(rows);
  const auto values = compared(runs, progress);
  FrameworksValidation found;
  for (const std::size_t quantity : {0U, 1U})
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Comparison& value = values[i].at(quantity);
      found.held_out.push_back(held_out_row(value, measured_device, value.quantity,
                                            rows[i].at("mode") == "eager" ? "laws eager" : "laws",
                                            rows[i].at("left_out")));
      found.held_out.back().configuration = rows[i].at("what");
    }
  const auto inside = covered(found.held_out);
  constexpr const char* note = "the family of the network left out";
  found.groups = {{"PyTorch graphs without calibration, fp16",
                   runs_file,
                   note,
                   {},
                   {{"images/s", 0.18, Statistic::median}}},
                  {"PyTorch graphs without calibration, tf32", runs_file, note, {}, {{"images/s", 0.25}}},
                  {"PyTorch eager without calibration", runs_file, note, {}, {{"images/s", 0.25}}}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Comparison& value = values[i].front();
    found.groups[runs[i].group].comparisons.push_back(
        {value.run, "images/s", value.measured, value.predicted, inside[i]});
  }
  return found;
}

}  // namespace jostle::calibration
