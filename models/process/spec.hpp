// What a process is (a host thread and its GPU context, or a team of threads), and what its runtime costs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/cpu/container_spec.hpp"
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

// What a process does once, before its first batch, on a core at the profile's reference clock.
struct SetupSpec {
  sim::Duration start;          // the process, its libraries and its GPU context
  double load_bytes_per_s = 0;  // weights or engine, from the file to where kernels read them; 0: in no time
  sim::Duration first_batch;    // what only the first batch costs: kernels loaded, workspaces allocated
};

// A graph that is captured or compiled when it is loaded, instead of being walked at every batch.
struct StaticGraphSpec {
  double host_time = 1;  // share of the host time per launch and per batch that is left
  double compute = 1;    // share of the kernels' arithmetic time that is left: algorithms chosen by trial
  sim::Duration compile, compile_per_node;  // added to the set-up
};

// Costs of a runtime on this device, on a core at the profile's reference clock.
struct RuntimeSpec {
  sim::Duration per_launch;  // host time per kernel launch, or per graph
  sim::Duration per_batch;   // host time per batch that is not a launch (framework, synchronise, bindings)
  sim::Duration per_node;    // of a graph: host time per node, on top of per_launch
  // Of a graph that a lone process replays: its launch gaps over those of the tables (gpu::KernelSequence::
  // lone_gap). A session is in one of two states (docs/validation.md).
  double replay_gaps = 1;
  double api_share = 1;           // of the host time of an enqueue call, what passes inside CUDA calls
  sim::Duration gpu_per_launch;   // GPU front-end time before each kernel launched by itself
  double variation = 0;           // coefficient of variation of a batch's host time (lognormal)
  double working_set_bytes = 0;   // of the host thread, for cache debts
  double memory_bytes_per_s = 0;  // that the host thread moves to and from memory while it works on a core
  SetupSpec setup = {};
  std::optional<StaticGraphSpec> static_graph = {};  // absent: it has none, or nothing is known of it
  // A framework without fast kernels for fp16 on this GPU: their arithmetic at this share of the rate of
  // those for fp32. Absent: at the GPU's own rate.
  std::optional<double> fp16_of_fp32 = {};
  // Of language models; and the share of the GPU's efficiency that products of many tokens reach.
  llm::ProductCycles cycles = {};
  double products = 1;
};

// What a profiler adds to every process: it stamps calls and kernels.
struct ObserverSpec {
  sim::Duration per_launch, per_batch;  // host time
  sim::Duration gpu_per_launch;         // GPU time before each kernel launched by itself
  double kernel_time = 1;  // of every kernel, over what it takes unobserved; what it keeps busy stays so
  sim::Duration interval, per_interval;  // a thread of its own collects (collector.hpp); zero: none does
};

// From the end of a batch on the GPU to the host seeing it.
struct SyncSpec {
  sim::Duration poll;          // spinning or yielding on a core: interval at which completion is seen
  sim::Duration wake_latency;  // blocking: interrupt to runnable
  sim::Duration before_sleep;  // blocking: host time of the call before it sleeps
};

// Whether work enqueued in answer to a completion during a turn is executed within that turn.
// Measured on an H200 (calibration/evidence/h200/sharing_intervals.csv): not for graphs of kernels alone with
// a spinning host.
struct RefillSpec {
  bool graph_of_kernels_spinning = false;
  bool graph_with_other_nodes_spinning = true;
  bool launches_spinning = true;
  bool paced_launches_spinning = false;
  bool blocking = true;
};

// A part of a batch that runs on one engine. The parts of a batch follow one another in stream order.
struct Segment {
  bool on_dla = false;
  gpu::SharedKernels kernels;  // on the GPU
  dla::Task task;              // on the DLA
};

// Inference on the cores: every layer is forked over the threads of the process and joined.
struct HostWork {
  int threads = 0;                    // the main one included; 0: it does not compute on the CPU
  std::vector<sim::Duration> layers;  // work of each thread in each layer of a batch, in reference time
};

