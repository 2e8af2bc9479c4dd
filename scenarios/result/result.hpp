// The answer to a scenario, as plain data: the contract of docs/result.md, written by result_text.hpp.
//
// A metric that is undefined (one batch, no samples, not modelled) is absent here and null in JSON, never
// NaN. Units are given by the names: milliseconds, MB (10^6 bytes), W, MHz, shares from 0 to 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/process/share.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::scenarios {

using Metric = std::optional<double>;
using Interval = std::optional<std::pair<double, double>>;  // from, to
template <class T>
using Named = std::vector<std::pair<std::string, T>>;  // in display order
using NamedParameters = Named<double>;

// Why a prediction interval is as wide as it is: half-widths in the logarithm (0.05: about 5 %), which add in
// quadrature.
struct IntervalParts {
  double parameters = 0;          // parameters of the profile that are uncertain
  double chance = 0;              // what differs from run to run
  double model = 0;               // what the model leaves out: its error on held-out runs
  NamedParameters of_parameters;  // the share of single parameters in the variance by all, greatest first
  std::string model_from;         // the held-out runs
};

struct Throughput {
  Metric mean;                    // images/s, over the measured time
  Interval ci95;                  // confidence interval: simulation noise
  Interval pi90;                  // prediction interval; absent unless calibrated
  std::string unit = "images/s";  // sequences/s for a language model
  std::optional<IntervalParts> pi90_parts = {};
};

// A run that would be long enough.
struct NeededRun {
  double run_s = 0;
};

// Times in ms, and how far they are known.
struct Times {
  Metric mean, p50, p90, p95, p99;
  std::int64_t samples = 0;
  struct Ci95 {
    Interval mean, p50, p90, p99;
  } ci95;                  // simulation noise
  Named<NeededRun> needs;  // by percentile that is absent because the run is too short
};

struct Latency : Times {
  Interval pi90;
  std::int64_t unfinished = 0;         // requests that waited at the end
  std::vector<std::string> of_served;  // percentiles that dropped and unfinished requests could change
  std::optional<IntervalParts> pi90_parts;
};

// One ExecutionContext call, and its parts.
struct EnqueueCall {
  Metric mean, launch, reschedule, compute, blocking;
  std::int64_t calls = 0;
};

// [process::index_of(share)]: of the process's time; every instant belongs to one share.
using TimeShare = std::array<double, process::share_count>;

// A stage on the host, before or after inference. `ms`: for one batch, including waiting for a core.
struct StageResult {
  std::string name;
  Metric ms;
  std::int64_t batches = 0;
};

struct GpuRunningBy {
  Metric compute, memory, fixed, throttled;
  double seconds = 0;  // time in which its kernels ran
};

// Memory that a process holds, in MB.
struct ProcessMemory {
  Metric context, engine, arena, io;
  Metric gpu;  // the part of all of these that is GPU memory
};

// Means over the measured time and the whole GPU: SM cycles with a resident warp, issue slots used, tensor
// pipes used, resident warps over the maximum.
struct SmArray {
  Metric sm_active, issue_slot, tensor_active, occupancy;
};

// Distribution of the means over windows, as a sampling profiler reports it (scenario: gpu_metrics).
struct WindowShares {
  std::string name;  // board::gpu_window_names
  Metric mean, max;
  std::array<Metric, 7> percentiles;  // window_percentiles
  std::vector<double> cdf;            // [i]: share of the windows at or below i percent; 101 entries, or none
};
inline constexpr std::array<int, 7> window_percentiles{5, 10, 25, 50, 75, 90, 95};
struct GpuWindows {
  double interval_us = 0;
  std::int64_t samples = 0;
  std::vector<WindowShares> shares;
};

// By figure that `run.until` names ("latency_ms.p99"): true if it is as precise as that asks.
using Converged = Named<bool>;

