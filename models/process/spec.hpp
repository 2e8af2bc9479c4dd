// Specification of a process (a host thread and its GPU context, or a team of threads), and costs of its
// runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/cpu/container_spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dla/task.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/runlist.hpp"
#include "models/llm/step.hpp"
#include "models/media/spec.hpp"
#include "models/process/arrival_spec.hpp"
#include "models/process/generation_spec.hpp"
#include "models/process/runtimes.hpp"
#include "sim/time.hpp"

namespace jostle::process {

enum class Sync { spin, yield, blocking };

// Set-up of a process, done once before its first batch, on a core at the profile's reference clock.
struct SetupSpec {
  sim::Duration start;  // time to start the process, its libraries and its GPU context
  // Rate of loading weights or engine from the file to where kernels read them; 0: loading takes no time.
  double load_bytes_per_s = 0;
  sim::Duration first_batch;  // extra time of the first batch: kernels are loaded, workspaces allocated
};

// A graph that is captured or compiled when it is loaded, instead of being walked at every batch.
struct StaticGraphSpec {
  double host_time = 1;  // remaining share of the host time per launch and per batch
  double compute = 1;    // remaining share of the kernels' arithmetic time: algorithms are chosen by trial
  sim::Duration compile, compile_per_node;  // time added to the set-up
};

// Host time of the loop of a server that forms batches, on a core at the profile's reference clock: to form a
// batch and hand out its results, and for each of its requests.
struct ServerCosts {
  sim::Duration per_batch, per_request;
};

// Locks that the host threads of one process contend for while they launch. Shares of the host time of a
// thread that launches alone. Measured on an H100 (calibration/evidence/h100-threads).
struct LockSpec {
  // The driver's lock: a launch takes 1 + driver (n - 1) times as long while n threads launch.
  double driver = 0;
  // The interpreter's lock: the share of a batch's host time in which a thread holds it, and what each other
  // thread that launches adds to that because the lock is handed over. Zero: there is none.
  double interpreter = 0, handover = 0;
};

// Costs of a runtime on this device, on a core at the profile's reference clock.
struct RuntimeSpec {
  sim::Duration per_launch;  // host time per kernel launch, or per graph
  sim::Duration per_batch;   // host time per batch that is not a launch (framework, synchronise, bindings)
  sim::Duration per_node;    // graphs: host time per node, on top of per_launch
  // Frameworks: host time per operator, on top of the launches of those that launch (gpu::Operators).
  sim::Duration per_operator = {}, per_view = {};
  // Frameworks: the host's time over all costs above, of this host in these hours; and the part of what a
  // rate of the user's own says of its network's host time beyond that, the rest of which is the run's luck.
  double host_time = 1, rate_weight = 1;
  // For a graph that a lone process replays: its launch gaps relative to those of the tables
  // (gpu::KernelSequence::lone_gap). A session is in one of two states (docs/validation.md).
  double replay_gaps = 1;
  // The gap before each kernel in the slower of these states, where the tables were measured in the faster.
  sim::Duration gap_beyond_tables;
  double api_share = 1;          // share of an enqueue call's host time that passes inside CUDA calls
  sim::Duration gpu_per_launch;  // GPU front-end time before each kernel launched by itself
  double variation = 0;          // coefficient of variation of a batch's host time (lognormal)
  double working_set_bytes = 0;  // working set of the host thread, for cache debts
  std::optional<cpu::ReturnLoss> return_loss = {};  // absent: the cache debts of the cores' costs
  double memory_bytes_per_s = 0;  // memory traffic of the host thread while it enqueues on a core
  SetupSpec setup = {};
  ServerCosts server = {};  // if it forms batches (dynamic batching)
  // Absent: the runtime has none, or nothing is known about it.
  std::optional<StaticGraphSpec> static_graph = {};
  // Rate of fp16 arithmetic relative to that of fp32, for a framework without fast fp16 kernels on this GPU.
  // Absent: fp16 runs at the GPU's own rate.
  std::optional<double> fp16_of_fp32 = {};
  // For language models: cycles, and the share of the GPU's efficiency that products of many tokens reach.
  llm::ProductCycles cycles = {};
  double products = 1;
  // Fixed time of a kernel inside a graph, of language models and of engines; absent: the GPU's.
  std::optional<sim::Duration> kernel_start = {};
};

// Overhead that a profiler adds to every process, because it stamps calls and kernels.
struct ObserverSpec {
  sim::Duration per_launch, per_batch;  // extra host time
  sim::Duration gpu_per_launch;         // extra GPU time before each kernel launched by itself
  double kernel_time = 1;  // factor on every kernel's duration; the kernel keeps its units busy for all of it
  // Period and work of a collector thread (collector.hpp); zero: there is none.
  sim::Duration interval, per_interval;
};

// Delay from the end of a batch on the GPU until the host sees it.
struct SyncSpec {
  sim::Duration poll;          // interval at which a thread that spins or yields checks for completion
  sim::Duration wake_latency;  // blocking: time from the interrupt until the thread is runnable
  sim::Duration before_sleep;  // blocking: host time of the call before the thread sleeps
  sim::Duration most_spun = sim::Duration::max();  // it spins for so long, and sleeps then
};

// Rule for each kind of process: true if work that it enqueues in answer to a completion during its turn is
// executed within that turn. Measured on an H200 (calibration/evidence/h200/sharing_intervals.csv): this is
// false for graphs of kernels alone with a spinning host.
struct FollowUpSpec {
  bool graph_of_kernels_spinning = false;
  bool graph_with_other_nodes_spinning = true;
  bool launches_spinning = true;
  bool paced_launches_spinning = false;
  bool blocking = true;
};

// A part of a batch that runs on one engine. The parts of a batch follow one another in stream order.
struct Segment {
  bool on_dla = false;
  gpu::SharedKernels kernels;  // set if the segment runs on the GPU
  dla::Task task;              // set if the segment runs on the DLA
};

// Inference on the cores: every layer is forked over the threads of the process and joined.
struct HostWork {
  // Number of threads, the main one included; 0: the process does not compute on the CPU.
  int threads = 0;
  // Work of each thread in each layer of a batch, in reference time. Empty for a language model, whose steps
  // have work of their own (HostPart).
  std::vector<sim::Duration> layers;
  bool alone = false;       // they compute all of its language model
  HostTraffic traffic;      // while they compute `layers`
  double cached_bytes = 0;  // each thread's part of the data in the cache that its cluster shares
  bool crowded = false;     // threads may wait for cores that others of its own have
};

// Threads that a session on the GPU keeps for its operators on the cores (session_pool.hpp).
struct PoolSpec {
  int threads = 0;      // number, the calling thread not included
  sim::Duration spins;  // how long they spin for the next operator before they sleep
};

// A stage of a batch beside inference, done by the host thread or by an engine: decoding, pre- or
// post-processing.
struct HostStage {
  std::string name;
  sim::Duration work;  // for a whole batch; reference time; on an engine: its time when alone there
  // The engine that does the stage while the host thread sleeps; none: the host thread does it.
  std::optional<media::Kind> engine = {};
  int threads = 1;                      // number of threads that do the stage, if stages overlap
  std::string grade = {}, source = {};  // of `work`; empty: nobody says
};

// A batch with fewer images than the maximum of a dynamic batch.
struct SizedBatch {
  std::int64_t images = 1;
  gpu::SharedKernels kernels;
};

// A part of a process whose results make requests.
struct PartOf {
  std::size_t process = 0, part = 0;  // index of the process in the run; index among its instances
};

// Specification of one process of a run, or of one of its networks (`instances`).
struct Spec {
  std::string name;
  std::string random_name;  // names its random numbers in the run; empty: its index does
  Runtime runtime = Runtime::tensorrt;
  Sync sync = Sync::blocking;
  // Kernels of one batch. With segments or host work only their grade and provenance count.
  gpu::SharedKernels kernels;
  std::vector<Segment> segments;  // parts of one batch that uses the DLA; empty: it uses none
  int dla = 0;                    // index of the DLA
  HostWork host;
  // Stages before a batch is enqueued, and after it is done. Without `overlap` a process with stages does one
  // batch after the other: nothing is enqueued ahead.
  std::vector<HostStage> before, after;
  // If positive, stages have threads of their own and overlap with inference, and so many batches are under
  // way at most; 0: the host thread does the stages and inference in turn.
  std::int64_t overlap = 0;
  std::int64_t batch = 1;                    // images per batch
  double input_bytes = 0, output_bytes = 0;  // copied to and from the device for each batch
  // Synthetic process: one launch every `pace` of host time, busy in between.
  std::optional<sim::Duration> pace;
  Arrivals arrivals;
  double payload_bytes = 0;  // size of a request that comes over a link
  bool static_graph = false;
  double host_time = 1;      // host time per launch and per batch over the runtime's
  double weights_bytes = 0;  // loaded at set-up
  bool setup = false;        // true: it begins with its set-up; false: it begins ready
  // Its threads begin to serve so long after the run has begun, and until then load: they work, then sleep in
  // short steps, so that wake-ups put them where Linux would. Zero: they begin at once.
  sim::Duration start = {};
  std::optional<std::int64_t> batches;        // it ends after this many batches; absent: it has no limit
  std::vector<Answered>* answered = nullptr;  // every answered request is appended here; must outlive the run
  std::vector<int> cpus;                      // allowed cores; empty: all online
  int nice = 0;
  int fifo = 0;                                 // SCHED_FIFO at this priority, 1 to 99; 0: SCHED_OTHER
  std::optional<cpu::ContainerSpec> container;  // the container of its threads
  std::optional<sim::Duration> slice;           // length of its GPU time slices; none: the device's
  gpu::Interleave interleave = gpu::Interleave::low;

