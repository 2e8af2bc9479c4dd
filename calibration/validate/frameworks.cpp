#include "calibration/validate/frameworks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/embedded.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;

constexpr const char* measured_device = "nvidia-h100";
constexpr const char* runs_file = "evidence/h100-nets/solo.csv";
constexpr const char* laws_file = "evidence/h100-nets/laws.csv";
// Networks drawn at random, and the laws of single precision.
constexpr const char* random_device = "nvidia-h200";
constexpr const char* random_runs_file = "evidence/h200-random/solo.csv";
constexpr const char* single_laws_file = "evidence/h200-random/laws.csv";

struct FrameworkRun {
  std::string device = measured_device;
  const dnn::Model* model = nullptr;
  int input = 0;
  dnn::Precision precision = dnn::Precision::fp16;
  std::int64_t batch = 1;
  bool eager = false;
  double measured = 0, predicted = 0;  // images/s
  double latency_ms = 0, predicted_ms = 0;

  [[nodiscard]] std::string what() const {
    return fmt::format("{} {} b{} {}", model->name, to_string(precision), batch,
                       eager ? "eager" : "cuda-graph");
  }
};

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
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto number = [&](const char* column) { return row.number(table.column(column)); };
    laws[row.text(table.column("left_out"))].push_back(
        {kind_named(row.text(table.column("kind"))),
         dnn::parse_precision(row.text(table.column("precision"))),
         {number("start_us"), number("per_step"), number("per_work"), number("per_mb"),
          number("per_cold_mb")}});
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

std::vector<FrameworkRun> read_runs() {
  const auto table = input::CsvTable::parse(evidence_file(runs_file).value_or(""), runs_file);
  std::vector<FrameworkRun> runs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const std::string name = row.text(table.column("model"));
    const dnn::Model* const model = dnn::find_model(name);
    const auto precision = dnn::parse_precision(row.text(table.column("precision")));
    if (model == nullptr || !precision) throw std::runtime_error(fmt::format("{}: '{}'", runs_file, name));
    FrameworkRun run{.model = model,
                     .input = model->family == "bert" ? model->default_input : 224,
                     .precision = *precision,
                     .batch = static_cast<std::int64_t>(row.number(table.column("batch"))),
                     .eager = row.text(table.column("mode")) == "eager",
                     .measured = row.number(table.column("images_per_s")),
                     .latency_ms = row.number(table.column("latency_mean_ms"))};
    const auto twin = std::ranges::find_if(
        runs, [&](const FrameworkRun& other) { return run.eager && other.what() == run.what(); });
    if (twin == runs.end()) {
      runs.push_back(run);
    } else if (run.measured > twin->measured) {
      *twin = run;
    }
  }
  return runs;
}

// Graphs of networks drawn at random.
std::vector<FrameworkRun> read_random_runs() {
  const auto table = input::CsvTable::parse(evidence_file(random_runs_file).value_or(""), random_runs_file);
  std::vector<FrameworkRun> runs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const std::string name = row.text(table.column("model"));
    const dnn::Model* const model = dnn::find_model(name);
    const auto precision = dnn::parse_precision(row.text(table.column("precision")));
    if (model == nullptr || !precision)
      throw std::runtime_error(fmt::format("{}: '{}'", random_runs_file, name));
    runs.push_back({.device = random_device,
                    .model = model,
                    .input = model->default_input,
                    .precision = *precision,
                    .batch = static_cast<std::int64_t>(row.number(table.column("batch"))),
                    .measured = row.number(table.column("images_per_s"))});
  }
  return runs;
}

// The time of a network's kernels with these laws, over that with those that ship.
double ratio(const FrameworkRun& run, const gpu::Spec& gpu, const std::vector<dnn::LawOf>& laws) {
  const auto network = dnn::built_network(*run.model, run.input);
  const auto total = [&](std::span<const dnn::LawOf> of) {
    return sim::to_seconds(dnn::framework_kernels(*network, run.batch, run.precision, gpu,
                                                  {dnn::attention_of(*run.model, !run.eager), of})
                               .sequence.total());
  };
  return total(laws) / total(dnn::framework_laws());
}

