// Statements of the energy-roofline study of an AGX Orin, of which only the abstract is public: rooflines are
// compared with simulated runs in power modes. The abstract counts thousands of power modes that set the
// clocks of CPU, GPU and memory, so a mode is a combination of clocks of the whole chip, and none of
// nvpmodel's, most of which power fewer SMs. The abstract names neither networks nor precision; fp16 is used.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyses/roofline/roofline.hpp"
#include "calibration/claims/reproduce.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/roofline.hpp"
#include "models/dnn/training.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

constexpr const char* board = "jetson-agx-orin-64gb";
constexpr const char* most = "MAXN";                               // the highest clocks
constexpr std::array gpu_clocks{306.0, 612.0, 918.0, 1300.5};      // MHz
constexpr std::array memory_clocks{204.0, 665.6, 2133.0, 3199.0};  // MHz, all that the board has
constexpr std::array networks{"resnet50", "mobilenet_v2", "yolov8n", "vgg16", "bert_tiny", "distilbert"};

struct Work {
  std::string model;
  int batch = 1;
  bool training = false;
};

// A power mode: the clocks of GPU and memory, those of the cores at their highest.
struct Mode {
  double gpu_mhz = 0, memory_mhz = 0;
  [[nodiscard]] std::string name() const {
    if (gpu_mhz == gpu_clocks.back() && memory_mhz == memory_clocks.back()) return most;
    return fmt::format("GPU {:g}, memory {:g} MHz", gpu_mhz, memory_mhz);
  }
  [[nodiscard]] std::string clocks() const {
    return fmt::format("clocks: {{gpu: {} MHz, emc: {} MHz}}\n", gpu_mhz, memory_mhz);
  }
};
std::vector<Mode> all_modes() {
  std::vector<Mode> all;
  for (const double gpu : gpu_clocks)
    for (const double memory : memory_clocks) all.push_back({gpu, memory});
  return all;
}

std::string run_text(const Work& work, const std::string& clocks = {}) {
  return fmt::format(
      "device: {}\npower_mode: MAXN\njetson_clocks: true\n{}processes: [{{model: {}, precision: fp16, batch: "
      "{}{}}}]\nrun: {{batches: 20}}\n",
      board, clocks, work.model, work.batch, work.training ? ", training: true, runtime: eager" : "");
}

// The time and energy of one batch.
struct Cost {
  double seconds = 0, joules = 0;
};
Cost simulated(Runs& runs, const Work& work, const std::string& text) {
  const scenarios::Result& result = runs.of(text);
  const double seconds = work.batch / known(result.system.throughput);
  return {seconds, seconds * known(result.system.power_w.mean)};
}

// The roofs in each mode, with `models` placed on them.
std::vector<analyses::ModeRoofline> rooflines(const char* precision,
                                              const std::vector<std::string>& models = {}, int batch = 1,
                                              bool training = false) {
  std::vector<analyses::ModeRoofline> found;
  for (const Mode& mode : all_modes()) {
    analyses::RooflineQuestion question;
    question.device = board;
    question.modes = {"MAXN"};
    question.set = {fmt::format("clocks.gpu={} MHz", mode.gpu_mhz),
                    fmt::format("clocks.emc={} MHz", mode.memory_mhz)};
    question.networks = models;
    question.precision = precision;
    question.batch = batch;
    question.training = training;
    input::Problems problems;
    auto answer = analyses::roofline(question, problems);
    if (!answer) throw scenarios::RunError(problems.text());
    found.push_back(std::move(answer->modes.front()));
    found.back().mode = mode.name();
  }
  return found;
}

// Operations and bytes of one kernel of a batch, counted from its layer. They do not depend on the mode.
struct Counted {
  double flop = 0, bytes = 0;
};
std::vector<Counted> counted(const Work& work) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(board, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  const dnn::Model& model = *dnn::find_model(work.model);
  const dnn::Lowering lowering = work.training ? dnn::Lowering::framework : dnn::Lowering::optimised;
  std::vector<dnn::FusedLayer> layers = dnn::fuse(model.build(model.default_input), lowering);
  if (work.training) layers = dnn::training_step(layers, dnn::Precision::fp16);
  const dnn::KernelsOfLayers kernels =
      dnn::roofline_by_layer(layers, work.batch, dnn::Precision::fp16, lowering, profile->spec->gpu);
  std::vector<Counted> found;
  for (std::size_t i = 0; i < kernels.layer.size(); ++i) {
    const double macs = kernels.product[i] ? static_cast<double>(layers[kernels.layer[i]].macs) : 0;
    found.push_back({2 * macs * work.batch, static_cast<double>(kernels.sequence.kernels[i].dram_bytes)});
  }
  return found;
}
Cost under_roofs(const power::Roofline& roofs, const std::vector<Counted>& kernels) {
  Cost sum;
  for (const Counted& kernel : kernels) {
    sum.seconds += power::seconds_of(roofs, kernel.flop, kernel.bytes);
    sum.joules += known(power::joules_of(roofs, kernel.flop, kernel.bytes));
  }
  return sum;
}

