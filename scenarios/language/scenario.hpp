// A scenario: the board, its state, the processes that run on it, and for how long.
//
// Plain data, as read and checked by scenarios/language/load.hpp; every default is filled in. Clocks in Hz,
// bandwidth in bytes/s, power in W, temperature in degC, shares from 0 to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "models/cpu/container_spec.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/runlist.hpp"
#include "models/gpu/sharing.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"
#include "models/media/spec.hpp"
#include "models/process/arrival_spec.hpp"
#include "models/process/co_runner.hpp"
#include "models/process/generation_spec.hpp"
#include "models/process/runtimes.hpp"
#include "models/process/spec.hpp"
#include "scenarios/language/link.hpp"
#include "scenarios/language/objective.hpp"
#include "sim/time.hpp"

namespace jostle::profiles {
struct NvpFile;
struct OnnxNetwork;
}  // namespace jostle::profiles

namespace jostle::dnn {
class Network;
}

namespace jostle::scenarios {

using dnn::Precision;
using process::Runtime;
using process::RuntimeKind;
enum class Sync {
  spin,
  yield,
  blocking,
  automatic
};  // automatic: spin while contexts <= online CPUs, else yield
enum class Placement { gpu, cuda_only, dla0, dla1, cpu };
enum class Observer { none, nsys };

// True if kernels of the process itself run on the GPU.
[[nodiscard]] constexpr bool on_gpu(Placement placement) {
  return placement == Placement::gpu || placement == Placement::cuda_only;
}

[[nodiscard]] Sync default_sync(Runtime runtime);

[[nodiscard]] const char* to_string(Sync value);  // the name used in a scenario
[[nodiscard]] const char* to_string(Placement value);
[[nodiscard]] const char* to_string(Observer value);
[[nodiscard]] const char* to_string(gpu::Priority value);
[[nodiscard]] const char* to_string(process::Drop value);
[[nodiscard]] const char* to_string(process::FanOutKind value);

// A network or a language model that is built into jostle.
struct BuiltInModel {
  std::string name;
};
struct OnnxModel {
  std::string path;      // path as written in the scenario
  std::string resolved;  // path relative to the working directory
  std::shared_ptr<const profiles::OnnxNetwork> file =
      nullptr;  // content of the file; not null in a checked scenario
  // Batch norms that the file has folded into convolutions run as operators of their own, or not
  // (batch_norm); absent: where PyTorch runs it, if the file's names tell them. `file` holds them then.
  std::optional<bool> separate_norms = std::nullopt;
};
// A language model whose shapes are in a config.json of Hugging Face.
struct ConfigModel {
  std::string path;  // path as written in the scenario
  llm::Architecture of;
  std::uint64_t hash = 0;  // hash of the file's text
};
// Synthetic work in place of a network: equal kernels that each move `bytes`, or spin for a fixed number of
// clock cycles.
struct SyntheticModel {
  std::int64_t kernels = 0;  // number of kernels per batch
  sim::Duration duration;    // duration of one kernel alone on the GPU
  std::uint32_t blocks = 1, threads = 128;
  std::optional<sim::Duration> pace;  // host time from one launch to the next
  double bytes = 0;  // bytes of DRAM traffic per kernel, which bounds its time; 0: the kernel spins
  double pipes = 0;  // share of the pipes of the SMs that it keeps busy while all its blocks run
};
// Dense products in place of a network: `layers` of them, width x width by width x batch.
struct ProductsModel {
  std::int64_t width = 0, layers = 1;
  std::shared_ptr<const dnn::Network> network = nullptr;  // not null in a checked scenario
};
using Model = std::variant<BuiltInModel, OnnxModel, ConfigModel, SyntheticModel, ProductsModel>;
[[nodiscard]] std::string model_name(
    const Model& model);  // name for messages and results; "synthetic" without a network

// The shapes of a language model, built in or from a config.json. Null if `model` is not a language model.
[[nodiscard]] const llm::Architecture* language_model(const Model& model);

// Clock drift of periodic sources: the tolerance of the crystals that cameras and boards are sold with (20 to
// 50 ppm). Assumed.
inline constexpr double default_clock_drift = 20e-6;

// The layers [first, end).
struct LayerRange {
  std::size_t first = 0, end = 0;
};

// A step that a process applies to each image before or after inference.
struct Stage {
  std::string name;
  bool on_gpu = false;
  std::optional<media::Kind> engine = {};  // media engine that does the step, instead of a core or the GPU
  // Time per image, if nothing below is set: on a core at the profile's reference clock; alone on the GPU at
  // its highest clock; or alone on the engine.
  sim::Duration time = {};
  std::int64_t width = 0, height = 0;  // size in pixels of an engine's images
  double rate = 1;                     // the engine's rate for them over that of the profile
  double cycles = 0;                   // on a core: cycles of a Cortex-A78AE per image
  double bytes = 0;                    // on the GPU: bytes moved per image
  std::int64_t times = 1;              // so often for each image
  // Threads that do it if stages overlap; 0: one for each stream of arrivals before inference, one after it.
  std::int64_t threads = 0;
  std::string grade = {}, source = {};  // of its cost; empty: the scenario does not say
  // The same step done in other ways, where the scenario names it by a word: on other processors, in C++ or
  // in numpy. They do not reach the JSON of the scenario.
  std::vector<Stage> otherwise = {};
};

// The file of a trace.
struct TraceFile {
  std::string file;        // path as written; empty: no trace
  std::uint64_t hash = 0;  // hash of what was read
};

// The requests to a language model, and the storage format of its weights.
struct LanguageWork {
  llm::WeightFormat weights = llm::WeightFormat::fp16;
  process::GenerationSpec spec;       // prompt lengths include the positions of images
  std::int64_t images = 0;            // number of images per prompt, encoded by the vision tower
  std::int64_t context = 0;           // positions allocated per sequence; 0: the runtime's default
  std::optional<double> cache_bytes;  // memory for all KV caches; absent: enough for `max_batch`
  // Layers that the GPU computes, the output layer as one more (models/llm/offload.hpp); absent: all.
  std::optional<std::int64_t> gpu_layers;
  std::int64_t cpu_moe = 0;                  // blocks, the first ones, whose experts the cores compute
  const llm::Architecture* draft = nullptr;  // model of speculative decoding, its weights in the same format
  TraceFile trace;                           // trace of prompt and answer lengths
};

// Names the random streams of the processes of an entry: a name, and the number of the entry's first process.
struct Draws {
  std::string name;
  std::int64_t first = 0;
};

// The scheduling of the threads of an entry of `processes`.
struct ThreadSettings {
  std::vector<int> cpus;  // allowed cores; empty: those of the scenario
  int nice = 0;
  int fifo = 0;  // SCHED_FIFO priority (policy: {fifo: 1 ... 99}); 0: the default policy
  std::optional<cpu::ContainerSpec> container;
};

// GpuShare::sm_partition: all SMs that no other partition of the process has.
inline constexpr std::int64_t rest_of_sms = 0;

// The work of a process: a network, a language model or equal kernels.
struct ModelWork {
  Model model;
  std::optional<Precision> precision;  // absent only for a synthetic model
  std::int64_t batch = 1;
  std::optional<std::int64_t> input;  // input_sides.hpp; absent: the network's default
  std::optional<LayerRange> layers;   // layers of the network as the runtime fuses it; absent: all
  bool training = false;              // true: a batch is a training step
};
// The host's side of a process: its runtime and the threads that run it.
struct Host : ThreadSettings {
  Runtime runtime = Runtime::tensorrt;
  Sync sync = Sync::blocking;
  Placement placement = Placement::gpu;
  std::optional<std::int64_t> threads;  // placement cpu; absent: one per core that it may use
  std::int64_t host_threads = 1;  // number of threads that launch on its streams; 1 to the number of streams
  bool static_graph = false;      // true: captured or compiled at load; false: walked at every batch
  bool transfers = true;          // false: inputs and outputs stay on the device
};
// A process's share of the GPU.
struct GpuShare {
  std::int64_t streams = 1;                        // equal streams in one process, which share its requests
  gpu::Priority priority = gpu::Priority::normal;  // for its streams, and for turns of the host thread
  // SMs of its own (a green context), rounded up to what the GPU can give; 0: all that no other partition of
  // its process has; absent: all SMs.
  std::optional<std::int64_t> sm_partition;
  std::optional<double> mps_threads;   // share of the SMs' threads, under MPS; absent: all
  std::optional<double> mps_memory;    // bytes of the GPU's memory that it may hold, under MPS; absent: all
  std::optional<std::int64_t> mig;     // number of the GPU's instance that it runs in; absent: 0
  std::optional<sim::Duration> slice;  // time slice of its turns on the GPU; absent: the profile's
  gpu::Interleave interleave = gpu::Interleave::low;
};
// The steps around inference.
struct Around {
  std::vector<Stage> before, after;
  std::int64_t interval = 0;  // frames that are not inferred between two that are
  std::int64_t overlap = 0;   // batches under way in overlapping stages; 0: one after the other
};
// One entry of `processes`. It stands for `count` equal processes.
struct ProcessEntry {
  std::string name;  // empty unless given
  std::int64_t count = 1;
  ModelWork work;
  Host host;
  GpuShare gpu;
  Around around;
  process::Arrivals arrivals;
  TraceFile trace;  // arrival times
  // Costs of the loop that forms its batches; absent: the profile's.
  std::optional<process::ServerCosts> server;
  std::optional<LanguageWork> language;  // language models; then `precision` is that of activations
  std::optional<Draws> draws;            // random streams named as in another scenario; absent: draws_of()
  // The instances of a process that runs several networks. Each is an entry of its own, whose `count` is its
  // number of streams and whose host settings are those of the process. Model, precision and batch of the
  // process are then those of its first instance.
  std::vector<ProcessEntry> instances;
};
// The parts of a process: its instances, or the process itself if it has none.
[[nodiscard]] inline std::span<const ProcessEntry> parts_of(const ProcessEntry& process) {
  return process.instances.empty() ? std::span(&process, 1) : std::span(process.instances);
}
[[nodiscard]] inline std::span<ProcessEntry> parts_of(ProcessEntry& process) {
  return process.instances.empty() ? std::span(&process, 1) : std::span(process.instances);
}
// The number of streams of a part of a process.
[[nodiscard]] inline std::int64_t streams_of(const ProcessEntry& process, const ProcessEntry& part) {
  return process.instances.empty() ? part.gpu.streams : part.count;
}
// The number of streams of all parts of a process.
[[nodiscard]] std::int64_t streams_of(const ProcessEntry& process);
// True if threads are given for the pools of its sessions on the GPU.
[[nodiscard]] inline bool has_session_pool(const ProcessEntry& process) {
  return process.host.threads && process.host.placement != Placement::cpu &&
         process::traits_of(process.host.runtime).kind == process::RuntimeKind::session;
}
// The number of its host threads unless given: 1, but a session runs each of its streams in a thread.
[[nodiscard]] std::int64_t default_host_threads(const ProcessEntry& process);
// True if the process has more than one stream, or instances.
[[nodiscard]] inline bool has_instances(const ProcessEntry& process) {
  return process.gpu.streams > 1 || !process.instances.empty();
}
// The name of the precision, such as "int8"; for a language model the name of its weight format, such as
// "q4_k_m". Absent for a synthetic model.
[[nodiscard]] std::optional<std::string> precision_name(const ProcessEntry& process);
// The unit of what is served: images, or sequences of a language model.
[[nodiscard]] const char* served_unit(const ProcessEntry& process);  // "images/s"
// The model's name for messages and results; several instances are joined: "resnet50 + mobilenet_v2".
[[nodiscard]] std::string model_name(const ProcessEntry& process);
// The name of a process or a part, in a scenario or a result; the model's if it has none.
template <class Part>
[[nodiscard]] std::string called(const Part& part) {
  if (!part.name.empty()) return part.name;
  if constexpr (requires { part.model; })
    return part.model;
  else
    return model_name(part);
}

// One entry of `processes` that is a co-runner (process::LoadSpec).
struct LoadEntry : ThreadSettings {
  std::string name;        // empty unless given
  std::size_t behind = 0;  // number of entries with a model that stand before it in `processes`
  process::LoadKind kind = process::LoadKind::memory_write;
  int threads = 1;
  std::optional<double> bandwidth;  // bytes/s, total of all threads while they work
  double duty = 1;
};

// A power mode from an nvpmodel.conf, in place of one of the profile's modes.
struct PowerModeFile {
  std::string path;      // path as written in the scenario
  std::string resolved;  // path relative to the working directory
  std::string mode;      // the mode's name in the file
  std::shared_ptr<const profiles::NvpFile> file = nullptr;
  std::vector<std::string> notes;  // values that were clamped or ignored, one line each
};
struct Clocks {
  std::optional<double> cpu_hz, gpu_hz, emc_hz, dla_hz;
  std::optional<int> cores;  // number of online cores
};
struct Governors {
  std::optional<std::string> cpu, gpu;
};
struct PowerCap {
  double budget_w = 0;
  sim::Duration window;
};
// The metrics whose precision can end a run.
enum class Precise { throughput, latency_mean, latency_p50, latency_p90, latency_p99 };
[[nodiscard]] const char* to_string(Precise value);  // path of the metric in a process of the result

struct Until {
  double relative_error = 0;                        // half-width of the 95 % interval divided by the metric
  std::vector<Precise> of = {Precise::throughput};  // metrics that must be that precise, for every process
  sim::Duration max;                                // longest simulated time, warm-up excluded
};
// Interrupts that take part of a core from whatever runs there.
struct Interrupts {
  int cpu = 0;
  double load = 0;     // share of the core's time
  double rate = 1000;  // per second; assumed: of the order of the softirq rate of a camera and a network
};
// A desktop compositor that shares the GPU.
struct DesktopCompositor {
  double rate = 60;                              // frames/s
  sim::Duration time = sim::microseconds(1500);  // GPU time of a frame alone at the highest clock; assumed
};
// The thermal state of the board when a run begins.
enum class ThermalStart {
  idle,        // the board has been idle for long
  equilibrium  // the board has run this load for long
};
[[nodiscard]] const char* to_string(ThermalStart value);
// How the processes of a run begin.
enum class Start {
  together,   // at one instant, the loads too
  one_by_one  // beside loads that run already, each when it has loaded
};
[[nodiscard]] const char* to_string(Start value);
// A run whose duration nobody set lasts until p99 is known of each process that answers at least so many
// requests a second, and at most so long.
inline constexpr double least_per_s_for_p99 = 20;
inline const sim::Duration longest_for_p99 = sim::seconds(60);
struct Run {
  sim::Duration duration = sim::seconds(4);  // warm-up excluded; with `until`, its maximum
  sim::Duration warmup = sim::seconds(1);
  bool until_p99 = false;     // nobody set the duration: it goes on until p99 of requests is known
  bool warmup_given = false;  // false: it goes on until what cameras gathered at the start is worked off
  bool warmup_found = false;  // `auto`: the warm-up is found by a first run
  std::optional<ThermalStart> thermal{};  // absent: idle
  std::uint64_t seed = 1;
  std::int64_t replications = 1;  // number of independent replications, which are pooled into one result
  std::optional<Until> until;
  Start start = Start::one_by_one;
  bool setup = false;         // true: each process begins with its set-up; no warm-up
  bool every_kernel = false;  // simulates the kernels of all batches, also once loops are steady
  std::optional<std::int64_t>
      batches;  // each process ends after this number of batches, the run with the last process; no warm-up
};

struct Scenario {
  std::string name;         // the file's stem unless given
  std::string device;       // a shipped profile's name, or a path as written
  std::string device_path;  // path relative to the working directory; empty for a shipped profile
  std::optional<std::string> power_mode;
  std::optional<PowerModeFile> power_mode_file;  // takes precedence over power_mode
  Clocks clocks;
  std::optional<bool> jetson_clocks;
  Governors governors;
  std::optional<PowerCap> power_cap;
  std::optional<double> power_limit_w;  // of a card, instead of its profile's
  std::optional<double> ambient_c;
  std::optional<bool> fan;
  Observer observer = Observer::none;
  std::optional<std::string> objective;      // a path in the result: objective.hpp
  std::vector<Constraint> constraints;       // limits on metrics, named likewise
  std::optional<sim::Duration> gpu_metrics;  // window of the sampled GPU metrics; absent: not sampled
  gpu::Sharing sharing = gpu::Sharing::time_slicing;  // in each instance of the GPU, if it has instances
  std::vector<std::string> mig;  // the GPU's instances, by the names of the profile; empty: it is whole
  std::vector<std::pair<std::string, std::string>> figures;  // overrides: profile path, value with unit
  std::optional<Link> link;
  std::optional<Interrupts> interrupts;
  std::optional<DesktopCompositor> compositor;
  std::optional<int> host_cores;  // confines the processes to this many lowest-numbered online cores
  std::vector<int> cpus;  // confines the processes to these cores; not together with host_cores; empty: all
  std::vector<ProcessEntry> processes;
  std::vector<LoadEntry> loads;  // co-runners, in the order of the scenario
  Run run;
};

// The position of an entry with a model, or of a load, in `processes` as written in the scenario.
[[nodiscard]] std::size_t place_of_entry(const Scenario& scenario, std::size_t entry);
[[nodiscard]] std::size_t place_of_load(const Scenario& scenario, std::size_t load);

// The names of the random streams of each entry: the entry's name, or else its model, and its position among
// the entries of that name. An entry of another name before it, or a larger count of any entry, therefore
// leaves its random numbers unchanged.
[[nodiscard]] std::vector<Draws> draws_of(const Scenario& scenario);

// A process after expansion by count.
struct ProcessInstance {
  std::size_t index = 0;  // among all processes
  std::size_t entry = 0;  // in scenario.processes
};
[[nodiscard]] std::vector<ProcessInstance> expand(const Scenario& scenario);

// Identifies a part of a process: an instance, or the process itself.
struct PartId {
  std::size_t entry = 0, part = 0;
  auto operator<=>(const PartId&) const = default;
};
// The parts with that name: one instance, or all parts of a process. Several lists if several have the name.
[[nodiscard]] std::vector<std::vector<PartId>> parts_named(const Scenario& scenario, const std::string& name);

// Warnings for the user, one line each: about approximations in the files that the scenario names.
[[nodiscard]] std::vector<std::string> warnings(const Scenario& scenario);

// The scenario with every default filled in, as one line of JSON that is itself a valid scenario.
[[nodiscard]] std::string to_json(const Scenario& scenario);

// The hash of to_json() and of the contents of the files that the scenario names. Equal scenarios have equal
// hashes on any machine.
[[nodiscard]] std::string scenario_hash(const Scenario& scenario);
// The same, where `json` is to_json(scenario).
[[nodiscard]] std::string scenario_hash(const Scenario& scenario, std::string_view json);

}  // namespace jostle::scenarios
