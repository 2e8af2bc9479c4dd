// Parameters of a GPU: hardware limits, peak rates, and time slicing.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/gpu/droop.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

enum class PreemptionGranularity { instruction, thread_block, kernel };

// The model of time slicing: the GPU is a polling server with switch-over times and time-limited exhaustive
// service; each process is one time-slice group (TSG). Measured on an H200 (calibration/evidence/h200:
// timeslices.csv, sharing_intervals.csv, sparse_launch_intervals.csv); Tegra's driver has the same mechanism
// (nvgpu: TSGs on a runlist).
struct TimeSlicing {
  sim::Duration slice;             // Q: a turn ends when this time has passed since it began,
  sim::Duration slice_jitter;      // half-width of the uniform distribution of single slices about Q
  sim::Duration switch_when_idle;  // or when the owner has no work left; cost of that context switch
  // Cost of a context switch at expiry: a constant for a context with hardly any state on the SMs, plus
  // saving and restoring resident registers and shared memory at state_bandwidth (0: included in the
  // constant).
  sim::Duration switch_at_expiry;
  double state_bandwidth_bytes_per_s = 0;
  // Extra execution time of the first kernels after an expiry: for every context (instruction caches, TLB),
  // and for a context whose kernels touch memory (data caches).
  sim::Duration restart_after_expiry;
  sim::Duration refill_after_expiry;
  // Time for which an owner that is out of work keeps the GPU from others (0: not at all).
  sim::Duration hold_when_idle;
  PreemptionGranularity granularity = PreemptionGranularity::instruction;
};

// The first kernel after the GPU has been idle for at least `after` starts `cost` late. This delay is hidden
// in a context switch.
struct IdleWake {
  sim::Duration after = sim::Duration::max();
  sim::Duration cost;
};

// The model of sharing in space: streams of one process, and processes under MPS (models/gpu/dispatcher.hpp).
// Evidence: calibration/evidence/h200-space.
struct SpaceSharing {
  int connections = 32;  // channels of one process; further streams share them
  // Maximum number of kernels that run at one time (CUDA programming guide, "Technical Specifications").
  int resident_grids = 128;
  sim::Duration kernel_start;    // part of a kernel's duration that passes while it waits for free SMs
  sim::Duration block_turnover;  // extra time of a block that waited for free resources
  sim::Duration fetch;           // extra time of a kernel for each kernel that runs when it starts
  sim::Duration foreign_fetch;   // additional time if one of these is of another network or batch
  sim::Duration mps_kernel;      // extra time of each kernel under MPS
  sim::Duration mps_cold_code;   // additional time of one whose code neither caches nor L2 still hold
  double compute_load = 1;       // share of an SM's pipes that a kernel keeps busy, over the measured share
  double memory_load = 1;        // the same for memory
  double miss_latency = 1;       // time of a byte from DRAM over that of one from L2, for what waits for it
  double warp_bytes_per_s = 0;   // maximum bandwidth of one warp while it is alone; 0: no limit
};

// One value for each precision.
struct PerPrecision {
  double fp32 = 0, tf32 = 0, fp16 = 0, int8 = 0, fp8 = 0, nvfp4 = 0;
};
// Dense operations per clock and SM; a multiply-add counts as two. 0: the GPU has no path for the precision.
using OpsPerClock = PerPrecision;

// Warp instructions that kernels issue, for times that are computed from layers; only issue_slot depends on
// them.
struct IssuedInstructions {
  double per_tensor_clock = 0.4375;  // per clock of a busy tensor core: an mma of eight clocks, and its loads
  double per_fma = 1.25;             // per FMA of a warp, with addresses
  double per_result = 22;  // per result of a product: accumulators, scale, bias, residual, conversion
  double per_moved = 5;    // per element that a pointwise kernel reads or writes
};

