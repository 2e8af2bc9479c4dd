#include "scenarios/run/process_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dla/partition.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/roofline.hpp"
#include "models/gpu/clocks.hpp"
#include "models/gpu/occupancy.hpp"
#include "models/process/costs.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "profiles/tables/stage_costs.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/language_work.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/shared_work.hpp"
#include "sim/math.hpp"

namespace jostle::scenarios {

std::vector<dnn::FusedLayer> layers_of(const ProcessEntry& entry, dnn::Lowering lowering) {
  const std::shared_ptr<const dnn::Network> network = network_of(entry);
  if (!network) throw RunError(fmt::format("{} is not a network", model_name(entry.work.model)));
  return dnn::fuse(*network, lowering);
}

dnn::PartShares part_shares(const ProcessEntry& entry) {
  const auto [first, end] = entry.work.layers.value();
  return dnn::shares_of(layers_of(entry, dnn::Lowering::optimised), first, end - first);
}

namespace {

using dnn::Lowering;

// The kernels of a synthetic model.
gpu::KernelSequence synthetic_kernels(const SyntheticModel& model, const gpu::Spec& gpu) {
  gpu::KernelSequence sequence;
  gpu::Kernel kernel;
  kernel.duration = model.duration;
  kernel.blocks = model.blocks;
  kernel.threads_per_block = model.threads;
  kernel.dram_bytes = static_cast<float>(model.bytes);
  if (model.bytes > 0) {
    kernel.compute_share = 0;
    kernel.memory_share = 1;
  }
  gpu::fill_residency(gpu, kernel);
  kernel.issue_slot = static_cast<float>(model.pipes) * kernel.sm_active;
  sequence.kernels.assign(static_cast<std::size_t>(model.kernels), kernel);
  gpu::note_same_functions(sequence.kernels);
  sequence.rebuild_finish();
  sequence.grade = gpu::Grade::measured;  // exact by definition
  sequence.provenance = "synthetic";
  return sequence;
}

// The way in which fp16 runs. `own`: with kernels of its own at the GPU's speed. If the framework has no fast
// fp16 kernels, `from_single`: with the kernels of fp32, on half the bytes; and in training, where not all is
// fp16, `slowed`: with its own kernels, slowed down.
enum class Half { own, from_single, slowed };

// Factors of the runtime on the speed of a kernel's arithmetic and of its memory traffic, which act as
// different clocks would.
struct Pace {
  double compute = 1, memory = 1;
};

// The GPU of which the process may have an instance.
const gpu::Spec& whole_gpu(const WorkContext& context) {
  return context.instance ? context.profile.spec->gpu : context.device.gpu;
}

// Scales kernels to this board, at the present clocks and `pace`.
gpu::KernelSequence placed(gpu::KernelSequence kernels, const WorkContext& context, const Pace& pace) {
  const board::DeviceSpec& device = context.device;
  const board::Clocks& clocks = context.clocks;
  const double most = device.gpu.max_clock_hz;
  kernels = gpu::at_clocks(std::move(kernels),
                           {.clock = pace.compute * device.what_if.arithmetic, .memory = pace.memory});
  return gpu::at_clocks(std::move(kernels),
                        {.clock = clocks.gpu_hz / most,
                         .memory = board::memory_speed(device, clocks.gpu_hz, clocks.emc_hz),
                         .droop = gpu::droop_at(device.gpu.droop, most)});
}

Pace pace_of(const process::RuntimeSpec& runtime, const process::Spec& spec, Half half,
             const gpu::Spec& gpu) {
  Pace pace;
  if (half == Half::from_single) pace = {*runtime.fp16_of_fp32, 2};  // half the bytes
  if (half == Half::slowed)
    pace.compute = *runtime.fp16_of_fp32 * dnn::path_for(gpu, Precision::fp32).ops_per_clock /
                   dnn::path_for(gpu, Precision::fp16).ops_per_clock;
  if (spec.static_graph && runtime.static_graph) pace.compute /= runtime.static_graph->compute;
  return pace;
}

// The kernels of some layers of a network. They deviate from the roofline by the same factor as the whole
// network does. Their input is reformatted first, as the network's input is.
gpu::KernelSequence part_of(const gpu::KernelSequence& whole, const ProcessEntry& entry,
                            const dnn::Request& request, const gpu::Spec& gpu) {
  const std::vector<dnn::FusedLayer> layers = layers_of(entry, request.lowering);
  const auto [first, end] = *entry.work.layers;
  const auto roofs = [&](std::span<const dnn::FusedLayer> some) {
    return dnn::roofline(some, request.batch, request.precision, request.lowering, gpu);
  };
  gpu::KernelSequence part = roofs(dnn::part_of(layers, first, end - first));
  dnn::scale_durations(part, sim::to_seconds(whole.total()) / sim::to_seconds(roofs(layers).total()));
  const double share = static_cast<double>(part.kernels.size()) /
                       static_cast<double>(std::max<std::size_t>(1, whole.kernels.size()));
  part.operators = {share * whole.operators.launching, share * whole.operators.views};
  part.grade = std::max(whole.grade, gpu::Grade::fitted);  // a part was not measured, even if the whole was
  part.provenance = fmt::format("{}; layers {} to {} of {}", whole.provenance, first, end, layers.size());
  return part;
}

Half half_of(const process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  if (entry.work.precision != Precision::fp16 || !context.device.runtimes[spec.runtime]->fp16_of_fp32)
    return Half::own;
  return entry.work.training ? Half::slowed : Half::from_single;
}

dnn::Request request_of(const process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const bool single = half_of(spec, entry, context) == Half::from_single;
  return {.model = network_name(entry.work.model),
          .precision = single ? Precision::fp32 : *entry.work.precision,
          .batch = entry.work.batch,
          .lowering = traits_of(spec.runtime).lowering,
          .input = static_cast<int>(entry.work.input.value_or(0)),
          .chip = dnn::Chip::of(context.profile.spec->gpu),
          .network = network_of_file(entry.work.model),
          .training = entry.work.training,
          .replayed = spec.runtime == process::Runtime::cuda_graph,
          .gpu_hz = context.clocks.gpu_hz};
}

// Side of the images, or tokens of a sequence.
int input_of(const dnn::Request& request) {
  const dnn::Model* const built_in = request.network == nullptr ? dnn::find_model(request.model) : nullptr;
  return request.input > 0 || built_in == nullptr ? request.input : built_in->default_input;
}

// The measurements of the network that is requested, and of others.
const dnn::KernelTables& tables_for(const dnn::Request& request, const WorkContext& context) {
  return profiles::kernel_tables_for(context.device.evidence, context.device.sibling,
                                     {request.model, request.precision, request.batch, input_of(request)});
}

gpu::KernelSequence kernels_of(const process::Spec& spec, const ProcessEntry& entry,
                               const WorkContext& context) {
  // Tables were measured with the tensor cores that a precision uses, and on all of the GPU.
  const bool measured =
      entry.host.placement != Placement::cuda_only || entry.work.precision == Precision::fp32;
  const dnn::Request request = request_of(spec, entry, context);
  const dnn::KernelTables none;
  const dnn::KernelTables& tables = measured ? tables_for(request, context) : none;
  const dnn::MeasuredNetwork* const known = tables.find(request.model, request.precision, input_of(request));
  const bool on_whole = context.instance && known != nullptr;
  gpu::Spec gpu = on_whole ? context.profile.spec->gpu : context.device.gpu;
  if (entry.host.placement == Placement::cuda_only) gpu.tensor_cores = {};
  if (spec.static_graph) gpu.kernels.heuristic_algorithm_efficiency = 1;  // the set-up tried the algorithms
  const process::RuntimeSpec& runtime = context.device.runtimes[spec.runtime].value();
  gpu.kernel_fixed = std::min(gpu.kernel_fixed, runtime.kernel_start.value_or(gpu.kernel_fixed));
  gpu::KernelSequence kernels = dnn::kernels_for(request, tables, gpu, context.profile.factors);
  if (on_whole) kernels = on_own_part(std::move(kernels), context);
  if (entry.work.layers) kernels = part_of(kernels, entry, request, gpu);
  // Own tables and rates hold the gaps of their own session, and computed kernels those of the law's.
  if (known != nullptr && !known->batches.empty() && !tables.own)
    kernels.lone_gap += runtime.gap_beyond_tables * static_cast<std::int64_t>(kernels.kernels.size());
  kernels.lone_gap = sim::work_in(kernels.lone_gap, runtime.replay_gaps);
  return placed(std::move(kernels), context, pace_of(runtime, spec, half_of(spec, entry, context), gpu));
}

// The host's time for a batch over the runtime's own, from one's own rates of the network alone or its trace.
// Rates that ship do not count: their sessions differ by more than networks do (with them the totals of the
// H200's CPU-bound processes would be 13 % off, without them 4 %).
double host_time_of(const process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  if (spec.runtime != process::Runtime::eager || entry.work.training || entry.work.layers) return 1;
  const process::RuntimeSpec& runtime = context.device.runtimes[spec.runtime].value();
  const dnn::Request request = request_of(spec, entry, context);
  const dnn::KernelTables& tables = tables_for(request, context);
  const dnn::MeasuredNetwork* const known = tables.find(request.model, request.precision, input_of(request));
  if (known == nullptr || !tables.own) return 1;
  const auto launches = static_cast<std::int64_t>(spec.kernels->kernels.size());
  const sim::Duration modelled =
      runtime.per_batch + runtime.per_launch * launches + process::operators_time(runtime, *spec.kernels);
  if (modelled <= sim::Duration::zero()) return 1;
  if (const auto host = dnn::host_time(*known, entry.work.batch,
                                       spec.kernels->total() + runtime.gpu_per_launch * launches)) {
    const double ratio = sim::to_seconds(*host) / sim::to_seconds(modelled) / runtime.host_time;
    return runtime.rate_weight == 1 ? ratio : sim::exp(runtime.rate_weight * sim::log(ratio));
  }
  // A trace tells it where the operators' costs are not known.
  const dnn::MeasuredBatch* const counted = dnn::counted_near(*known, entry.work.batch);
  const bool traced = counted != nullptr && counted->host > sim::Duration::zero() &&
                      runtime.per_operator == sim::Duration::zero();
  return traced ? sim::to_seconds(counted->host) / sim::to_seconds(modelled) : 1;
}

void set_kernels(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const auto make = [&] { return gpu::SharedKernels(kernels_of(spec, entry, context)); };
  const auto identity = context.shared != nullptr ? identity_of(entry, context.device) : std::nullopt;
  if (!identity) {
    spec.kernels = make();
    return;
  }
  spec.kernels = context.shared->kernels.get(
      fmt::format("{} {} {} {} {}", *identity, to_string(spec.runtime), spec.static_graph,
                  context.clocks.gpu_hz, context.clocks.emc_hz),
      make);
}

// Adds conversions by the GPU: callers hold images and results in fp32, and a DLA has formats of its own.
void add_reformats(std::vector<process::Segment>& segments, std::span<const dnn::FusedLayer> layers,
                   const ProcessEntry& entry, const WorkContext& context) {
  const auto reformat = [&](std::int64_t elements) {
    process::Segment segment;
    segment.kernels =
        placed(dnn::reformat(elements, entry.work.batch, *entry.work.precision, context.device.gpu), context);
    return segment;
  };
  std::int64_t in = 0, out = 0;
  for (const dnn::FusedLayer& layer : layers) {
    if (layer.inputs.empty()) in += layer.in.elements();
    if (layer.last) out += layer.out.elements();
  }
  if (segments.back().on_dla) segments.push_back(reformat(out));
  if (segments.front().on_dla) segments.insert(segments.begin(), reformat(in));
}

// Adds what passes work between the engines: the GPU reformats and signals, and is busy meanwhile. By
// tegrastats resnet50 on a DLA of AGX Orin keeps the GPU busy for 0.20 ms an inference
// (published/yyshin-katech.csv).
void add_borders(std::vector<process::Segment>& segments, sim::Duration border) {
  if (border == sim::Duration::zero()) return;
  const gpu::Kernel passing{.duration = border, .compute_share = 0, .fixed_share = 1};
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const bool to_dla = segments[i].on_dla;
    if (segments[i - 1].on_dla == to_dla) continue;
    gpu::KernelSequence& sequence = segments[to_dla ? i - 1 : i].kernels.edit();
    sequence.kernels.insert(to_dla ? sequence.kernels.end() : sequence.kernels.begin(), passing);
    sequence.rebuild_finish();
  }
}

void set_segments(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const gpu::Spec& gpu = context.device.gpu;
  const std::vector<dnn::FusedLayer> layers = dla::by_engine(layers_of(entry, Lowering::optimised));
  spec.dla = entry.host.placement == Placement::dla1 ? 1 : 0;
  std::size_t on_dla = 0;
  for (const dla::Subgraph& subgraph : dla::partition(layers)) {
    std::vector<dnn::FusedLayer> part = dnn::part_of(layers, subgraph.first, subgraph.count);
    part.back().last = true;  // the DLA and the GPU have different tensor formats
    process::Segment& segment = spec.segments.emplace_back();
    segment.on_dla = subgraph.on_dla;
    if (subgraph.on_dla) {
      const double memory = context.device.what_if.memory *
                            memory::relative_bandwidth(context.device.memory, context.clocks.emc_hz);
      segment.task = dla::task_of(part, entry.work.batch, *entry.work.precision, context.device.dla,
                                  {context.clocks.dla_hz, memory});
      on_dla += subgraph.count;
    } else {
      segment.kernels = placed(
          dnn::roofline(part, entry.work.batch, *entry.work.precision, Lowering::optimised, gpu), context);
    }
  }
  add_reformats(spec.segments, layers, entry, context);
  add_borders(spec.segments, context.device.dla.border);
  gpu::KernelSequence& kernels = spec.kernels.edit();
  kernels.grade =
      grade_of(context.profile, fmt::format("dla.efficiency.{}", to_string(*entry.work.precision)));
  kernels.provenance = fmt::format("{} of {} layers on {}, in {} pieces", on_dla, layers.size(),
                                   to_string(entry.host.placement), spec.segments.size());
}

// Sets what the threads of a network lose to others: bandwidth, and the cache that a cluster shares.
void share_memory(process::HostWork& host, std::span<const dnn::FusedLayer> layers, const ProcessEntry& entry,
                  dnn::HostRoofs roofs, const WorkContext& context) {
  const auto& clusters = context.device.cpu->clusters;
  const cpu::ClusterSpec& fast = *std::ranges::max_element(clusters, {}, &cpu::ClusterSpec::capacity);
  if (roofs.cache_bytes == 0) roofs.cache_bytes = fast.shared_cache_bytes;
  roofs.own_cache_bytes = fast.cache_bytes;
  const dnn::HostTeam team = team_of(host.threads, context);
  const dnn::HostDemand demand = dnn::host_demand(layers, entry.work.batch, *entry.work.precision,
                                                  traits_of(entry.host.runtime).library, roofs, team);
  const sim::Duration work = std::accumulate(host.layers.begin(), host.layers.end(), sim::Duration::zero());
  host.traffic = traffic_of(demand.far_bytes, work, roofs.bandwidth_bytes_per_s, team);
  host.cached_bytes = std::floor(std::min(demand.held_bytes, fast.shared_cache_bytes) / host.threads);
  if (host.traffic.bytes_per_s <= 0) return;
  const double batch_s = demand.far_bytes / (host.traffic.bytes_per_s * host.threads);
  host.traffic.uncached_time = 1 + std::max(0.0, demand.lost_seconds - demand.seconds) / batch_s;
  host.traffic.uncached_bytes = std::max(1.0, demand.lost_bytes / demand.far_bytes);
}

void set_host_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const board::DeviceSpec& device = context.device;
  dnn::HostRoofs roofs = device.host[entry.host.runtime];
  roofs.bandwidth_bytes_per_s *= device.what_if.memory;
  roofs.core_bandwidth_bytes_per_s *= device.cpu->what_if;
  spec.host.threads = static_cast<int>(threads_of(entry, context.cpus));
  spec.host.crowded = crowded(spec.host.threads, entry, context);
  const dnn::HostLibrary& library = traits_of(entry.host.runtime).library;
  const std::vector<dnn::FusedLayer> layers = layers_of(entry, library.lowering);
  const dnn::HostTeam team = team_of(spec.host.threads, context);
  spec.host.layers = dnn::host_layers(layers, entry.work.batch, *entry.work.precision, library, roofs, team);
  share_memory(spec.host, layers, entry, roofs, context);
  gpu::KernelSequence& kernels = spec.kernels.edit();
  kernels.grade = grade_of(context.profile,
                           fmt::format("runtimes.{}.efficiency", profile_key(traits_of(entry.host.runtime))));
  kernels.provenance = fmt::format("{} threads, computed in {}", spec.host.threads,
                                   dnn::to_string(dnn::host_precision(roofs, *entry.work.precision)));
}

