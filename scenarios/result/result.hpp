// The result of a scenario as plain data: the contract of docs/result.md, written by result_text.hpp.
//
// A metric that is undefined (one batch, no samples, not modelled) is absent here and null in JSON, never
// NaN. Names contain the units: milliseconds, MB (10^6 bytes), W, MHz; shares are from 0 to 1.
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
using Interval =
    std::optional<std::pair<double, double>>;  // from, to; of latency, to infinity if it may grow
template <class T>
using Named = std::vector<std::pair<std::string, T>>;  // in display order
using NamedParameters = Named<double>;

// The components of the width of a prediction interval: half-widths in the logarithm (0.05: about 5 %), which
// add in quadrature.
struct IntervalParts {
  double parameters = 0;          // uncertain parameters of the profile
  double chance = 0;              // variation from run to run
  double model = 0;               // model error: its error on held-out runs
  NamedParameters of_parameters;  // each parameter's share in the variance by parameters, greatest first
  std::string model_from;         // the held-out runs
};

struct Throughput {
  Metric mean;                    // images/s, over the measured time
  Interval ci95;                  // confidence interval: simulation noise
  Interval pi90;                  // prediction interval; absent unless calibrated
  std::string unit = "images/s";  // sequences/s for a language model
  std::optional<IntervalParts> pi90_parts = {};
};

// The length of a run that would be long enough.
struct NeededRun {
  double run_s = 0;
};

// Statistics of times in ms, and their confidence intervals.
struct Times {
  Metric mean, p50, p90, p95, p99;
  std::int64_t samples = 0;
  struct Ci95 {
    Interval mean, p50, p90, p99;
  } ci95;                  // simulation noise
  Named<NeededRun> needs;  // by percentile: those that are absent because the run is too short
};

struct Latency : Times {
  struct Pi90 {
    Interval mean, p50, p90, p95, p99;
  } pi90;                                   // prediction intervals, if requested
  std::int64_t unfinished = 0;              // requests that still waited at the end
  std::vector<std::string> of_served;       // percentiles that dropped and unfinished requests could change
  std::optional<IntervalParts> pi90_parts;  // pi90.mean's
};

// One ExecutionContext call, and its parts.
struct EnqueueCall {
  Metric mean, launch, reschedule, compute, blocking;
  std::int64_t calls = 0;
};

// Shares of the process's time, by process::index_of(share). Every instant belongs to one share.
using TimeShare = std::array<double, process::share_count>;

// A stage on the host, before or after inference. `ms` is the time for one batch, including waiting for a
// core.
struct StageResult {
  std::string name;
  Metric ms;
  std::int64_t batches = 0;
  std::string grade, source;  // of its cost; empty: the scenario does not say
};

struct GpuRunningBy {
  Metric compute, memory, fixed, throttled;
  double seconds = 0;  // time during which its kernels ran
};

// Memory that a process holds, in MB.
struct ProcessMemory {
  Metric context, engine, arena, io;
  Metric gpu;  // GPU memory among these
};

// GPU activity, as means over the measured time and the whole GPU: SM cycles with a resident warp, issue
// slots used, tensor pipes used, resident warps over the maximum.
struct SmArray {
  Metric sm_active, issue_slot, tensor_active, occupancy;
};

// Distribution of the means over windows, as a sampling profiler reports it (scenario: gpu_metrics).
struct WindowShares {
  std::string name;  // one of board::gpu_window_names
  Metric mean, max;
  std::array<Metric, 7> percentiles;  // at window_percentiles
  std::vector<double> cdf;            // [i]: share of the windows at or below i percent; 101 entries, or none
};
inline constexpr std::array<int, 7> window_percentiles{5, 10, 25, 50, 75, 90, 95};
struct GpuWindows {
  double interval_us = 0;
  std::int64_t samples = 0;
  std::vector<WindowShares> shares;
};

// For each metric that `run.until` names ("latency_ms.p99"): true if it is as precise as required.
using Converged = Named<bool>;

