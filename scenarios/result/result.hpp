// The answer to a scenario, as plain data: the contract of docs/result.md, written by result_json.hpp.
//
// A figure that is undefined (one batch, no samples, no model yet) is absent here and null there, never NaN.
// Milliseconds, MB (10^6 bytes), W, MHz, shares from 0 to 1 as the names say.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/process/share.hpp"

namespace jostle::scenarios {

using Metric = std::optional<double>;
using Interval = std::optional<std::pair<double, double>>;  // from, to

struct Throughput {
  Metric mean;    // images/s
  Interval ci95;  // simulation noise
  Interval pi90;  // prediction; absent until calibrated
};

struct Latency {
  Metric mean, p50, p90, p95, p99;
  Interval pi90;
};

// One ExecutionContext call, and what it is made of.
struct EnqueueCall {
  Metric mean, launch, reschedule, compute, blocking;
};

// [process::index_of(share)]: of the process's time; every instant belongs to one share.
using TimeShare = std::array<double, process::share_count>;

// Of the host, around inference; `ms`: of a batch, waiting for a core included.
struct StageResult {
  std::string name;
  Metric ms;
};

struct GpuRunningBy {
  Metric compute, memory, fixed, throttled;
};

// What a process holds, in MB.
struct ProcessMemory {
  Metric context, engine, arena, io;
  Metric gpu;  // of all of these, what is allocated for the GPU
};

// Means over the time measured, of the whole GPU: SM-cycles with a resident warp, issue slots and tensor
// pipes used, resident warps of the most there could be.
struct SmArray {
  Metric sm_active, issue_slot, tensor_active, occupancy;
};

// How the means over windows are distributed, as a profiler that samples would tell (scenario: gpu_metrics).
struct WindowShares {
  std::string name;  // board::gpu_window_names
  Metric mean, max;
  std::array<Metric, 7> percentiles;  // window_percentiles
  std::vector<double> cdf;            // [i]: share of the windows at or below i percent; 101, or none
};
inline constexpr std::array<int, 7> window_percentiles{5, 10, 25, 50, 75, 90, 95};
struct GpuWindows {
  double interval_us = 0;
  std::int64_t samples = 0;
  std::vector<WindowShares> shares;
};

struct ProcessResult {
  std::int64_t index = 0;  // among all processes
  std::int64_t entry = 0;  // of the scenario's `processes`
  std::string name;        // empty unless the scenario gives one
  std::string model;
  std::optional<std::string> precision;  // absent for synthetic processes
  std::int64_t batch = 1;
  std::string runtime;
  bool training = false;      // a batch is a step of training
  std::string status = "ok";  // or out_of_memory: figures are absent
  std::string grade;          // of the kernel times: measured | interpolated | fitted | datasheet
  Throughput throughput;
  Latency latency_ms;
  EnqueueCall ec_ms;
  Metric sync_ms;
  std::vector<StageResult> stages;  // in the order in which they are done
  std::optional<TimeShare> time_share;
  GpuRunningBy gpu_running_by;
  SmArray gpu;                            // by its own kernels
  std::optional<GpuWindows> gpu_windows;  // where asked for
  Metric memory_mb;                       // all of `memory`
  ProcessMemory memory;
  std::string problem;  // why it has no figures, as "does not fit into memory: …"; else empty
  std::int64_t drops = 0;
  Metric setup_ms;     // run: {setup: true}: from its start to its being ready
  Metric finished_ms;  // run: {batches: n}: from its start to its last batch
};

struct DlaResult {
  std::string name;  // "dla0"
  Metric busy, clock_mhz;
};

// The link that requests came over.
struct LinkResult {
  Metric busy;                     // share of the time in which it was sending
  Metric requests_per_s, resends;  // sent over it; lost tries for each of them
  Metric wait_ms;                  // mean, of a try for the link to be free
  std::int64_t queued = 0;         // waiting for it at the end
  Metric power_w;                  // of the sender; not in power_w
};

using NamedParameters = std::vector<std::pair<std::string, double>>;  // in the order to be shown

struct SystemResult {
  Metric throughput;         // images/s of all processes
  Interval throughput_pi90;  // where asked for
  struct {
    Metric mean, peak;                  // peak: the highest mean over a window of 100 ms
    NamedParameters rails, rail_peaks;  // as the board's sensors see them
    NamedParameters parts;              // power::part_names; their sum is the mean
    Metric wall;                        // at the plug
    Interval pi90;                      // of the mean, where asked for
  } power_w;
  Metric energy_per_image_mj;
  struct {
    Metric busy, reported_load;
    SmArray array;
    Metric clock_mhz, switches_per_s;
    std::optional<GpuWindows> windows;  // where asked for
  } gpu;
  std::vector<DlaResult> dla;  // of a board that has any
  std::optional<LinkResult> link;
  struct {
    Metric busy_cores, migrations_per_s, involuntary_switches_per_s;
    std::vector<double> clock_mhz;  // mean, a cluster each
  } cpu;
  struct {
    Metric used_mb, capacity_mb, gpu_share, bandwidth_gb_s;
    Metric clock_mhz;  // mean, of the EMC
  } memory;
  Metric temperature_c, temperature_peak_c;  // of the chip: at the end, at most
  // Of each domain ("cpu0", "gpu", "emc"): shares of the time at each clock, by MHz.
  std::vector<std::pair<std::string, NamedParameters>> time_in_state;
  std::string limited_by = "none";  // or power_cap | over_current | thermal | power_mode
  NamedParameters limited_share;
  std::string stop = "duration";  // or relative_error | limit | batches | thermal_shutdown
};

struct Result {
  std::string scenario;       // its name
  std::string scenario_hash;  // of the question: scenario_hash()
  std::string resolved;       // the scenario with every default filled in: to_json(); empty: left out
  std::string device;
  std::string profile_hash;
  std::uint64_t seed = 1;
  double simulated_s = 0;     // warm-up excluded
  std::string status = "ok";  // or out_of_memory where a process did not fit
  std::vector<ProcessResult> processes;
  SystemResult system;
};

}  // namespace jostle::scenarios
