#include "scenarios/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "calibration/readers/kernel_tables.hpp"
#include "calibration/readers/onnx.hpp"
#include "models/dnn/clocks.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/network.hpp"
#include "models/gpu/occupancy.hpp"
#include "models/memory/footprint.hpp"
#include "scenarios/run.hpp"

namespace jostle::scenarios {

namespace {

process::Runtime runtime_of(const ProcessEntry& entry) {
  switch (entry.runtime) {
    case Runtime::tensorrt:
      return process::Runtime::tensorrt;
    case Runtime::cuda_graph:
      return process::Runtime::cuda_graph;
    case Runtime::eager:
      return process::Runtime::eager;
    default:
      throw RunError(fmt::format("runtime {} is not yet modelled", to_string(entry.runtime)));
  }
}

// `automatic` is what cudaDeviceScheduleAuto documents: spin while contexts ≤ CPUs, else yield.
process::Sync sync_of(Sync sync, std::size_t contexts, std::size_t cpus) {
  switch (sync) {
    case Sync::spin:
      return process::Sync::spin;
    case Sync::yield:
      return process::Sync::yield;
    case Sync::blocking:
      return process::Sync::blocking;
    case Sync::automatic:
      break;
  }
  return contexts <= cpus ? process::Sync::spin : process::Sync::yield;
}

dnn::KernelSequence synthetic_kernels(const SyntheticModel& model, const gpu::Spec& gpu) {
  dnn::KernelSequence sequence;
  dnn::Kernel kernel;
  kernel.duration = model.duration;
  kernel.blocks = model.blocks;
  kernel.threads_per_block = model.threads;
  gpu::fill_residency(gpu, kernel);
  sequence.kernels.assign(static_cast<std::size_t>(model.kernels), kernel);
  sequence.rebuild_finish();
  sequence.grade = dnn::Grade::measured;  // by definition
  sequence.provenance = "synthetic";
  return sequence;
}

// The network of a file; null if the model is none.
const dnn::Network* network_of_file(const Model& model) {
  const auto* const onnx = std::get_if<OnnxModel>(&model);
  return onnx != nullptr && onnx->file ? &onnx->file->network : nullptr;
}

// Bytes of one batch that a runtime which copies brings to the device and back: fp32 tensors, as trtexec
// binds.
void set_copies(process::Spec& spec, const dnn::Network& network) {
  if (spec.runtime != process::Runtime::tensorrt) return;
  const memory::Bindings bound = memory::bindings(network);
  const double bytes = 4.0 * static_cast<double>(spec.batch);
  spec.input_bytes = bytes * static_cast<double>(bound.inputs);
  spec.output_bytes = bytes * static_cast<double>(bound.outputs);
}

// The entry's network, if it has one.
std::optional<dnn::Network> network_of(const ProcessEntry& entry) {
  if (const dnn::Network* const network = network_of_file(entry.model)) return *network;
  const auto* built_in = std::get_if<BuiltInModel>(&entry.model);
  const dnn::Model* model = built_in == nullptr ? nullptr : dnn::find_model(built_in->name);
  if (model == nullptr) return std::nullopt;
  return model->build(static_cast<int>(entry.input.value_or(model->default_input)));
}

dnn::Lowering lowering_of(process::Runtime runtime) {
  return runtime == process::Runtime::tensorrt ? dnn::Lowering::optimised : dnn::Lowering::framework;
}

// What each process asks of the memory, and who fits.
memory::Occupancy occupancy_of(const Scenario& scenario, const board::DeviceSpec& device,
                               const std::vector<ProcessInstance>& instances) {
  std::vector<memory::Request> entries, requests;
  for (const ProcessEntry& entry : scenario.processes) {
    const process::Runtime runtime = runtime_of(entry);
    const auto& context = device.context(runtime);
    memory::Request request{.context = context ? &*context : nullptr, .network = {}};
    if (const auto network = network_of(entry)) {
      request.network = memory::footprint({.network = *network,
                                           .precision = *entry.precision,
                                           .batch = entry.batch,
                                           .lowering = lowering_of(runtime)},
                                          device.gpu, device.memory.page_bytes);
    }
    entries.push_back(request);
  }
  for (const ProcessInstance& instance : instances) requests.push_back(entries[instance.entry]);
  return memory::admit(device.memory, requests);
}

struct SetClocks {
  std::vector<double> clusters_hz;
  double gpu_hz = 0;
  double memory = 1;  // share of the full bandwidth
};

SetClocks clocks_of(const Scenario& scenario, const board::DeviceSpec& device, const board::PowerMode* mode) {
  SetClocks clocks;
  for (std::size_t i = 0; i < device.cpu.clusters.size(); ++i) {
    double hz = device.cpu.clusters[i].max_clock_hz;
    if (mode != nullptr && i < mode->cpu_max_clock_hz.size()) hz = std::min(hz, mode->cpu_max_clock_hz[i]);
    clocks.clusters_hz.push_back(
        scenario.clocks.cpu_hz ? std::min(*scenario.clocks.cpu_hz, device.cpu.clusters[i].max_clock_hz) : hz);
  }
  clocks.gpu_hz = device.gpu.max_clock_hz;
  if (mode != nullptr && mode->gpu_max_clock_hz)
    clocks.gpu_hz = std::min(clocks.gpu_hz, *mode->gpu_max_clock_hz);
  clocks.gpu_hz = scenario.clocks.gpu_hz.value_or(clocks.gpu_hz);
  double emc_hz = device.memory.max_clock_hz;
  if (mode != nullptr && mode->emc_max_clock_hz) emc_hz = std::min(emc_hz, *mode->emc_max_clock_hz);
  emc_hz = scenario.clocks.emc_hz.value_or(emc_hz);
  const double achieved = device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency;
  clocks.memory = gpu::reachable_bandwidth(device.gpu, clocks.gpu_hz,
                                           achieved * memory::relative_bandwidth(device.memory, emc_hz)) /
                  gpu::reachable_bandwidth(device.gpu, device.gpu.max_clock_hz, achieved);
  return clocks;
}

}  // namespace

Assembly assemble(const Scenario& scenario, const calibration::Profile& profile) {
  Assembly assembly{.device = profile.spec, .setup = {}, .occupancy = {}, .grades = {}};
  board::DeviceSpec& device = assembly.device;
  board::Setup& setup = assembly.setup;
  setup.seed = scenario.run.seed;

  const std::string mode_name = scenario.power_mode.value_or(device.default_power_mode);
  const board::PowerMode* mode = board::find_power_mode(device, mode_name);
  setup.cores.online = board::online_cpus(device, mode, scenario.clocks.cores);
  if (scenario.host_cores) {
    const auto count = std::min(static_cast<std::size_t>(*scenario.host_cores), setup.cores.online.size());
    setup.cores.allowed.assign(setup.cores.online.begin(),
                               setup.cores.online.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    setup.cores.allowed = scenario.cpus;
  }
  const SetClocks clocks = clocks_of(scenario, device, mode);
  setup.cluster_clock_hz = clocks.clusters_hz;
  assembly.gpu_clock_hz = clocks.gpu_hz;
  setup.memory_bytes_per_s =
      device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency * clocks.memory;
  if (mode != nullptr && mode->tpcs)
    device.gpu.sm_count = std::min(device.gpu.sm_count, *mode->tpcs * device.sms_per_tpc);

  const dnn::KernelTables& tables = calibration::embedded_kernel_tables(device.evidence);
  const std::vector<ProcessInstance> instances = expand(scenario);
  assembly.occupancy = occupancy_of(scenario, device, instances);
  const auto contexts = static_cast<std::size_t>(
      std::ranges::count_if(assembly.occupancy.places, [](const auto& place) { return place.fits; }));
  std::vector<process::Spec> specs;  // one an entry
  for (const ProcessEntry& entry : scenario.processes) {
    process::Spec spec;
    spec.runtime = runtime_of(entry);
    spec.sync = sync_of(entry.sync, contexts, setup.cores.online.size());
    spec.batch = entry.batch;
    spec.arrivals = entry.arrivals;
    spec.cpus = entry.cpus;
    spec.nice = entry.nice;
    if (const auto* synthetic = std::get_if<SyntheticModel>(&entry.model)) {
      spec.kernels = synthetic_kernels(*synthetic, device.gpu);
      spec.pace = synthetic->pace;
    } else {
      try {
        spec.kernels = dnn::kernels_for({.model = model_name(entry.model),
                                         .precision = *entry.precision,
                                         .batch = entry.batch,
                                         .lowering = lowering_of(spec.runtime),
                                         .input = static_cast<int>(entry.input.value_or(0)),
                                         .device = device.name,
                                         .network = network_of_file(entry.model)},
                                        tables, device.gpu, profile.factors);
      } catch (const std::invalid_argument& error) {
        throw RunError(error.what());
      }
      spec.kernels =
          dnn::at_clocks(std::move(spec.kernels), clocks.gpu_hz / device.gpu.max_clock_hz, clocks.memory);
    }
    if (const auto network = network_of(entry)) set_copies(spec, *network);
    assembly.grades.push_back(spec.kernels.grade);
    specs.push_back(std::move(spec));
  }
  for (const ProcessInstance& instance : instances) {
    if (assembly.occupancy.rebooted || !assembly.occupancy.places[instance.index].fits) continue;
    const ProcessEntry& entry = scenario.processes[instance.entry];
    process::Spec spec = specs[instance.entry];
    spec.name =
        entry.name.empty() ? fmt::format("{} {}", model_name(entry.model), instance.index) : entry.name;
    setup.processes.push_back(std::move(spec));
  }
  return assembly;
}

}  // namespace jostle::scenarios