  std::int64_t streams = 1;           // number of equal streams, which share its requests
  std::int64_t host_threads = 1;      // number of threads that launch on its streams, dealt out in turn
  PoolSpec pool;                      // each of its sessions has them
  std::optional<ServerCosts> server;  // in place of the runtime's
  // Its networks, if several: each has work, requests, priority and streams of its own.
  std::vector<Spec> instances;
  // Priority of its streams, and of its turns with the host thread.
  gpu::Priority priority = gpu::Priority::normal;
  double mps_threads = 1;                     // see gpu::ContextSpec
  std::optional<gpu::SmPartition> partition;  // see gpu::ContextSpec
  std::uint32_t functions = 0;                // see gpu::ContextSpec
  std::optional<std::uint32_t> gpu_group;     // see gpu::ContextSpec::group
  std::size_t gpu_instance = 0;               // number of the GPU's instance that it runs in
  // Sizes of a dynamic batch, ascending: the smallest that holds a batch is executed. If this is null, or
  // none holds it: `kernels`.
  std::shared_ptr<const std::vector<SizedBatch>> smaller;
  std::vector<PartOf> sources;  // cascade: the parts whose results make its requests
  // Set if the process generates text: a batch is then a step, with kernels of its own. Null: it does not.
  std::shared_ptr<const Generation> generation;

  // True if it computes on the cores alone.
  [[nodiscard]] bool on_cores() const { return host.threads > 0 && (generation == nullptr || host.alone); }
  // True if a batch is one launch. A process with a pace launches bare kernels, whatever its runtime.
  [[nodiscard]] bool launches_at_once() const {
    return traits_of(runtime).kind == RuntimeKind::graph && !pace;
  }
};

// The networks that a process runs: its instances, or itself.
[[nodiscard]] inline std::span<const Spec> parts_of(const Spec& spec) {
  return spec.instances.empty() ? std::span(&spec, 1) : std::span(spec.instances);
}
// True if the process has several streams or instances, whose results are reported one by one.
[[nodiscard]] inline bool serves_instances(const Spec& spec) {
  return spec.streams > 1 || !spec.instances.empty();
}
// True if its requests come from others' results, or are gathered while they wait, as those for text are.
[[nodiscard]] inline bool gathers(const Spec& spec) {
  return spec.arrivals.max_delay || spec.arrivals.kind == ArrivalKind::cascade || spec.generation != nullptr;
}

}  // namespace jostle::process