// One kernel that fills the GPU for `time`, bound by arithmetic.
gpu::Kernel filling_kernel(sim::Duration time, const gpu::Spec& gpu) {
  gpu::Kernel kernel;
  kernel.duration = time;
  kernel.blocks = static_cast<std::uint32_t>(gpu.sm_count);
  kernel.threads_per_block = 256;
  gpu::fill_residency(gpu, kernel);
  return kernel;
}

// The same of a time on the whole GPU, on what the process has of it.
gpu::Kernel filling_on_part(sim::Duration time, const WorkContext& context) {
  gpu::KernelSequence one;
  one.kernels.push_back(filling_kernel(time, whole_gpu(context)));
  return on_own_part(std::move(one), context).kernels.front();
}

// A kernel that fills the GPU and moves `bytes`, bound by memory.
gpu::Kernel moving_kernel(double bytes, const gpu::Spec& gpu) {
  gpu::Kernel kernel = filling_kernel(
      sim::seconds(bytes / gpu::reachable_bandwidth(gpu, gpu.max_clock_hz,
                                                    gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency)),
      gpu);
  kernel.dram_bytes = static_cast<float>(bytes);
  kernel.compute_share = 0;
  kernel.memory_share = 1;
  return kernel;
}

// The time of a stage per image, on the host in reference time or on its engine.
sim::Duration time_of_stage(const Stage& stage, const board::DeviceSpec& device) {
  if (stage.width > 0) {
    const double pixels = static_cast<double>(stage.width) * static_cast<double>(stage.height);
    return sim::seconds(pixels / (stage.rate * device.engines.pixels_per_s[media::index_of(*stage.engine)]));
  }
  if (stage.cycles <= 0) return stage.time;
  const auto reference = std::ranges::find(device.cpu->clusters, 1024, &cpu::ClusterSpec::capacity);
  const double per_clock = profiles::instructions_per_clock(reference->name);
  return sim::seconds(stage.cycles / (device.cpu->reference_clock_hz * per_clock));
}

