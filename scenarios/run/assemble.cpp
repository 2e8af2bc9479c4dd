#include "scenarios/run/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "input/hash.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/partition_points.hpp"
#include "models/memory/footprint.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/partitions.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/language_work.hpp"
#include "scenarios/run/power_setup.hpp"
#include "scenarios/run/process_work.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/shared_work.hpp"

namespace jostle::scenarios {
namespace {

// `automatic` follows the documentation of cudaDeviceScheduleAuto: spin while contexts ≤ CPUs, else yield.
// The same rule applies to the threads of processes that compute on the CPU.
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

constexpr double bound_bytes = 4;  // bytes per element: fp32, as trtexec binds (memory::footprint())

// The size of the input and output of a network, or of a part of it, for one image. A tensor between two
// parts is in the precision of the process.
struct Tensors {
  double read = 0, written = 0;  // bytes
};
Tensors tensors_of(const ProcessEntry& entry, const dnn::Network& network, double outer) {
  const memory::Bindings bound = memory::bindings(network);
  const auto inputs = static_cast<double>(bound.inputs), outputs = static_cast<double>(bound.outputs);
  if (!entry.work.layers) return {outer * inputs, outer * outputs};
  const double inner = dnn::bytes_per_element(*entry.work.precision);
  const dnn::PartShares part = part_shares(entry);
  return {outer * (part.reads_input ? inputs : 0) + inner * static_cast<double>(part.read),
          outer * part.outputs * outputs + inner * static_cast<double>(part.written)};
}

// Sets the bytes of the weights, which are fp32 in training, and, for runtimes that copy batches, the bytes
// copied to the device and back for one batch.
void set_tensors(process::Spec& spec, const ProcessEntry& entry, const dnn::Network& network) {
  const double weight = entry.work.training ? 4 : dnn::bytes_per_element(*entry.work.precision);
  spec.weights_bytes = weight * static_cast<double>(network.parameters());
  if (entry.work.layers) spec.weights_bytes *= part_shares(entry).parameters;
  if (!entry.host.transfers || !copies_batches(traits_of(entry.host.runtime))) return;
  const Tensors bound = tensors_of(entry, network, bound_bytes);
  spec.input_bytes = bound.read * static_cast<double>(spec.batch);
  spec.output_bytes = bound.written * static_cast<double>(spec.batch);
}

constexpr double text_bytes_per_token = 4;  // English text; assumed

// Bytes of a request for a batch: the images, or the tensor that the network or the part of it reads.
double payload_of(const Payload& payload, const ProcessEntry& entry) {
  const auto batch = static_cast<double>(entry.work.batch);
  if (entry.language) {
    const process::Length& prompt = entry.language->spec.prompt;
    const double positions = 0.5 * static_cast<double>(prompt.least + prompt.most);
    const auto images = static_cast<double>(entry.language->images);
    const double seen = images * language_model(entry.work.model)->vision.tokens;
    return (positions - seen) * text_bytes_per_token + images * payload.bytes;
  }
  if (!payload.tensor) return batch * payload.bytes;
  return batch * tensors_of(entry, *network_of(entry), dnn::bytes_per_element(*entry.work.precision)).read;
}

// The processor that decides the formats of a network in memory: `device`'s GPU, or its host's cores
// described as if they were a GPU.
gpu::Spec processor_of(const ProcessEntry& entry, const board::DeviceSpec& device) {
  if (entry.host.placement != Placement::cpu) return device.gpu;
  const dnn::HostRoofs& host = device.host[entry.host.runtime];
  gpu::Spec cores;
  cores.cuda_cores = {
      .fp32 = host.fp32_ops_per_clock, .fp16 = host.fp16_ops_per_clock, .int8 = host.int8_ops_per_clock};
  return cores;
}

memory::Footprint footprint_of_network(const ProcessEntry& part, const dnn::Network& network,
                                       const board::DeviceSpec& device) {
  std::optional<memory::Portion> portion;
  if (part.work.layers) {
    const Tensors bound = tensors_of(part, network, bound_bytes);
    portion = {part_shares(part).parameters, bound.read, bound.written};
  }
  return memory::footprint({.network = network,
                            .precision = *part.work.precision,
                            .batch = part.work.batch,
                            .lowering = traits_of(part.host.runtime).lowering,
                            .training = part.work.training,
                            .portion = portion},
                           processor_of(part, device), device.memory.page_bytes);
}

// The footprint of one part of a process. Its streams share one engine with its weights, as several TensorRT
// contexts of one engine do; each has its own activations and bound tensors.
memory::Footprint footprint_of_part(const ProcessEntry& part, std::int64_t streams,
                                    const board::DeviceSpec& device, SharedWork* shared) {
  if (part.language) return language_footprint(part, device.memory.unified || !device.has_gpu());
  const auto network = network_of(part);
  if (!network) return {};
  const auto make = [&] { return footprint_of_network(part, *network, device); };
  const auto identity = shared != nullptr ? identity_of(part, device) : std::nullopt;
  memory::Footprint held = identity ? shared->footprints.get(*identity, make) : make();
  held.arena *= static_cast<double>(streams);
  held.io *= static_cast<double>(streams);
  return held;
}

memory::Footprint footprint_of(const ProcessEntry& entry, const board::DeviceSpec& device,
                               SharedWork* shared) {
  memory::Footprint sum;
  for (const ProcessEntry& part : parts_of(entry)) {
    const memory::Footprint held = footprint_of_part(part, streams_of(entry, part), device, shared);
    sum.engine += held.engine;
    sum.arena += held.arena;
    sum.io += held.io;
  }
  return sum;
}

// The runtime whose costs an entry has: on the cores a language model's is their own.
Runtime runtime_of(const ProcessEntry& entry) {
  return entry.language && entry.host.placement == Placement::cpu ? Runtime::cpu : entry.host.runtime;
}

std::size_t instance_of(const ProcessEntry& entry) {
  return static_cast<std::size_t>(entry.gpu.mig.value_or(0));
}

// The requests that fit where each instance of the GPU has memory of its own.
memory::Occupancy occupancy_of_instances(const Scenario& scenario, const board::DeviceSpec& device,
                                         const std::vector<ProcessInstance>& instances,
                                         const std::vector<memory::Request>& requests) {
  memory::Occupancy all{.places = std::vector<memory::Place>(requests.size()),
                        .used_bytes = device.memory.system_bytes};
  for (std::size_t own = 0; own < scenario.mig.size(); ++own) {
    memory::Spec memory = device.memory;
    memory.capacity_bytes = gpu::find_instance(device.instances, scenario.mig[own])->memory_bytes;
    memory.system_bytes = 0;
    std::vector<memory::Request> asked;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (instance_of(scenario.processes[instances[i].entry]) != own) continue;
      asked.push_back(requests[i]);
      whose.push_back(i);
    }
    const memory::Occupancy part = memory::admit(memory, asked);
    all.used_bytes += part.used_bytes;
    all.gpu_bytes += part.gpu_bytes;
    all.rebooted = all.rebooted || part.rebooted;
    for (std::size_t i = 0; i < whose.size(); ++i) all.places[whose[i]] = part.places[i];
  }
  return all;
}

// The memory requests of all processes, and which of them fit.
memory::Occupancy occupancy_of(const Scenario& scenario, const board::DeviceSpec& device,
                               const std::vector<ProcessInstance>& instances, SharedWork* shared) {
  std::vector<memory::Request> entries, requests;
  for (const ProcessEntry& entry : scenario.processes) {
    const auto& context = device.contexts[runtime_of(entry)];
    entries.push_back({.context = context ? &*context : nullptr,
                       .network = footprint_of(entry, device, shared),
                       .limit_bytes = entry.gpu.mps_memory});
  }
  for (const ProcessInstance& instance : instances) requests.push_back(entries[instance.entry]);
  const bool own_memory =
      !scenario.mig.empty() && gpu::find_instance(device.instances, scenario.mig[0])->memory_bytes > 0;
  return own_memory ? occupancy_of_instances(scenario, device, instances, requests)
                    : memory::admit(device.memory, requests);
}

// The clocks: the scenario's values, or else the limits of the power mode, each at most the hardware's
// maximum.
board::Clocks clocks_of(const Scenario& scenario, const board::DeviceSpec& device,
                        const board::PowerMode* mode) {
  const auto limited = [](double most, std::optional<double> limit, std::optional<double> given) {
    return given ? std::min(*given, most) : limit ? std::min(*limit, most) : most;
  };
  const board::PowerMode limits = mode != nullptr ? *mode : board::PowerMode{};
  board::Clocks clocks = board::maximum_clocks(device);
  for (std::size_t i = 0; i < clocks.clusters_hz.size(); ++i) {
    const bool is_limited = i < limits.cpu_max_clock_hz.size();
    clocks.clusters_hz[i] =
        limited(clocks.clusters_hz[i], is_limited ? std::optional(limits.cpu_max_clock_hz[i]) : std::nullopt,
                scenario.clocks.cpu_hz);
  }
  clocks.gpu_hz = limited(clocks.gpu_hz, limits.gpu_max_clock_hz, scenario.clocks.gpu_hz);
  const bool lifted = scenario.jetson_clocks.value_or(false) && limits.jetson_clocks_lifts_emc;
  clocks.emc_hz =
      limited(clocks.emc_hz, lifted ? std::nullopt : limits.emc_max_clock_hz, scenario.clocks.emc_hz);
  clocks.dla_hz = limited(clocks.dla_hz, limits.dla_max_clock_hz, scenario.clocks.dla_hz);
  return clocks;
}

// The online cores, and those of them to which the scenario confines its processes.
cpu::Confinement confinement_of(const Scenario& scenario, const board::DeviceSpec& device,
                                const board::PowerMode* mode) {
  cpu::Confinement cores{.online = board::online_cpus(device, mode, scenario.clocks.cores),
                         .allowed = scenario.cpus};
  if (cores.allowed.empty()) cores.allowed = board::shared_cpus(device, cores.online);
  if (scenario.host_cores)
    cores.allowed.resize(std::min(static_cast<std::size_t>(*scenario.host_cores), cores.allowed.size()));
  return cores;
}

// Sizes of dynamic batches below `most` that have kernels of their own. A smaller batch runs as the next
// larger of them, which is at most a sixteenth larger.
std::vector<std::int64_t> batch_sizes(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  std::int64_t step = 1;
  for (std::int64_t size = 1; size < most; size += step) {
    sizes.push_back(size);
    if (size >= 16 * step * 2) step *= 2;
  }
  return sizes;
}

// Sets the work of a part of a process, and its arrivals. `spec` already has the settings of the process.
void set_part(process::Spec& spec, const ProcessEntry& part, const Scenario& scenario,
              const WorkContext& context) {
  spec.batch = part.work.batch;
  spec.arrivals = part.arrivals;
  spec.server = part.server;
  spec.priority = part.gpu.priority;
  const std::string precision = part.work.precision ? dnn::to_string(*part.work.precision) : "";
  // Libraries choose other kernels for another batch.
  spec.functions = static_cast<std::uint32_t>(
      input::fnv1a(fmt::format("{} {} {}", model_name(part.work.model), precision, part.work.batch)));
  set_work(spec, part, context);
  if (const auto network = network_of(part)) set_tensors(spec, part, *network);
  if (scenario.link) spec.payload_bytes = payload_of(scenario.link->payload, part);
  if (!part.arrivals.max_delay || std::holds_alternative<SyntheticModel>(part.work.model)) return;
  std::vector<process::SizedBatch> smaller;
  for (const std::int64_t size : batch_sizes(part.work.batch)) {
    ProcessEntry sized = part;
    sized.work.batch = size;
    process::Spec work;
    work.runtime = spec.runtime;
    work.static_graph = spec.static_graph;
    set_work(work, sized, context);
    smaller.push_back({size, std::move(work.kernels)});
  }
  spec.smaller = std::make_shared<const std::vector<process::SizedBatch>>(std::move(smaller));
}

// The pool is that of the provider for cores. Boards whose GPU has a memory of its own are taken for x86.
process::PoolSpec pool_of(const ProcessEntry& entry, const WorkContext& context) {
  return {.threads = static_cast<int>(*entry.host.threads) - 1,
          .spins = sim::milliseconds(context.device.memory.unified
                                         ? process::traits_of(Runtime::onnxruntime_cpu).spins_ms
                                         : process::spins_paused_ms)};
}

// The spec common to all processes of an entry, which differ only in names and sources of arrivals.
process::Spec process_of(const ProcessEntry& entry, const Scenario& scenario, const WorkContext& context) {
  process::Spec spec;
  spec.runtime = runtime_of(entry);
  spec.static_graph = entry.host.static_graph;
  // A change of a scenario may leave it with fewer streams.
  spec.host_threads = std::clamp(entry.host.host_threads, default_host_threads(entry), streams_of(entry));
  if (has_session_pool(entry)) spec.pool = pool_of(entry, context);
  spec.setup = scenario.run.setup;
  spec.batches = scenario.run.batches;
  spec.cpus = entry.host.cpus;
  spec.nice = entry.host.nice;
  spec.fifo = entry.host.fifo;
  spec.container = entry.host.container;
  spec.slice = entry.gpu.slice;
  spec.interleave = entry.gpu.interleave;
  spec.mps_threads = entry.gpu.mps_threads.value_or(1);
  spec.gpu_instance = instance_of(entry);
  const auto partitions = partitions_of(entry, context.device.gpu);
  if (entry.instances.empty()) {
    spec.streams = entry.gpu.streams;
    spec.partition = partitions.front();
    set_part(spec, entry, scenario, context);
    return spec;
  }
  std::vector<process::Spec> instances;
  gpu::Grade grade = gpu::Grade::measured;  // lowest grade of all instances
  for (const ProcessEntry& instance : entry.instances) {
    process::Spec& part = instances.emplace_back(spec);
    part.name = called(instance);
    part.streams = instance.count;
    part.partition = partitions[instances.size() - 1];
    set_part(part, instance, scenario, context);
    grade = std::max(grade, part.kernels->grade);
  }
  spec.kernels.edit().grade = grade;
  spec.instances = std::move(instances);
  return spec;
}

// Connects cascades: their requests come from all running processes of the source entry. `place` is the index
// in `setup` by process index; none if the process does not run.
void connect(board::Setup& setup, const Scenario& scenario,
             const std::vector<std::optional<std::size_t>>& place) {
  const std::vector<ProcessInstance> instances = expand(scenario);
  const auto sources_of = [&](const ProcessEntry& part) {
    std::vector<process::PartOf> sources;
    if (part.arrivals.kind != process::ArrivalKind::cascade) return sources;
    const std::vector<std::vector<PartId>> called = parts_named(scenario, part.arrivals.after);
    for (const PartId& named : called.front())
      for (const ProcessInstance& instance : instances)
        if (instance.entry == named.entry && place[instance.index])
          sources.push_back({*place[instance.index], named.part});
    return sources;
  };
  for (const ProcessInstance& instance : instances) {
    if (!place[instance.index]) continue;
    const std::span<const ProcessEntry> parts = parts_of(scenario.processes[instance.entry]);
    process::Spec& spec = setup.processes[*place[instance.index]];
    for (std::size_t part = 0; part < parts.size(); ++part)
      (spec.instances.empty() ? spec : spec.instances[part]).sources = sources_of(parts[part]);
  }
}

// The loads. Each has random numbers by its own name, so that other loads before it change nothing.
std::vector<process::LoadSpec> loads_of(const Scenario& scenario) {
  std::vector<process::LoadSpec> loads;
  std::map<std::string, int> alike;
  for (const LoadEntry& entry : scenario.loads) {
    const std::string name = entry.name.empty() ? std::string(process::row_of(entry.kind).name) : entry.name;
    loads.push_back({.name = name,
                     .kind = entry.kind,
                     .threads = entry.threads,
                     .bytes_per_s = entry.bandwidth,
                     .duty = entry.duty,
                     .cpus = entry.cpus,
                     .nice = entry.nice,
                     .fifo = entry.fifo,
                     .container = entry.container,
                     .random_name = fmt::format("load {} {}", name, alike[name]++)});
  }
  return loads;
}

// Sets the link, and the background loads that take cores and the GPU.
void set_surroundings(board::Setup& setup, const Scenario& scenario, const WorkContext& context) {
  if (const std::optional<Link>& link = scenario.link) {
    setup.link = {.bandwidth_bytes_per_s = link->bandwidth,
                  .rtt = link->rtt,
                  .jitter = link->jitter,
                  .loss = link->loss,
                  .energy_per_bit_j = link->energy_per_bit_j};
  }
  if (const auto& interrupts = scenario.interrupts)
    setup.interrupts = {interrupts->cpu, interrupts->load, interrupts->rate};
  if (const auto& compositor = scenario.compositor)
    setup.compositor = {.interval = sim::seconds(1 / compositor->rate),
                        .frame = frame_of(*compositor, context)};
}

// Sets when the processes begin whose threads, together with those that may run nowhere else either,
// outnumber the cores that they are confined to. Only there the order of starts lasts: the balance evens out
// what starts leave uneven on all cores, nothing is uneven where each thread has a core, and real-time
// threads are pushed to cores by their priority. A source of requests that could be kept from loading beyond
// the warm-up, by priorities or quotas, begins at once: requests, not its loading, are what it waits for.
void set_starts(board::Setup& setup, const Scenario& scenario, std::size_t all_cores) {
  if (scenario.run.start == Start::together || scenario.run.setup || scenario.run.batches) return;
  struct Threads {
    const std::vector<int>* cpus;
    std::int64_t count;
  };
  const auto mask_of = [&](const std::vector<int>& own) { return own.empty() ? &setup.cores.allowed : &own; };
  std::vector<Threads> all;
  bool equal = true;
  const auto add = [&](const auto& spec, std::int64_t threads) {
    all.push_back({mask_of(spec.cpus), threads});
    equal = equal && spec.nice == 0 && spec.fifo == 0 && !spec.container;
  };
  for (const process::Spec& spec : setup.processes)
    add(spec, std::max<std::int64_t>(spec.host.threads, spec.host_threads * (1 + spec.pool.threads)));
  for (const process::LoadSpec& load : setup.loads) add(load, load.duty > 0 ? load.threads : 0);
  for (std::size_t i = 0; i < setup.processes.size(); ++i) {
    process::Spec& spec = setup.processes[i];
    const bool loops =
        std::ranges::all_of(process::parts_of(std::as_const(spec)),
                            [](const process::Spec& part) { return part.arrivals.closed_loop(); });
    if ((!loops && !equal) || spec.fifo > 0) continue;
    const std::vector<int>& cpus = *all[i].cpus;
    if (cpus.size() >= all_cores) continue;
    std::int64_t count = 0;
    for (const Threads& threads : all)
      if (std::ranges::includes(cpus, *threads.cpus)) count += threads.count;
    const auto cores = static_cast<std::int64_t>(cpus.size());
    if (count <= cores) continue;
    spec.start = sim::milliseconds(4) * ((count + cores - 1) / cores) + sim::milliseconds(16);
  }
}

struct Counts {
  std::size_t contexts = 0;  // contexts on the GPU
  std::size_t threads = 0;   // threads of processes on the CPU
  std::size_t all = 0;       // threads of all that runs
};

// The number of what fits on the board, with `cpus` cores for it.
Counts counted(const Scenario& scenario, const std::vector<ProcessInstance>& instances,
               const memory::Occupancy& occupancy, std::size_t cpus) {
  Counts found;
  for (const LoadEntry& load : scenario.loads) found.all += static_cast<std::size_t>(load.threads);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (!occupancy.places[i].fits) continue;
    const ProcessEntry& entry = scenario.processes[instances[i].entry];
    const std::size_t own = threads_of(entry, cpus);
    found.threads += own;
    found.contexts += own == 0 ? 1 : 0;
    const int helpers = entry.language ? offload_threads(entry, cpus) : 0;
    const std::int64_t pooled = has_session_pool(entry) ? *entry.host.threads : 1;
    found.all += std::max({own, static_cast<std::size_t>(helpers), static_cast<std::size_t>(pooled)});
  }
  return found;
}

