#include "scenarios/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/readers/kernel_tables.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/network.hpp"
#include "models/memory/footprint.hpp"
#include "scenarios/process_work.hpp"
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
    case Runtime::cpu:
      return process::Runtime::cpu;
    case Runtime::libtorch:
      return process::Runtime::libtorch;
    default:
      throw RunError(fmt::format("runtime {} is not yet modelled", to_string(entry.runtime)));
  }
}

// `automatic` is what cudaDeviceScheduleAuto documents: spin while contexts ≤ CPUs, else yield; the same of
// the threads of those who compute on the CPU.
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

// Bytes of the weights; and of one batch, what a runtime which copies brings to the device and back: fp32
// tensors, as trtexec binds.
void set_tensors(process::Spec& spec, const dnn::Network& network, Precision precision) {
  const double weight = precision == Precision::int8 ? 1 : precision == Precision::fp16 ? 2 : 4;
  spec.weights_bytes = weight * static_cast<double>(network.parameters());
  if (spec.runtime != process::Runtime::tensorrt) return;
  const memory::Bindings bound = memory::bindings(network);
  const double bytes = 4.0 * static_cast<double>(spec.batch);
  spec.input_bytes = bytes * static_cast<double>(bound.inputs);
  spec.output_bytes = bytes * static_cast<double>(bound.outputs);
}

dnn::Lowering lowering_of(process::Runtime runtime) {
  return runtime == process::Runtime::tensorrt ? dnn::Lowering::optimised : dnn::Lowering::framework;
}

// What a process computes with decides what its network is held in: `device`'s GPU, or as if they were one
// the cores of its host.
gpu::Spec processor_of(const ProcessEntry& entry, const board::DeviceSpec& device) {
  if (entry.placement != Placement::cpu) return device.gpu;
  const dnn::HostRoofs& host = device.host;
  gpu::Spec cores;
  cores.cuda_cores = {
      .fp32 = host.fp32_ops_per_clock, .fp16 = host.fp16_ops_per_clock, .int8 = host.int8_ops_per_clock};
  return cores;
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
                                          processor_of(entry, device), device.memory.page_bytes);
    }
    entries.push_back(request);
  }
  for (const ProcessInstance& instance : instances) requests.push_back(entries[instance.entry]);
  return memory::admit(device.memory, requests);
}

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
  clocks.dla_hz = device.dla.max_clock_hz;
  if (mode != nullptr && mode->dla_max_clock_hz)
    clocks.dla_hz = std::min(clocks.dla_hz, *mode->dla_max_clock_hz);
  clocks.dla_hz = scenario.clocks.dla_hz.value_or(clocks.dla_hz);
  double emc_hz = device.memory.max_clock_hz;
  if (mode != nullptr && mode->emc_max_clock_hz) emc_hz = std::min(emc_hz, *mode->emc_max_clock_hz);
  emc_hz = scenario.clocks.emc_hz.value_or(emc_hz);
  const double achieved = device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency;
  clocks.emc = memory::relative_bandwidth(device.memory, emc_hz);
  clocks.memory = gpu::reachable_bandwidth(device.gpu, clocks.gpu_hz, achieved * clocks.emc) /
                  gpu::reachable_bandwidth(device.gpu, device.gpu.max_clock_hz, achieved);
  return clocks;
}

}  // namespace

Assembly assemble(const Scenario& scenario, const calibration::Profile& profile) {
  Assembly assembly{.device = profile.spec, .setup = {}, .occupancy = {}, .grades = {}};
  board::DeviceSpec& device = assembly.device;
  board::Setup& setup = assembly.setup;
  setup.seed = scenario.run.seed;
  setup.observed = scenario.observer == Observer::nsys;

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
  assembly.dla_clock_hz = clocks.dla_hz;
  if (mode != nullptr && mode->tpcs)
    device.gpu.sm_count = std::min(device.gpu.sm_count, *mode->tpcs * device.sms_per_tpc);

  const dnn::KernelTables& tables = calibration::embedded_kernel_tables(device.evidence);
  const std::vector<ProcessInstance> instances = expand(scenario);
  assembly.occupancy = occupancy_of(scenario, device, instances);
  const std::size_t cpus =
      setup.cores.allowed.empty() ? setup.cores.online.size() : setup.cores.allowed.size();
  const WorkContext context{profile, device, tables, clocks, cpus};
  std::size_t contexts = 0, threads = 0;  // of processes on the GPU; of processes on the CPU
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (!assembly.occupancy.places[i].fits) continue;
    const std::size_t own = threads_of(scenario.processes[instances[i].entry], cpus);
    threads += own;
    contexts += own == 0 ? 1 : 0;
  }
  std::vector<process::Spec> specs;  // one an entry
  for (const ProcessEntry& entry : scenario.processes) {
    process::Spec spec;
    spec.runtime = runtime_of(entry);
    spec.sync = sync_of(entry.sync, entry.placement == Placement::cpu ? threads : contexts,
                        setup.cores.online.size());
    spec.batch = entry.batch;
    spec.arrivals = entry.arrivals;
    spec.static_graph = entry.static_graph;
    spec.setup = scenario.run.setup;
    spec.batches = scenario.run.batches;
    spec.cpus = entry.cpus;
    spec.nice = entry.nice;
    set_work(spec, entry, context);
    if (const auto network = network_of(entry)) set_tensors(spec, *network, *entry.precision);
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