// Sets the stages: those of the host and of engines become work around a batch, those of the GPU become
// kernels around the network's.
void set_stages(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  gpu::KernelSequence first, last;
  const auto batch = static_cast<double>(entry.work.batch);
  spec.overlap = entry.around.overlap;
  const auto divide = [&](const std::vector<Stage>& stages, std::vector<process::HostStage>& host,
                          gpu::KernelSequence& kernels) {
    const std::int64_t usual = &stages == &entry.around.before ? entry.arrivals.streams : 1;
    for (const Stage& stage : stages) {
      if (stage.on_gpu)
        kernels.kernels.push_back(
            stage.bytes > 0
                ? moving_kernel(stage.bytes * batch * static_cast<double>(stage.times), context.device.gpu)
                : filling_on_part(stage.time * (entry.work.batch * stage.times), context));
      else
        host.push_back({.name = stage.name,
                        .work = time_of_stage(stage, context.device) * (entry.work.batch * stage.times),
                        .engine = stage.engine,
                        .threads = static_cast<int>(stage.threads > 0 ? stage.threads : usual),
                        .grade = stage.grade,
                        .source = stage.source});
    }
    kernels.rebuild_finish();
    kernels = placed(std::move(kernels), context);
  };
  divide(entry.around.before, spec.before, first);
  divide(entry.around.after, spec.after, last);
  if (first.kernels.empty() && last.kernels.empty()) return;
  auto& kernels = spec.kernels.edit().kernels;
  kernels.insert(kernels.begin(), first.kernels.begin(), first.kernels.end());
  kernels.insert(kernels.end(), last.kernels.begin(), last.kernels.end());
  spec.kernels.edit().rebuild_finish();
}

}  // namespace