void set_options(board::Setup& setup, const Scenario& scenario) {
  setup.seed = scenario.run.seed;
  setup.observed = scenario.observer == Observer::nsys;
  setup.sharing = scenario.sharing;
  // A distribution over short windows shows single kernels.
  setup.every_kernel = scenario.run.every_kernel || scenario.gpu_metrics.has_value();
}

// Divides the GPU into instances. Returns the board as processes in each of them see it.
std::vector<board::DeviceSpec> divided(board::Setup& setup, const Scenario& scenario,
                                       const board::DeviceSpec& device) {
  std::vector<board::DeviceSpec> parts(scenario.mig.size(), device);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].gpu = gpu::instance_of(device.gpu, device.instances,
                                    *gpu::find_instance(device.instances, scenario.mig[i]));
    setup.instances.push_back(parts[i].gpu);
  }
  return parts;
}

}  // namespace

Assembly assemble(const Scenario& scenario, const profiles::Profile& profile, SharedWork* shared) {
  Assembly assembly{.device = *profile.spec, .setup = {}, .dvfs = {}, .occupancy = {}, .grades = {}};
  board::DeviceSpec& device = assembly.device;
  board::Setup& setup = assembly.setup;
  set_options(setup, scenario);
  const std::optional<board::PowerMode> limits = power_mode_of(scenario, device);
  const board::PowerMode* const mode = limits ? &*limits : nullptr;
  setup.cores = confinement_of(scenario, device, mode);
  const board::Clocks clocks = clocks_of(scenario, device, mode);
  setup.clocks = clocks;
  if (scenario.jetson_clocks.value_or(false)) device.cpu->idle_state.reset();  // it disables idle states
  assembly.dvfs = dvfs_of(scenario, device, mode, clocks);
  setup.memory_bytes_per_s = board::memory_capacity(device, clocks.emc_hz);
  if (mode != nullptr && mode->tpcs) {
    const int sms = *mode->tpcs * device.gpu.sms_per_tpc;
    device.gpu = gpu::with_sms(std::move(device.gpu), sms);
  }

  const std::vector<ProcessInstance> instances = expand(scenario);
  assembly.occupancy = occupancy_of(scenario, device, instances, shared);
  const std::size_t cpus = setup.cores.allowed.size();
  const Counts count = counted(scenario, instances, assembly.occupancy, cpus);
  const auto context_on = [&](const board::DeviceSpec& board) {
    return WorkContext{profile, board, clocks, cpus, count.all > cpus, shared, &board != &device};
  };
  const std::vector<board::DeviceSpec> parts = divided(setup, scenario, device);
  if (count.contexts > 0 && device.power && device.power->gpu.held_awake) device.power->gpu.gated_after_s = 0;
  std::vector<process::Spec> specs;  // one per entry
  for (const ProcessEntry& entry : scenario.processes) {
    process::Spec spec =
        process_of(entry, scenario, context_on(parts.empty() ? device : parts[instance_of(entry)]));
    // The threads of llama.cpp spin at their barriers however many they are (ggml_barrier()).
    const std::size_t waiting = entry.host.placement != Placement::cpu ? count.contexts
                                : entry.language                       ? 0
                                                                       : count.threads;
    spec.sync = sync_of(entry.host.sync, waiting, setup.cores.online.size());
    for (process::Spec& instance : spec.instances) instance.sync = spec.sync;
    assembly.grades.push_back(spec.kernels->grade);
    specs.push_back(std::move(spec));
  }
  set_surroundings(setup, scenario, context_on(device));
  const std::vector<Draws> draws = draws_of(scenario);
  std::uint32_t nth = 0;  // index of the process within its entry
  std::vector<std::optional<std::size_t>> place(instances.size());
  for (const ProcessInstance& instance : instances) {
    nth = instance.index > 0 && instances[instance.index - 1].entry == instance.entry ? nth + 1 : 0;
    if (assembly.occupancy.rebooted || !assembly.occupancy.places[instance.index].fits) continue;
    const ProcessEntry& entry = scenario.processes[instance.entry];
    process::Spec spec = specs[instance.entry];
    const auto& [drawn_as, first] = draws[instance.entry];
    spec.random_name = fmt::format("{} {}", drawn_as, first + nth);
    spec.name = entry.name.empty() ? fmt::format("{} {}", model_name(entry), instance.index) : entry.name;
    place[instance.index] = setup.processes.size();
    setup.processes.push_back(std::move(spec));
  }
  connect(setup, scenario, place);
  if (!assembly.occupancy.rebooted) setup.loads = loads_of(scenario);
  set_starts(setup, scenario, board::shared_cpus(device, setup.cores.online).size());
  return assembly;
}

}  // namespace jostle::scenarios