// The metrics of a language model since the warm-up.
struct TokenResult {
  Metric decode_per_s;                      // tokens of decode steps per second of these steps
  Metric prefill_per_s;                     // tokens of prompts per second of prefill steps
  double decoding_s = 0, prefilling_s = 0;  // duration of those steps
  Times ttft_ms;                            // time from the request to the first token
  Times itl_ms;                             // time from one token of a sequence to its next
  std::int64_t decoded = 0;                 // number of tokens of decode steps
  Metric per_s;                             // decoded tokens per second of the run
  Metric per_joule;                         // decoded tokens per joule of the board
  std::int64_t steps = 0;                   // number of decode steps
  // Means per decode step: GB that it reads and writes, ms of its kernels alone on the GPU, and the share of
  // these ms that is memory-bound.
  Metric step_gb, step_kernels_ms, step_memory_share;
  Metric weights_mb, kv_cache_mb;  // memory held
  std::int64_t prompted = 0;       // number of tokens of prompts, computed or not
  Metric reused_share;             // the share of them that was not; absent if nothing may be reused
};

// One of the streams of a process that has several streams, or instances.
struct InstanceResult {
  std::int64_t index = 0;  // index among the streams of the process
  std::string name;        // empty unless the scenario gives one
  std::string model;
  std::optional<std::string> precision;  // absent for equal kernels
  std::int64_t batch = 1;                // largest batch, in images
  std::string priority = "normal";
  Metric images;
  std::int64_t asked = 0;  // number of replications in which there was work that it could have served
  Throughput throughput;
  Latency latency_ms;
  // Offered load, stability and drops are those of the network's requests, which equal instances share; see
  // ProcessResult.
  Metric offered;
  std::optional<bool> stable;
  std::int64_t drops = 0;
  Metric mean_batch;  // images
  std::int64_t batches = 0;
  std::optional<TokenResult> tokens;  // absent unless it is a language model
};

struct ProcessResult {
  std::int64_t index = 0;  // index among all processes
  std::int64_t entry = 0;  // index in the scenario's `processes`
  std::string name;        // empty unless the scenario gives one
  std::string model;
  std::optional<std::string> precision;  // absent for synthetic processes
  std::int64_t batch = 1;
  std::int64_t interval = 0;  // frames that are not inferred between two that are
  std::string runtime;
  bool training = false;      // true: a batch is a training step
  std::string status = "ok";  // or out_of_memory: then metrics are absent
  Grades grades;              // by component; `grade` of a result is lowest(grades)
  Metric images;           // images served in the measured time; of batches at its ends, the part inside it
  std::int64_t asked = 0;  // number of replications in which there was work that it could have served
  Throughput throughput;
  Metric offered;  // offered images/s; absent in a closed loop
  // False if the backlog grows; latency_ms is then absent. Absent in a closed loop, and until the set-up is
  // done.
  std::optional<bool> stable;
  Metric backlog_growth;  // images/s; absent unless unstable
  Metric stable_rate;     // images/s that it could serve; absent unless unstable, or if unknown
  // The share of boards, by the prediction interval, on which it is not stable; absent if it is at most 5 %.
  Metric unstable_share;
  // False if its throughput still changes, or will. Absent if the run is too short to decide, and if no
  // steady state is expected (set-up, a number of batches, a trace).
  std::optional<bool> stationary;
  Latency latency_ms;
  Metric mean_batch;         // images
  std::int64_t batches = 0;  // number of batches done in the measured time
  Converged converged;       // empty without run.until
  EnqueueCall ec_ms;
  Metric sync_ms;
  std::int64_t sync_calls = 0;
  std::vector<StageResult> stages;  // in execution order
  std::optional<TimeShare> time_share;
  GpuRunningBy gpu_running_by;
  SmArray gpu;                            // activity by its own kernels
  std::optional<GpuWindows> gpu_windows;  // if requested
  Metric memory_mb;                       // sum of `memory`
  ProcessMemory memory;
  // Share of the time during which the limit that `throttled_by` names held its thread back. Absent if there
  // is no such limit.
  Metric throttled_share;
  std::string throttled_by;  // "container": its quota; "fifo": the limit of real-time threads
  std::string problem;       // reason for missing metrics, e.g. "does not fit into memory: …"; else empty
  std::int64_t drops = 0;
  double dropped_images = 0;              // images of these requests
  std::optional<TokenResult> tokens;      // absent unless it is a language model
  std::vector<InstanceResult> instances;  // empty for a process with one stream
  Metric setup_ms;                        // run: {setup: true}: time from its start until it is ready
  Metric finished_ms;             // run: {batches: n}: time from its start to the end of its last batch
  Metric throughput_after_setup;  // run: {batches: n}: images/s from ready to the end of its last batch
};

