#include "analyses/roofline/roofline.hpp"

#include <fmt/format.h>

#include <set>

#include "models/cpu/spec.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/training.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/power_setup.hpp"
#include "scenarios/run/process_work.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

using profiles::Profile;

// The first runtime of the device's GPU, for training the first one that can train.
std::optional<scenarios::Runtime> runtime_for(const board::DeviceSpec& device, bool training) {
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (row.kind == process::RuntimeKind::cores || (training && !row.trains)) continue;
    if (device.runtimes[row.runtime]) return row.runtime;
  }
  return std::nullopt;
}

// A scenario of the board in a mode with one process, which runs `network`.
std::string scenario_text(const RooflineQuestion& question, const std::string& mode,
                          const std::string& network, scenarios::Runtime runtime) {
  std::string text = "device: " + output::json_string(question.device) + "\n";
  if (!mode.empty()) text += "power_mode: " + output::json_string(mode) + "\n";
  return text + fmt::format("processes: [{{model: {}, precision: {}, batch: {}, runtime: {}{}}}]\n",
                            output::json_string(network), output::json_string(question.precision),
                            question.batch, to_string(runtime), question.training ? ", training: true" : "");
}

// Adds problems of the generated scenario without its location and process index, which the user did not
// write.
void add_without_location(const input::Problems& own, const std::string& origin, input::Problems& problems) {
  const std::string process = "processes.0.";
  for (const input::Problem& problem : own.list()) {
    const bool of_text = problem.location.origin && *problem.location.origin == origin;
    const std::string& path = problem.path;
    problems.add(of_text ? input::Location{} : problem.location,
                 path.starts_with(process) ? path.substr(process.size()) : path, problem.message,
                 problem.hint);
  }
}

std::optional<scenarios::Scenario> parsed(const RooflineQuestion& question, const std::string& text,
                                          const Profile& profile, input::Problems& problems) {
  const std::string origin = "roofline";
  scenarios::Catalogue catalogue = scenarios::shipped_catalogue();
  catalogue.device = [&](const std::string&, const std::string&, input::Problems&) {
    return std::optional(*profile.spec);
  };
  input::Problems own;
  auto scenario = scenarios::parse_scenario({text, origin, ""}, catalogue, {question.set, std::nullopt}, own);
  add_without_location(own, origin, problems);
  if (!scenario) return std::nullopt;
  const scenarios::Placement placement = scenario->processes.front().host.placement;
  if (scenarios::on_gpu(placement)) return scenario;
  problems.add({}, "placement", "must be on the GPU for a roofline", "gpu or cuda-only");
  return std::nullopt;
}

// The energy of the board for a batch of these kernels.
std::optional<double> joules_of(const gpu::KernelSequence& kernels, const power::Activity& idle,
                                const std::optional<power::Spec>& spec) {
  if (!spec) return std::nullopt;
  power::Activity activity = idle;
  const gpu::Usage& used = kernels.used.back();
  activity.seconds = activity.gpu_busy_s = sim::to_seconds(kernels.total());
  activity.working_s = used.working;
  activity.tensor_s = used.tensor_active;
  activity.issue_s = used.issue_slot;
  activity.gpu_dram_bytes = activity.dram_bytes = used.dram_bytes;
  return power::sum_of(power::energy_of(*spec, activity, spec->reference_c));
}

double flop_of(const scenarios::ProcessEntry& entry) {
  auto layers = dnn::fuse(*scenarios::network_of(entry), traits_of(entry.host.runtime).lowering);
  if (entry.work.training) layers = dnn::training_step(layers, *entry.work.precision);
  double macs = 0;
  for (const dnn::FusedLayer& layer : layers) macs += static_cast<double>(layer.macs);
  return 2 * macs * static_cast<double>(entry.work.batch);
}

PlacedNetwork placed(const scenarios::Scenario& scenario, const scenarios::Assembly& assembly,
                     const power::Activity& idle) {
  const scenarios::ProcessEntry& entry = scenario.processes.front();
  PlacedNetwork network{
      .model = scenarios::model_name(entry.work.model), .problem = {}, .joules = {}, .grade = {}};
  if (assembly.setup.processes.empty()) {
    network.problem = "does not fit into memory";
    return network;
  }
  const gpu::KernelSequence& kernels = assembly.setup.processes.front().kernels;
  network.flop = flop_of(entry);
  network.bytes = kernels.used.back().dram_bytes;
  network.seconds = sim::to_seconds(kernels.total());
  network.joules = joules_of(kernels, idle, assembly.device.power);
  network.grade = gpu::to_string(kernels.grade);
  return network;
}