// The efficiency of kernels whose times are computed from layers (models/dnn/roofline.hpp). Fitted for each
// architecture: see docs/validation.md.
struct KernelCosts {
  double tensor_efficiency = 0.6;  // share of the tensor cores' peak that the loop over a tile reaches
  // The tensor efficiency of a precision that differs; 0: it does not.
  PerPrecision tensor_efficiency_of;
  // The efficiency of the CUDA cores in that loop (from sm_80 on, address arithmetic shares their lanes).
  double cuda_efficiency = 0.8;
  double winograd_gain = 1;  // speed-up of 3 x 3 convolutions of stride 1 on CUDA cores
  // The two of a precision that differs, where a runtime tries algorithms; 0: it does not.
  PerPrecision cuda_efficiency_of, winograd_gain_of;
  double gemm_gain = 1;  // speed-up of linear layers and matmuls on tensor cores: no windows to gather
  // Speed-up of wider convolutions if a framework chose the algorithm by heuristics, without trials.
  double heuristic_algorithm_efficiency = 1;
  // Share of the fp32 peak that depthwise convolutions reach: their tiles reuse no data.
  double depthwise_efficiency = 0.2;
  double wave_cycles = 2500;       // filling and draining a block's pipeline, in each wave
  double start_cycles = 4000;      // start of a kernel, the part that scales with the clock
  double l2_bytes_per_clock = 64;  // L2 bandwidth of one SM
  IssuedInstructions instructions;
};

struct Spec {
  std::string architecture;  // "sm_90"
  int sm_count = 0;
  int sms_per_tpc = 1;
  double max_clock_hz = 0;
  DroopSpec droop;
  std::vector<double> clock_table_hz;  // ascending; empty: any clock up to the maximum
  int max_threads_per_sm = 0, max_blocks_per_sm = 0, max_threads_per_block = 1024;
  int registers_per_sm = 65536;
  int shared_bytes_per_sm = 0;
  OpsPerClock cuda_cores, tensor_cores;  // tensor_cores all 0: none
  double l2_bytes = 0;
  double bandwidth_bytes_per_s = 0;   // peak of its DRAM, at the memory's maximum clock
  double bandwidth_efficiency = 0.8;  // achievable share of the peak
  double memory_bytes_per_clock =
      0;  // maximum that L2 and frame-buffer partitions move to and from DRAM in one GPU clock; 0: no limit
  // The bandwidth of one copy engine, host to device or back; 0: copies take no time.
  double copy_bandwidth_bytes_per_s = 0;
  sim::Duration copy_fixed;    // start of one copy
  sim::Duration kernel_fixed;  // start of one kernel, the part that does not depend on any clock
  KernelCosts kernels;
  TimeSlicing time_slicing;
  SpaceSharing space_sharing;
  IdleWake idle_wake;
};

// The bandwidth that the GPU reaches at `clock_hz` if the memory delivers `dram_bytes_per_s`.
[[nodiscard]] inline double reachable_bandwidth(const Spec& gpu, double clock_hz, double dram_bytes_per_s) {
  const double most = gpu.memory_bytes_per_clock * clock_hz;
  return most > 0 && most < dram_bytes_per_s ? most : dram_bytes_per_s;
}

// Share of the SMs' cycles in which warps make progress while the GPU moves `bytes_per_s` to and from DRAM:
// the same number of cycles per byte at all clocks, and all cycles if the SMs, not the memory, limit the
// stream. Without such a limit (memory_bytes_per_clock 0) the bound is the achievable bandwidth, in
// proportion to the clock.
[[nodiscard]] inline double working_while_streaming(const Spec& gpu, double bytes_per_s, double clock_hz) {
  const double bound = gpu.memory_bytes_per_clock > 0 ? gpu.memory_bytes_per_clock * clock_hz
                                                      : gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency *
                                                            clock_hz / gpu.max_clock_hz;
  return bound > 0 ? std::min(1.0, bytes_per_s / bound) : 1;
}

// The GPU with only `sms` SMs powered. Its L2 and frame-buffer partitions, which limit the bytes per clock to
// and from DRAM, keep their power.
[[nodiscard]] inline Spec with_sms(Spec gpu, int sms) {
  gpu.sm_count = std::min(gpu.sm_count, sms);
  return gpu;
}

}  // namespace jostle::gpu