// The frames/s of a process that does not infer all; absent for one that does.
[[nodiscard]] inline Metric frames_per_s(const ProcessResult& process) {
  if (process.interval == 0 || !process.throughput.mean) return std::nullopt;
  return *process.throughput.mean * static_cast<double>(process.interval + 1);
}

// The share of its time that a process with requests of its own works for them, while it keeps up: a board
// slower by more than that leaves room for does not.
[[nodiscard]] inline Metric busy_share(const ProcessResult& process) {
  if (!process.offered || process.stable != true || !process.time_share) return std::nullopt;
  using process::Share;
  const double idle =
      (*process.time_share)[index_of(Share::idle)] + (*process.time_share)[index_of(Share::link)];
  return idle < 1 ? Metric(1 - idle) : std::nullopt;
}

// The share of the images dropped and served that a full queue dropped; absent if none was dropped.
[[nodiscard]] inline Metric dropped_share(const ProcessResult& process) {
  if (process.dropped_images <= 0) return std::nullopt;
  return process.dropped_images / (process.dropped_images + process.images.value_or(0));
}

// A co-runner: an entry of `processes`, written among those with a model.
struct LoadResult {
  std::string name;  // empty unless the scenario gives one
  std::string load;  // "memory_write"
  std::int64_t threads = 1;
  std::string grade;  // grade of the parameters for the traffic of its cores
  std::size_t behind_entries = 0, behind_processes = 0;  // number of those with a model that stand before it
  Metric bandwidth_gb_s;                                 // DRAM traffic; absent for `busy`
  Metric busy_cores;                                     // mean number of cores that its threads held
};

// A media engine that stages use.
struct EngineResult {
  std::string name;  // "nvdec"
  Metric busy;
};

struct DlaResult {
  std::string name;  // "dla0"
  Metric busy, clock_mhz;
};

// The link over which requests arrived.
struct LinkResult {
  Metric busy;                     // share of time during which it was sending
  Metric load;                     // offered load with retransmissions, as a share of its capacity
  Metric requests_per_s, resends;  // requests sent over it; lost attempts per request
  Metric wait_ms;                  // mean time that an attempt waited for the link
  std::int64_t queued = 0;         // attempts that waited for it at the end
  double tries = 0;                // attempts, those of requests sent before included; not told
  Metric power_w;                  // power of the sender; not part of power_w
};

struct PowerResult {
  Metric mean, peak;                  // peak: the highest mean over a window of 100 ms
  NamedParameters rails, rail_peaks;  // measured by the board's sensors
  NamedParameters parts;              // by power::part_names; their sum is the mean
  Metric wall;                        // power at the plug
  Interval ci95;                      // interval of the mean: simulation noise; only with replications
  Interval pi90;                      // interval of the mean, if requested
  std::optional<IntervalParts> pi90_parts;
};

struct GpuResult {
  Metric busy, reported_load;
  SmArray array;
  Metric clock_mhz, switches_per_s;
  Metric clock_effective_mhz;  // the SMs' own while the GPU is busy; absent: as far as known, clock_mhz
  Metric repeated;             // share of time in which batches took the times of earlier ones; absent: none
  std::optional<GpuWindows> windows;  // if requested
  Metric compositor;  // share of time during which the compositor's frames ran; absent: there is none
};

struct CpuResult {
  Metric busy_cores, migrations_per_s, involuntary_switches_per_s;
  Metric interrupted;             // cores' time that interrupts took from threads; absent without interrupts
  std::vector<double> clock_mhz;  // mean per cluster
};

struct MemoryResult {
  Metric used_mb, capacity_mb, gpu_share, bandwidth_gb_s;
  Metric needed_mb;  // memory needed, including processes that do not fit
  Metric clock_mhz;  // mean clock of the EMC
};

// All language models of the board together. An interval is there if it was requested.
struct TotalTokens {
  std::int64_t decoded = 0;  // number of tokens of decode steps
  Metric per_s;
  Interval per_s_pi90;
  std::optional<IntervalParts> per_s_pi90_parts = {};
  Metric energy_mj;  // energy of the board for each of these tokens
  Interval energy_pi90;
  std::string power_grade = {};  // grade of that energy; empty: the board's power is not modelled
};