gpu::Grade grade_of(const profiles::Profile& profile, std::string_view path) {
  for (const profiles::ProfileParameter& parameter : profile.figures) {
    if (parameter.path != path) continue;
    const bool fitted = parameter.from.grade == profiles::ParameterGrade::fitted ||
                        parameter.from.grade == profiles::ParameterGrade::measured;
    return fitted ? gpu::Grade::fitted : gpu::Grade::datasheet;
  }
  return gpu::Grade::datasheet;
}

gpu::KernelSequence on_own_part(gpu::KernelSequence kernels, const WorkContext& context) {
  if (!context.instance) return kernels;
  return gpu::on_instance(std::move(kernels), context.profile.spec->gpu, context.device.gpu);
}

gpu::KernelSequence placed(gpu::KernelSequence kernels, const WorkContext& context) {
  return placed(std::move(kernels), context, Pace{});
}

std::optional<std::string> identity_of(const ProcessEntry& entry, const board::DeviceSpec& device) {
  if (network_of_file(entry.work.model) != nullptr) return std::nullopt;
  const auto [first, end] = entry.work.layers.value_or(LayerRange{});
  return fmt::format("{} {} {} {} {} {} {} {}-{} {} {}", network_name(entry.work.model),
                     to_string(*entry.work.precision), entry.work.batch, to_string(entry.host.runtime),
                     to_string(entry.host.placement), entry.work.input.value_or(0), entry.work.training,
                     first, end, device.gpu.sm_count, device.gpu.l2_bytes);
}