// What a language model's users see, since the warm-up.
struct TokenResult {
  Metric decode_per_s;                      // tokens of decode steps, in the time that these take
  Metric prefill_per_s;                     // tokens of prompts, likewise
  double decoding_s = 0, prefilling_s = 0;  // the time of those steps
  Times ttft_ms;                            // from the request to the first token
  Times itl_ms;                             // from one token of a sequence to its next
  std::int64_t decoded = 0;                 // tokens of decode steps
  Metric per_s;                             // decoded tokens a second of the run
  Metric per_joule;                         // decoded tokens per joule of the board
  std::int64_t steps = 0;                   // decode steps
  // A decode step: GB that it reads and writes, ms of its kernels with the GPU to themselves, and the share
  // of these ms that memory bounds.
  Metric step_gb, step_kernels_ms, step_memory_share;
  Metric weights_mb, kv_cache_mb;  // held
};

// One of the streams of a process that has several, or of one that names its instances.
struct InstanceResult {
  std::int64_t index = 0;  // among those of the process
  std::string name;        // empty unless the scenario gives one
  std::string model;
  std::optional<std::string> precision;  // absent for equal kernels
  std::int64_t batch = 1;                // the most images at a time
  std::string priority = "normal";
  Metric images;
  Throughput throughput;
  Latency latency_ms;
  // Of the requests to its network, which equal instances share: as of a process.
  Metric offered;
  std::optional<bool> stable;
  std::int64_t drops = 0;
  Metric mean_batch;  // images
  std::int64_t batches = 0;
  std::optional<TokenResult> tokens;  // of a language model
};

struct ProcessResult {
  std::int64_t index = 0;  // among all processes
  std::int64_t entry = 0;  // index in the scenario's `processes`
  std::string name;        // empty unless the scenario gives one
  std::string model;
  std::optional<std::string> precision;  // absent for synthetic processes
  std::int64_t batch = 1;
  std::string runtime;
  bool training = false;      // a batch is a training step
  std::string status = "ok";  // or out_of_memory: then metrics are absent
  Grades grades;              // what it rests on; `grade` of a result is lowest(grades)
  Metric images;              // served in the measured time; of batches at its ends the part inside it
  Throughput throughput;
  Metric offered;  // images/s that are asked for; absent in a closed loop
  // False: the backlog grows, and latency_ms is absent. Absent in a closed loop, and before the set-up is
  // done.
  std::optional<bool> stable;
  Metric backlog_growth;  // images/s; absent unless unstable
  Metric stable_rate;     // images/s that it could serve; absent unless unstable, or where it is not known
  // False: its throughput still moves, or will. Absent where it is too short to tell, and where nothing
  // steady is asked for (set-up, a number of batches, a trace).
  std::optional<bool> stationary;
  Latency latency_ms;
  Metric mean_batch;         // images
  std::int64_t batches = 0;  // done in the measured time
  Converged converged;       // with run.until
  EnqueueCall ec_ms;
  Metric sync_ms;
  std::int64_t sync_calls = 0;
  std::vector<StageResult> stages;  // in execution order
  std::optional<TimeShare> time_share;
  GpuRunningBy gpu_running_by;
  SmArray gpu;                            // by its own kernels
  std::optional<GpuWindows> gpu_windows;  // if requested
  Metric memory_mb;                       // sum of `memory`
  ProcessMemory memory;
  // Share of the time in which what `throttled_by` names held its thread back; absent: there is no such
  // limit.
  Metric throttled_share;
  std::string throttled_by;  // "container", of a quota, or "fifo", the limit of real-time threads
  std::string problem;  // why there are no metrics, e.g. "does not fit into memory: …"; otherwise empty
  std::int64_t drops = 0;
  std::optional<TokenResult> tokens;      // of a language model
  std::vector<InstanceResult> instances;  // none of a plain process
  Metric setup_ms;                        // run: {setup: true}: time from its start until it is ready
  Metric finished_ms;             // run: {batches: n}: time from its start to the end of its last batch
  Metric throughput_after_setup;  // likewise: images/s from when it is ready to the end of its last batch
};

// A co-runner: an entry of `processes` in what is written, among those with a model.
struct LoadResult {
  std::string name;  // empty unless the scenario gives one
  std::string load;  // "memory_write"
  std::int64_t threads = 1;
  std::string grade;                                     // of the figures that say how much its cores move
  std::size_t behind_entries = 0, behind_processes = 0;  // how many with a model stand before it
  Metric bandwidth_gb_s;                                 // moved over the memory; absent of `busy`
  Metric busy_cores;                                     // mean number of cores that its threads held
};