struct SystemResult {
  Metric throughput;         // images/s, total of all processes
  Interval throughput_ci95;  // simulation noise; only with replications
  Interval throughput_pi90;  // if requested
  std::optional<IntervalParts> throughput_pi90_parts;
  PowerResult power_w;
  Metric energy_per_image_mj;
  std::optional<TotalTokens> tokens;  // absent without language models
  GpuResult gpu;
  std::vector<DlaResult> dla;         // empty on a board without DLAs
  std::vector<EngineResult> engines;  // engines that stages use
  std::optional<LinkResult> link;
  CpuResult cpu;
  MemoryResult memory;
  Metric temperature_c, temperature_peak_c;  // temperature of the chip: at the end, and the maximum
  // For each domain ("cpu0", "gpu", "emc"): share of time at each clock, by MHz.
  Named<NamedParameters> time_in_state;
  std::string limited_by = "none";  // or power_cap | over_current | thermal | power_mode
  NamedParameters limited_share;
  std::string stop = "duration";  // or relative_error | limit | batches | thermal_shutdown
};

// Seconds from the start until a series has settled, by MSER-5; absent if it has not settled.
struct Warmup {
  double set_s = 0;  // warm-up that was left out of the metrics
  Metric throughput_s, power_s, temperature_s;
};

// A metric of a run against a limit of the scenario's `constraints`, or its `objective`, which has none.
struct Judged {
  std::string metric;  // its path as the scenario names it
  std::string words;   // "detector p99"
  std::string unit;    // "ms"
  Metric value;        // of the worst process; absent if latency grows, or if the run is too short
  Interval pi90;
  Metric limit;
  bool least = false;        // true: the limit is the least value
  bool grows = false;        // the process does not keep up
  std::string served = {};   // then: "16.3 of 25 images/s"; empty: not known
  Metric unstable_share;     // that process's
  std::string already = {};  // without a value: a lower percentile above the limit, "p90 7.2 ms"
  std::optional<bool> met;   // absent without a limit, a value or such a percentile
  std::optional<std::int64_t> entry = {};  // the entry of that process; absent: a metric of the board
  // The same with other draws of requests and chance, the run's own among them: the least and the greatest
  // value, and how many meet the limit. Absent: not run, or one has no value.
  Interval range = {};
  int draws = 0, draws_met = 0;
};

// A board on which all takes so much longer (0.17: 17 %) does not keep up with the requests of a process.
struct Room {
  double slower = 0;
  std::size_t process = 0;
};

// The smallest change that was found to break a limit.
struct Breaks {
  std::string change;     // "requests come more often"
  Metric by;              // 0.2: a fifth; absent: twice of nothing that was tried breaks it
  std::string text = {};  // "breaks if requests come 20 % more often"
};

// The answer to the limits, or the objective, of a scenario. The metric is the one that decides: the limit
// that is missed most, or that is nearest.
struct Verdict {
  std::string question = {};  // the question, without its mark
  std::string text;           // a sentence without its full stop
  std::string metric;
  Metric value;
  Interval pi90;
  Metric limit;
  std::optional<bool> met;       // all limits
  std::optional<Breaks> breaks;  // absent: not looked for, or a limit is missed
  std::vector<Judged> limits;    // all
};

struct Result {
  std::string scenario;       // its name
  std::string scenario_hash;  // hash of the resolved scenario: scenario_hash()
  std::string resolved;       // the scenario with all defaults: to_json(); empty: omitted
  std::string device;
  std::string profile_hash;
  std::uint64_t seed = 1;
  double simulated_s = 0;  // simulated time without the warm-up; total of all replications
  std::int64_t replications = 1;
  std::string status = "ok";       // or out_of_memory if a process did not fit
  std::optional<Verdict> verdict;  // absent without limits and an objective
  std::optional<Room> room = {};   // within the usual error; absent: it keeps up there, or it was not tried
  std::vector<ProcessResult> processes;
  std::vector<LoadResult> loads;
  SystemResult system;
  // True if all processes and the board's power are steady, false as soon as one is not.
  std::optional<bool> stationary;
  Warmup warmup;
  std::vector<std::string> warnings;  // sentences on what still changes, for the user
};

}  // namespace jostle::scenarios
