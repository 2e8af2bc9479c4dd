// A question put to the simulator: which board, in which state, running which processes, for how long.
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
#include "scenarios/language/link.hpp"
#include "sim/time.hpp"

namespace jostle::calibration {
struct NvpFile;
struct OnnxNetwork;
}  // namespace jostle::calibration

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

[[nodiscard]] Sync default_sync(Runtime runtime);

[[nodiscard]] const char* to_string(Sync value);  // as written in a scenario
[[nodiscard]] const char* to_string(Placement value);
[[nodiscard]] const char* to_string(Observer value);
[[nodiscard]] const char* to_string(gpu::Priority value);
[[nodiscard]] const char* to_string(process::Drop value);
[[nodiscard]] const char* to_string(process::FanOutKind value);

// A network, or a language model, that jostle builds itself.
struct BuiltInModel {
  std::string name;
};
struct OnnxModel {
  std::string path;      // as written
  std::string resolved;  // from the working directory
  std::shared_ptr<const calibration::OnnxNetwork> file =
      nullptr;  // what was read of it; of a checked scenario: there
};
// A language model whose shapes are in a config.json of Hugging Face.
struct ConfigModel {
  std::string path;  // as written
  llm::Architecture of;
  std::uint64_t hash = 0;  // of the text
};
// No network: equal kernels that move bytes, or spin until so many cycles of the clock are over.
struct SyntheticModel {
  std::int64_t kernels = 0;  // per batch
  sim::Duration duration;    // of a kernel, alone on the GPU
  std::uint32_t blocks = 1, threads = 128;
  std::optional<sim::Duration> pace;  // host time from one launch to the next
  double bytes = 0;  // that a kernel moves over the memory, which bounds its time; 0: it spins
};
using Model = std::variant<BuiltInModel, OnnxModel, ConfigModel, SyntheticModel>;
[[nodiscard]] std::string model_name(
    const Model& model);  // for people and results; "synthetic" without a network

// The shapes of a language model, built in or of a file; null if it is none.
[[nodiscard]] const llm::Architecture* language_model(const Model& model);

// Of periodic sources: what crystals of cameras and boards are sold with (20 to 50 ppm). Assumed.
inline constexpr double default_clock_drift = 20e-6;

// Layers [first, end).
struct LayerRange {
  std::size_t first = 0, end = 0;
};

// What a process does to an image beside inference.
struct Stage {
  std::string name;
  bool on_gpu = false;
  std::optional<media::Kind> engine = {};  // that does it, in place of a core or the GPU
  // Of an image: on a core at the profile's reference clock; alone on the GPU at its highest; alone on the
  // engine, if `pixels` are 0.
  sim::Duration time;
  std::int64_t width = 0,
               height = 0;  // of an image that an engine is given; 0: `time` says how long it takes
};

// What a language model is asked for, and how its weights are stored.
struct LanguageWork {
  llm::WeightFormat weights = llm::WeightFormat::fp16;
  process::GenerationSpec spec;  // prompts include the positions of images
  std::int64_t images = 0;       // that come with each prompt, through the vision tower
  std::int64_t context = 0;      // positions that each sequence is given memory for; 0: as the runtime does
  std::optional<double> cache_bytes;  // memory for keys and values of all sequences; absent: of `max_batch`
  std::string trace_file;             // of lengths; as written
  std::uint64_t trace_hash = 0;
};

// What the random numbers of the processes of an entry are named by, and the number of the first of them.
struct Draws {
  std::string name;
  std::int64_t first = 0;
};

// How the threads of an entry of `processes` are scheduled.
struct ThreadSettings {
  std::vector<int> cpus;  // allowed cores; empty: those of the scenario
  int nice = 0;
  int fifo = 0;  // policy: {fifo: 1 ... 99}; 0: the default policy
  std::optional<cpu::ContainerSpec> container;
};