// An engine that stages use.
struct EngineResult {
  std::string name;  // "nvdec"
  Metric busy;
};

struct DlaResult {
  std::string name;  // "dla0"
  Metric busy, clock_mhz;
};

// The link that requests arrived over.
struct LinkResult {
  Metric busy;                     // share of time in which it was sending
  Metric load;                     // offered, with resends, as a share of its capacity
  Metric requests_per_s, resends;  // requests sent over it; lost attempts per request
  Metric wait_ms;                  // mean time that an attempt waited for the link
  std::int64_t queued = 0;         // attempts waiting for it at the end
  Metric power_w;                  // of the sender; not part of power_w
};

struct PowerResult {
  Metric mean, peak;                  // peak: the highest mean over a window of 100 ms
  NamedParameters rails, rail_peaks;  // as measured by the board's sensors
  NamedParameters parts;              // power::part_names; their sum is the mean
  Metric wall;                        // at the plug
  Interval ci95;                      // of the mean: simulation noise; only over replications
  Interval pi90;                      // of the mean, if requested
  std::optional<IntervalParts> pi90_parts;
};

struct GpuResult {
  Metric busy, reported_load;
  SmArray array;
  Metric clock_mhz, switches_per_s;
  std::optional<GpuWindows> windows;  // if requested
  Metric compositor;                  // share of time in which its frames ran; absent: there is none
};

struct CpuResult {
  Metric busy_cores, migrations_per_s, involuntary_switches_per_s;
  Metric interrupted;             // cores' time that interrupts took from threads; absent: not asked for
  std::vector<double> clock_mhz;  // mean, for each cluster
};

struct MemoryResult {
  Metric used_mb, capacity_mb, gpu_share, bandwidth_gb_s;
  Metric needed_mb;  // with what does not fit
  Metric clock_mhz;  // mean, of the EMC
};

struct SystemResult {
  Metric throughput;         // images/s of all processes
  Interval throughput_ci95;  // simulation noise; only over replications
  Interval throughput_pi90;  // if requested
  std::optional<IntervalParts> throughput_pi90_parts;
  PowerResult power_w;
  Metric energy_per_image_mj;
  GpuResult gpu;
  std::vector<DlaResult> dla;         // of a board with DLAs
  std::vector<EngineResult> engines;  // that stages use
  std::optional<LinkResult> link;
  CpuResult cpu;
  MemoryResult memory;
  Metric temperature_c, temperature_peak_c;  // of the chip: at the end, and the maximum
  // For each domain ("cpu0", "gpu", "emc"): share of time at each clock, by MHz.
  Named<NamedParameters> time_in_state;
  std::string limited_by = "none";  // or power_cap | over_current | thermal | power_mode
  NamedParameters limited_share;
  std::string stop = "duration";  // or relative_error | limit | batches | thermal_shutdown
};

// Seconds from the start until a series has settled, by MSER-5; absent where it has not.
struct Warmup {
  double set_s = 0;  // what was left out of the figures
  Metric throughput_s, power_s, temperature_s;
};

struct Result {
  std::string scenario;       // its name
  std::string scenario_hash;  // of the resolved scenario: scenario_hash()
  std::string resolved;       // the scenario with all defaults: to_json(); empty: omitted
  std::string device;
  std::string profile_hash;
  std::uint64_t seed = 1;
  double simulated_s = 0;  // without the warm-up; of all replications together
  std::int64_t replications = 1;
  std::string status = "ok";  // or out_of_memory if a process did not fit
  std::vector<ProcessResult> processes;
  std::vector<LoadResult> loads;
  SystemResult system;
  // Whether all processes and the board's power are steady; false as soon as one is not.
  std::optional<bool> stationary;
  Warmup warmup;
  std::vector<std::string> warnings;  // what still moves, a sentence each, for people
};

}  // namespace jostle::scenarios