// A network in a mode: predicted by the roofs from the operations and bytes of the network, and of each of
// its kernels, by the simulator's times of its kernels, and simulated.
struct Placed {
  std::string mode, model;
  double flop = 0;
  double gpu_busy = 0;  // share of the run
  Cost by_roofs, by_layers, by_kernels, run;
};

std::vector<Placed> placed(Runs& runs, int batch, bool training = false) {
  const std::vector<Mode> modes = all_modes();
  const auto roofs = rooflines("fp16", {networks.begin(), networks.end()}, batch, training);
  std::vector<std::string> texts;
  for (const Mode& mode : modes)
    for (const char* model : networks) texts.push_back(run_text({model, batch, training}, mode.clocks()));
  runs.prepare(texts);
  std::vector<Placed> found;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const analyses::ModeRoofline& mode = roofs[i];
    for (const analyses::PlacedNetwork& network : mode.networks) {
      const Work work{network.model, batch, training};
      const std::string text = run_text(work, modes[i].clocks());
      found.push_back({.mode = mode.mode,
                       .model = network.model,
                       .flop = network.flop,
                       .gpu_busy = known(runs.of(text).system.gpu.busy),
                       .by_roofs = {power::seconds_of(mode.roofs, network.flop, network.bytes),
                                    known(power::joules_of(mode.roofs, network.flop, network.bytes))},
                       .by_layers = under_roofs(mode.roofs, counted(work)),
                       .by_kernels = {network.seconds, known(network.joules)},
                       .run = simulated(runs, work, text)});
    }
  }
  return found;
}

void best_mode(Runs& runs, Checks& checks) {
  const auto modes_of_roofs = rooflines("fp16");
  const auto best = std::ranges::max_element(modes_of_roofs, {}, [](const analyses::ModeRoofline& mode) {
    return known(power::best_flop_per_j(mode.roofs));
  });
  checks.is("roof of GFLOP/J", "highest in another mode than MAXN", best->mode, best->mode != most);
  for (const int batch : {1, 16}) {
    std::map<std::string, std::map<std::string, double>> joules;
    for (const Placed& point : placed(runs, batch)) joules[point.model][point.mode] = point.run.joules;
    for (const char* model : networks) {
      const auto& modes = joules[model];
      const auto least = std::ranges::min_element(modes, {}, [](const auto& mode) { return mode.second; });
      checks.ordered(fmt::format("{}, batch {}, mJ/image", model, batch),
                     fmt::format("{} > {}", most, least->first),
                     {1e3 * modes.at(most) / batch, 1e3 * least->second / batch});
    }
  }
}

// The percentage of pairs of networks and batches in a mode in which the one that is faster per operation
// also needs less energy per operation.
double agreeing_pairs(const std::vector<Placed>& points, const std::string& mode) {
  double agree = 0, pairs = 0;
  for (auto a = points.begin(); a != points.end(); ++a) {
    for (auto b = a + 1; b != points.end(); ++b) {
      if (a->mode != mode || b->mode != mode) continue;
      const bool faster = a->run.seconds / a->flop < b->run.seconds / b->flop;
      const bool cheaper = a->run.joules / a->flop < b->run.joules / b->flop;
      agree += faster == cheaper ? 1 : 0;
      ++pairs;
    }
  }
  return 100 * agree / pairs;
}

// Below the energy balance less than half of the peak FLOP/J is reached. If the balance is left of the ridge,
// work that reaches peak performance is energy-efficient too (Choi et al., IPDPS 2013). This implication
// holds for the roofs. Of two networks the faster one may still need more energy, because memory traffic
// overlaps with arithmetic in time but not in energy.
void time_implies_energy(Runs& runs, Checks& checks) {
  for (const char* precision : {"fp32", "fp16"})
    for (const analyses::ModeRoofline& mode : rooflines(precision))
      checks.at_most(fmt::format("{}, {}: energy balance", mode.mode, precision), power::ridge(mode.roofs),
                     known(power::energy_balance(mode.roofs)), "FLOP/B");
  std::vector<Placed> all;
  for (const int batch : {1, 4, 16}) {
    const auto points = placed(runs, batch);
    all.insert(all.end(), points.begin(), points.end());
  }
  for (const analyses::ModeRoofline& mode : rooflines("fp16"))
    checks.shows(fmt::format("{}: faster costs less", mode.mode), "implied for the roofs only",
                 value_text(agreeing_pairs(all, mode.mode)) + " % of pairs");
}