// Sets the prediction of a run, without the laws' knowledge of its family.
void predict(FrameworkRun& run, const std::vector<dnn::LawOf>& laws) {
  input::Problems problems;
  const std::string text = fmt::format(
      "device: {}\nprocesses:\n  - {{model: {}, input: {}, precision: {}, batch: {}, runtime: {}, sync: "
      "spin}}\nrun: {{duration: 300 ms, warmup: 60 ms}}\n",
      run.device, run.model->name, run.input, to_string(run.precision), run.batch,
      run.eager ? "eager" : "cuda-graph");
  const auto scenario =
      scenarios::parse_scenario({text, "evidence", ""}, scenarios::shipped_catalogue(), {}, problems);
  auto profile = profiles::shipped_profile(run.device, problems);
  if (!scenario || !profile) throw std::runtime_error(problems.text());
  const gpu::Spec& gpu = profile->spec->gpu;
  profile->factors.push_back({.chip = dnn::Chip::of(gpu),
                              .model = std::string(run.model->name),
                              .family = std::string(run.model->family),
                              .precision = run.precision,
                              .lowering = dnn::Lowering::framework,
                              .value = ratio(run, gpu, laws),
                              .basis = "the laws of other families"});
  const auto result = scenarios::run(*scenario, *profile, {});
  if (!result) throw scenarios::Interrupted();
  run.predicted = result->processes.front().throughput.mean.value_or(0);
  run.predicted_ms = result->processes.front().latency_ms.mean.value_or(0);
}

analyses::HeldOutRow held_out_row(const FrameworkRun& run, std::size_t number, const char* quantity) {
  const bool latency = std::string_view(quantity) == "latency";
  return {.device = run.device,
          .quantity = quantity,
          .basis = run.eager ? "laws eager" : "laws",
          .fold = std::string(left_out_with(run.model->family)),
          .configuration = run.what(),
          .value = fmt::format("{} {}", run.what(), number),
          .measured = latency ? run.latency_ms : run.measured,
          .predicted = latency ? run.predicted_ms : run.predicted,
          .spread = {}};
}

}  // namespace

FrameworksValidation validate_frameworks(const std::function<void(double)>& progress) {
  const LawsWithout half = read_laws(laws_file), single = read_laws(single_laws_file);
  std::vector<FrameworkRun> runs = read_runs();
  const std::size_t first_random = runs.size();
  std::ranges::move(read_random_runs(), std::back_inserter(runs));
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(runs.size(), [&](std::size_t i) {
    predict(runs[i], laws_without(*runs[i].model, half, single));
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(runs.size()));
  });
  FrameworksValidation found;
  for (const char* quantity : {"throughput", "latency"})
    for (std::size_t i = 0; i < first_random; ++i)
      found.held_out.push_back(held_out_row(runs[i], i, quantity));
  const auto inside = covered(found.held_out);
  constexpr const char* note = "the family of the network left out";
  constexpr const char* note_random = "the network left out";
  found.groups = {
      {"PyTorch graphs without calibration, fp16",
       runs_file,
       note,
       {},
       {{"images/s", 0.18, Statistic::median}}},
      {"PyTorch graphs without calibration, tf32", runs_file, note, {}, {{"images/s", 0.25}}},
      {"PyTorch eager without calibration", runs_file, note, {}, {{"images/s", 0.25}}},
      {"PyTorch graphs drawn at random, fp16", random_runs_file, note_random, {}, {{"images/s", 0.08}}},
      {"PyTorch graphs drawn at random, tf32", random_runs_file, note_random, {}, {{"images/s", 0.08}}},
      {"PyTorch graphs drawn at random, fp32", random_runs_file, note_random, {}, {{"images/s", 0.08}}}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const FrameworkRun& run = runs[i];
    const bool random = i >= first_random;
    const std::size_t group = run.eager ? 2
                                        : (random ? 3 : 0) + (run.precision == dnn::Precision::fp16   ? 0
                                                              : run.precision == dnn::Precision::tf32 ? 1
                                                                                                      : 2);
    ComparisonGroup& of = found.groups[group];
    of.comparisons.push_back({fmt::format("{} {}", run.what(), i), "images/s", run.measured, run.predicted,
                              random ? std::nullopt : inside[i]});
  }
  return found;
}

}  // namespace jostle::calibration