dnn::ArithmeticPath path_of(const scenarios::Scenario& scenario, const board::DeviceSpec& device) {
  gpu::Spec gpu = device.gpu;
  const scenarios::ProcessEntry& entry = scenario.processes.front();
  if (entry.host.placement == scenarios::Placement::cuda_only) gpu.tensor_cores = {};
  return dnn::path_for(gpu, *entry.work.precision);
}

// The mode without its networks.
ModeRoofline mode_of(const scenarios::Scenario& scenario, const scenarios::Assembly& assembly,
                     const power::Activity& idle) {
  const board::DeviceSpec& device = assembly.device;
  const double achieved = device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency *
                          memory::relative_bandwidth(device.memory, assembly.setup.clocks.emc_hz);
  return {.mode = scenario.power_mode.value_or(""),
          .gpu_hz = assembly.setup.clocks.gpu_hz,
          .emc_hz = assembly.setup.clocks.emc_hz,
          .sms = idle.sms,
          .cores = static_cast<int>(assembly.setup.cores.online.size()),
          .roofs = power::roofline(device.gpu, path_of(scenario, device), achieved, idle, device.power),
          .networks = {}};
}

void describe(RooflineAnswer& answer, const scenarios::Scenario& scenario, const board::DeviceSpec& device) {
  const scenarios::ProcessEntry& entry = scenario.processes.front();
  const dnn::ArithmeticPath path = path_of(scenario, device);
  answer.precision = dnn::to_string(*entry.work.precision);
  answer.computed = dnn::to_string(path.precision);
  answer.tensor_cores = path.tensor_cores;
  answer.batch = entry.work.batch;
  answer.runtime = to_string(entry.host.runtime);
}

}  // namespace

std::optional<double> PlacedNetwork::flop_per_j() const {
  return joules ? std::optional(flop / *joules) : std::nullopt;
}

std::optional<RooflineAnswer> roofline(const RooflineQuestion& question, input::Problems& problems) {
  const auto profile = profiles::find_profile(question.device, problems);
  if (!profile) return std::nullopt;
  const board::DeviceSpec& device = *profile->spec;
  const auto runtime = runtime_for(device, question.training);
  if (!device.has_gpu() || !runtime) {
    problems.add({}, {}, fmt::format("{} has no GPU that can run networks", device.name));
    return std::nullopt;
  }
  std::vector<std::string> modes = question.modes;
  if (modes.empty()) {
    for (const board::PowerMode& mode : device.power_modes) modes.push_back(mode.name);
  }
  if (modes.empty()) modes.emplace_back();
  // The roofs depend on a process with this precision, but not on its network.
  const bool no_networks = question.networks.empty();
  const std::vector<std::string> networks =
      no_networks ? std::vector<std::string>{"bert_tiny"} : question.networks;
  RooflineAnswer answer;
  answer.device = device.name;
  answer.description = device.description;
  answer.profile_hash = profile->hash;
  answer.training = question.training;
  answer.power_known = device.power.has_value();
  answer.power_grade = scenarios::power_grade(*profile);
  std::set<std::string> seen;
  for (const std::string& mode : modes) {
    std::optional<ModeRoofline> found;
    for (const std::string& network : networks) {
      const auto scenario =
          parsed(question, scenario_text(question, mode, network, *runtime), *profile, problems);
      if (!scenario) return std::nullopt;
      const scenarios::Assembly assembly = scenarios::assemble(*scenario, *profile);
      const power::Activity idle = scenarios::idle_second(assembly);
      if (!found) {
        found = mode_of(*scenario, assembly, idle);
        describe(answer, *scenario, assembly.device);
      }
      if (!no_networks) found->networks.push_back(placed(*scenario, assembly, idle));
    }
    if (seen.insert(found->mode).second) answer.modes.push_back(std::move(*found));
  }
  return answer;
}

}  // namespace jostle::analyses