// Scenarios with clocks around those of MAXN, each with a description.
std::vector<std::pair<std::string, std::string>> tuned(const Work& work) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const double gpu : {1300.5, 1224.0, 1122.0})
    for (const double emc : {3199.0, 2133.0})
      for (const double cpu : {2201.6, 1497.6, 729.6}) {
        found.emplace_back(
            run_text(work, fmt::format("clocks: {{gpu: {} MHz, emc: {} MHz, cpu: {} MHz}}\n", gpu, emc, cpu)),
            fmt::format("{}, batch {}, GPU {:g}, EMC {:g}, CPU {:g} MHz", work.model, work.batch, gpu, emc,
                        cpu));
      }
  return found;
}
// "Minimal" slowdown is taken as 5 % of the time.
void tuned_clocks(Runs& runs, Checks& checks) {
  constexpr double slower = 1.05;
  double saved = 0;
  std::string where;
  for (const int batch : {1, 16}) {
    for (const char* model : networks) {
      const Work work{model, batch};
      const auto all = tuned(work);
      std::vector<std::string> texts{run_text(work)};
      for (const auto& each : all) texts.push_back(each.first);
      runs.prepare(texts);
      const Cost base = simulated(runs, work, texts.front());
      for (const auto& [text, what] : all) {
        const Cost cost = simulated(runs, work, text);
        const double percent = 100 * (1 - cost.joules / base.joules);
        if (cost.seconds > slower * base.seconds || percent <= saved) continue;
        saved = percent;
        where = fmt::format("{}, {:.1f} % slower", what, 100 * (cost.seconds / base.seconds - 1));
      }
    }
  }
  checks.at_most("most saved over MAXN", 15, saved, "%");
  checks.shows("there", "minimal slowdown", where);
}

double mean_error(const std::vector<Placed>& points, Cost Placed::*predicted, double Cost::*cost) {
  double sum = 0;
  for (const Placed& point : points) sum += std::abs(point.*predicted.*cost / (point.run.*cost) - 1);
  return 100 * sum / static_cast<double>(points.size());
}

// The mean error of the ratio of a metric in another mode to MAXN, if the GPU is busy in both modes. The
// roofs describe the GPU, and its clocks do not change the launch time of the host.
double mean_error_of_modes(const std::vector<Placed>& points, Cost Placed::*predicted, double Cost::*cost) {
  constexpr double busy = 0.9;
  double sum = 0, count = 0;
  for (const Placed& point : points) {
    if (point.mode == most) continue;
    const auto base = std::ranges::find_if(
        points, [&](const Placed& other) { return other.mode == most && other.model == point.model; });
    if (point.gpu_busy < busy || base->gpu_busy < busy) continue;
    const double by_roofs = point.*predicted.*cost / ((*base).*predicted.*cost);
    sum += std::abs(by_roofs / (point.run.*cost / (base->run.*cost)) - 1);
    ++count;
  }
  return 100 * sum / count;
}

// Checks predictions from the operations and bytes of each layer under the two roofs: the change of time and
// energy with the power mode. The roofs come from the data sheet and are not fitted to runs, so that their
// own error is only shown: the abstract gives no limit for it. The error of the simulator's kernel times is
// only shown, too, because it compares one form of the model with another.
void predict(const std::vector<Placed>& points, Checks& checks) {
  constexpr double max_percent = 100 * value_tolerance;
  const auto above = std::ranges::count_if(points, [](const Placed& point) {
    return point.by_roofs.seconds > point.run.seconds || point.by_roofs.joules > point.run.joules;
  });
  checks.equal("runs that beat a roof", 0, static_cast<double>(above));
  for (const auto& [name, cost] : {std::pair{"time", &Cost::seconds}, std::pair{"energy", &Cost::joules}}) {
    const auto what = [&](const char* by) { return fmt::format("{} by {}: mean error", name, by); };
    checks.at_most(what("roofs of each layer, of mode over MAXN"), max_percent,
                   mean_error_of_modes(points, &Placed::by_layers, cost), "%");
    checks.shows(what("roofs of the whole network, of mode over MAXN"), "not stated",
                 value_text(mean_error_of_modes(points, &Placed::by_roofs, cost)) + " %");
    checks.shows(what("roofs of each layer"), "not stated",
                 value_text(mean_error(points, &Placed::by_layers, cost)) + " %");
    checks.shows(what("kernels"), "not stated",
                 value_text(mean_error(points, &Placed::by_kernels, cost)) + " %");
    checks.shows(what("roofs of the whole network"), "not stated",
                 value_text(mean_error(points, &Placed::by_roofs, cost)) + " %");
  }
}

constexpr StatementCheck energy_roofline_all[] = {
    {"G01", best_mode},
    {"G02", time_implies_energy},
    {"G03", tuned_clocks},
    {"G04", [](Runs& runs, Checks& checks) { predict(placed(runs, 32, true), checks); }},
    {"G05", [](Runs& runs, Checks& checks) { predict(placed(runs, 16), checks); }},
};

}  // namespace

std::span<const StatementCheck> roofline_statements() {
  return energy_roofline_all;
}

}  // namespace jostle::calibration