// What is done to a batch beside inference, while the host thread works or waits: decoding, pre- or
// post-processing.
struct HostStage {
  std::string name;
  sim::Duration work;                      // in reference time; of an engine, alone on it
  std::optional<media::Kind> engine = {};  // that does it, and the host thread sleeps; none: that thread
};

// A batch of fewer images than the most that a dynamic batch holds.
struct SizedBatch {
  std::int64_t images = 1;
  gpu::SharedKernels kernels;
};

// Whose results make requests: a part of a process.
struct PartOf {
  std::size_t process = 0, part = 0;  // in the run; among its instances
};

// One process of a run; or one network of it (`instances`).
struct Spec {
  std::string name;
  std::string random_name;  // names its random numbers in the run; empty: its index
  Runtime runtime = Runtime::tensorrt;
  Sync sync = Sync::blocking;
  gpu::SharedKernels kernels;     // of one batch; with segments or host work only their grade and provenance
  std::vector<Segment> segments;  // of one batch that uses the DLA; empty: it does not
  int dla = 0;                    // which one
  HostWork host;
  // Before a batch is enqueued, and once it is done. A process with stages does one batch after the other:
  // nothing is enqueued ahead.
  std::vector<HostStage> before, after;
  std::int64_t batch = 1;                    // images per batch
  double input_bytes = 0, output_bytes = 0;  // copied to and from the device for each batch
  std::optional<sim::Duration> pace;  // synthetic: one launch every `pace` of host time, busy in between
  Arrivals arrivals;
  double payload_bytes = 0;  // of a request, where they come over a link
  bool static_graph = false;
  double weights_bytes = 0;                   // loaded at set-up
  bool setup = false;                         // begins with its set-up, rather than ready
  std::optional<std::int64_t> batches;        // ends after these
  std::vector<Answered>* answered = nullptr;  // where every answered request is written; outlives the run
  std::vector<int> cpus;                      // allowed cores; empty: all online
  int nice = 0;
  int fifo = 0;                                 // SCHED_FIFO at this priority, 1 to 99; 0: SCHED_OTHER
  std::optional<cpu::ContainerSpec> container;  // that its threads are in
  std::optional<sim::Duration> gpu_slice;       // of its turns; none: the device's
  gpu::Interleave interleave = gpu::Interleave::low;

  std::int64_t streams = 1;     // equal ones, which share its requests
  std::vector<Spec> instances;  // several networks: then work, requests, priority and streams are theirs
  gpu::Priority priority = gpu::Priority::normal;  // of its streams, and of its turn with the host thread
  double sm_limit = 1;                             // gpu::ContextSpec
  std::optional<std::uint32_t> gpu_group;          // gpu::ContextSpec::group
  // Of dynamic batches, ascending: the smallest that holds a batch is executed. Null, or none: `kernels`.
  std::shared_ptr<const std::vector<SizedBatch>> smaller;
  std::vector<PartOf> sources;  // of a cascade
  // Generates text: then a batch is a step, with kernels of its own. Null: it does not.
  std::shared_ptr<const Generation> generation;

  // Whether a batch is one launch. Launches with a pace are bare ones, whatever the runtime.
  [[nodiscard]] bool launches_at_once() const {
    return traits_of(runtime).kind == RuntimeKind::graph && !pace;
  }
};

// What a process runs: its instances, or itself.
[[nodiscard]] inline std::span<const Spec> parts_of(const Spec& spec) {
  return spec.instances.empty() ? std::span(&spec, 1) : std::span(spec.instances);
}
// Whether it has several streams, or instances, whose figures are told one by one.
[[nodiscard]] inline bool serves_instances(const Spec& spec) {
  return spec.streams > 1 || !spec.instances.empty();
}
// Whether its requests come of others' results, or gather while they wait, as those for text do.
[[nodiscard]] inline bool gathers(const Spec& spec) {
  return spec.arrivals.max_delay || spec.arrivals.kind == ArrivalKind::cascade || spec.generation != nullptr;
}

}  // namespace jostle::process