gpu::KernelSequence frame_of(const DesktopCompositor& compositor, const WorkContext& context) {
  gpu::KernelSequence frame;
  frame.kernels.push_back(filling_kernel(compositor.time, context.device.gpu));
  frame.rebuild_finish();
  return placed(std::move(frame), context);
}

dnn::HostTeam team_of(int threads, const WorkContext& context) {
  return {.threads = threads,
          .reference_clock_hz = context.device.cpu->reference_clock_hz,
          .clock_hz = *std::ranges::max_element(context.clocks.clusters_hz) * context.device.cpu->what_if};
}

process::HostTraffic traffic_of(double bytes, sim::Duration work, double bandwidth,
                                const dnn::HostTeam& team) {
  const double seconds = sim::to_seconds(work) * team.reference_clock_hz / team.clock_hz;
  if (seconds <= 0) return {};
  return {.bytes_per_s = bytes / seconds / team.threads, .bound = std::min(bytes / bandwidth / seconds, 1.0)};
}

bool crowded(int threads, const ProcessEntry& entry, const WorkContext& context) {
  const auto& cpus = entry.host.cpus;
  const auto cores = static_cast<int>(cpus.empty() ? context.cpus : cpus.size());
  const auto& container = entry.host.container;
  return context.crowded || threads > cores || (container && container->cpus && threads > *container->cpus);
}

std::size_t threads_of(const ProcessEntry& entry, std::size_t cpus) {
  if (entry.host.placement != Placement::cpu) return 0;
  if (entry.host.threads) return static_cast<std::size_t>(*entry.host.threads);
  return entry.host.cpus.empty() ? cpus : entry.host.cpus.size();
}

void set_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  if (entry.language) return set_generation(spec, entry, context);
  if (const auto* synthetic = std::get_if<SyntheticModel>(&entry.work.model)) {
    spec.kernels = on_own_part(synthetic_kernels(*synthetic, whole_gpu(context)), context);
    spec.pace = synthetic->pace;
    set_stages(spec, entry, context);
    return;
  }
  try {
    switch (entry.host.placement) {
      case Placement::gpu:
      case Placement::cuda_only:
        set_kernels(spec, entry, context);
        spec.host_time = host_time_of(spec, entry, context);
        break;
      case Placement::dla0:
      case Placement::dla1:
        set_segments(spec, entry, context);
        break;
      case Placement::cpu:
        set_host_work(spec, entry, context);
        break;
    }
    set_stages(spec, entry, context);
  } catch (const std::invalid_argument& error) {
    throw RunError(error.what());
  }
}

}  // namespace jostle::scenarios