// One entry of `processes`; it stands for `count` equal processes.
struct ProcessEntry : ThreadSettings {
  std::string name;  // empty unless given
  Model model;
  std::optional<Precision> precision;  // absent only for a synthetic model
  std::int64_t batch = 1;
  std::int64_t count = 1;
  Runtime runtime = Runtime::tensorrt;
  Sync sync = Sync::blocking;
  Placement placement = Placement::gpu;
  std::optional<std::int64_t> threads;   // placement cpu; absent: as many as the cores it may use
  bool training = false;                 // a batch is a step of training
  bool static_graph = false;             // captured or compiled at load; else walked at every batch
  std::optional<LayerRange> layers;      // of the network as the runtime fuses it; absent: all
  std::optional<std::int64_t> input;     // side of the input in pixels, or tokens; absent: the network's own
  std::vector<Stage> before, after;      // stages around inference
  std::optional<LanguageWork> language;  // of a language model; then `precision` is that of activations
  process::Arrivals arrivals;
  std::string trace_file;                      // arrivals: trace; as written
  std::uint64_t trace_hash = 0;                // of its arrival times
  std::optional<Draws> draws;                  // as in another scenario; absent: draws_of()
  std::optional<sim::Duration> gpu_timeslice;  // of its turns; absent: the profile's
  gpu::Interleave gpu_interleave = gpu::Interleave::low;
  std::int64_t streams = 1;                        // equal ones in one process, which share its requests
  gpu::Priority priority = gpu::Priority::normal;  // of its streams, and of its turn with the host thread
  std::optional<double> mps_threads;               // share of the SMs' threads; absent: all
  // Several networks in one process: each an entry of its own, whose `count` is its number of streams, and
  // whose host settings are those of the process. Then `model`, `precision` and `batch` here are those of the
  // first.
  std::vector<ProcessEntry> instances;
};
// What a process runs: its instances, or itself.
[[nodiscard]] inline std::span<const ProcessEntry> parts_of(const ProcessEntry& process) {
  return process.instances.empty() ? std::span(&process, 1) : std::span(process.instances);
}
[[nodiscard]] inline std::span<ProcessEntry> parts_of(ProcessEntry& process) {
  return process.instances.empty() ? std::span(&process, 1) : std::span(process.instances);
}
// How many streams a part of a process has.
[[nodiscard]] inline std::int64_t streams_of(const ProcessEntry& process, const ProcessEntry& part) {
  return process.instances.empty() ? part.streams : part.count;
}
// Whether the process has more than one stream, or instances.
[[nodiscard]] inline bool has_instances(const ProcessEntry& process) {
  return process.streams > 1 || !process.instances.empty();
}
// "int8"; of a language model that of its weights, "q4_k_m". Absent of a synthetic model.
[[nodiscard]] std::optional<std::string> precision_name(const ProcessEntry& process);
// What is served: images, or sequences.
[[nodiscard]] const char* served_unit(const ProcessEntry& process);  // "images/s"
// For people and results: of several instances "resnet50 + mobilenet_v2".
[[nodiscard]] std::string model_name(const ProcessEntry& process);

// One entry of `processes` that is a co-runner (process::LoadSpec).
struct LoadEntry : ThreadSettings {
  std::string name;        // empty unless given
  std::size_t behind = 0;  // so many entries with a model stand before it in `processes`
  process::LoadKind kind = process::LoadKind::memory_write;
  int threads = 1;
  std::optional<double> bandwidth;  // bytes/s, of all threads together while they work
  double duty = 1;
};

// A mode out of an nvpmodel.conf, in place of one of the profile's.
struct PowerModeFile {
  std::string path;      // as written
  std::string resolved;  // from the working directory
  std::string mode;      // as the file names it
  std::shared_ptr<const calibration::NvpFile> file = nullptr;
  std::vector<std::string> notes;  // what was clamped or passed over
};
struct Clocks {
  std::optional<double> cpu_hz, gpu_hz, emc_hz, dla_hz;
  std::optional<int> cores;  // online
};
struct Governors {
  std::optional<std::string> cpu, gpu;
};
struct PowerCap {
  double budget_w = 0;
  sim::Duration window;
};
// What a run can be made long enough for.
enum class Precise { throughput, latency_mean, latency_p50, latency_p90, latency_p99 };
[[nodiscard]] const char* to_string(Precise value);  // its path in a process of the result

struct Until {
  double relative_error = 0;                        // half-width of the 95 % interval over the figure
  std::vector<Precise> of = {Precise::throughput};  // of every process
  sim::Duration max;                                // simulated time, warm-up excluded
};
// Interrupts that take part of a core from whatever runs there.
struct Interrupts {
  int cpu = 0;
  double load = 0;     // share of the core's time
  double rate = 1000;  // per second; assumed: of the order of a camera's and a network's softirqs
};
// A desktop compositor that shares the GPU.
struct DesktopCompositor {
  double rate = 60;                              // frames/s
  sim::Duration time = sim::microseconds(1500);  // of a frame, alone on the GPU at its highest clock; assumed
};
// How warm the board is when a run begins.
enum class ThermalStart {
  idle,        // as one that has long been idle
  equilibrium  // as one that has long been at this very load
};
[[nodiscard]] const char* to_string(ThermalStart value);
struct Run {
  sim::Duration duration = sim::seconds(4);  // warm-up excluded; with `until` its max
  sim::Duration warmup = sim::seconds(1);
  bool warmup_found = false;              // `auto`: as long as a first run shows it to be
  std::optional<ThermalStart> thermal{};  // absent: idle
  std::uint64_t seed = 1;
  std::int64_t replications = 1;  // independent ones, whose mean is the result
  std::optional<Until> until;
  bool setup = false;                   // each process begins with its set-up; no warm-up
  std::optional<std::int64_t> batches;  // each process ends after so many, the run with the last; no warm-up
};

struct Scenario {
  std::string name;         // the file's stem unless given
  std::string device;       // a shipped profile's name, or a path as written
  std::string device_path;  // resolved from the working directory; empty for a shipped profile
  std::optional<std::string> power_mode;
  std::optional<PowerModeFile> power_mode_file;  // over power_mode
  Clocks clocks;
  std::optional<bool> jetson_clocks;
  Governors governors;
  std::optional<PowerCap> power_cap;
  std::optional<double> ambient_c;
  std::optional<bool> fan;
  Observer observer = Observer::none;
  std::optional<sim::Duration> gpu_metrics;  // windows whose distribution is asked for
  gpu::Sharing sharing = gpu::Sharing::time_slicing;
  std::vector<std::pair<std::string, std::string>> figures;  // put over the profile's: path, value with unit
  std::optional<Link> link;
  std::optional<Interrupts> interrupts;
  std::optional<DesktopCompositor> compositor;
  std::optional<int> host_cores;  // confine the processes to this many lowest-numbered online cores ...
  std::vector<int> cpus;          // ... or to these; empty: all
  std::vector<ProcessEntry> processes;
  std::vector<LoadEntry> loads;  // beside them, in the order of the scenario
  Run run;
};

// Where an entry with a model, and a load, stand in `processes` as it is written.
[[nodiscard]] std::size_t place_of_entry(const Scenario& scenario, std::size_t entry);
[[nodiscard]] std::size_t place_of_load(const Scenario& scenario, std::size_t load);

// By entry: its name, or else its model, and its place among the entries of that name. So an entry before it,
// or more processes of one, change no draws of others.
[[nodiscard]] std::vector<Draws> draws_of(const Scenario& scenario);

// A process after expansion by count.
struct ProcessInstance {
  std::size_t index = 0;  // among all processes
  std::size_t entry = 0;  // in scenario.processes
};
[[nodiscard]] std::vector<ProcessInstance> expand(const Scenario& scenario);

// A part of a process: an instance, or all of it.
struct PartId {
  std::size_t entry = 0, part = 0;
  auto operator<=>(const PartId&) const = default;
};
// Those of that name: an instance, or all parts of a process. Several where two have one name.
[[nodiscard]] std::vector<std::vector<PartId>> parts_named(const Scenario& scenario, const std::string& name);

// Keys that were given, are right, and that the present models would ignore. A run must refuse them.
struct UnsupportedKey {
  std::string path;    // "power_cap"
  std::string reason;  // "the power cap is not yet modelled"
};
[[nodiscard]] std::vector<UnsupportedKey> unsupported_keys(const Scenario& scenario);

// What was approximated in the files it names, a line each, for people.
[[nodiscard]] std::vector<std::string> warnings(const Scenario& scenario);

// The scenario with every default filled in, as one line of JSON that is itself a valid scenario.
[[nodiscard]] std::string to_json(const Scenario& scenario);

// Equal for equal questions on any machine: of to_json() and the contents of arrival traces and ONNX files.
[[nodiscard]] std::string scenario_hash(const Scenario& scenario);

}  // namespace jostle::scenarios
