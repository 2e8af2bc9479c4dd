// What a GPU is: hardware limits, roofs, and the constants of its time slicing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::gpu {

enum class PreemptionGranularity { instruction, thread_block, kernel };

// The time-slice law (traces/h200 README; mechanisms.md (c) for Tegra): the GPU is a polling server with
// switch-over times and time-limited exhaustive service, one time-slice group (TSG) per process.
struct TimeSlicing {
  sim::Duration slice;             // Q: a turn ends when this has passed since it began ...
  sim::Duration slice_jitter;      // half-width of the spread of single slices about Q (uniform)
  sim::Duration switch_when_idle;  // ... or when the owner has no work left; cost of the change of owner then
  sim::Duration switch_at_expiry;  // and at expiry, of a context with hardly any state on the SMs, plus ...
  double state_bandwidth_bytes_per_s = 0;  // ... resident registers and shared memory, saved and restored at
                                           // this rate (0: included above)
  // Extra execution time of the first kernels after an expiry, of any context (instruction caches, TLB) and
  // of one whose kernels touch memory (data caches).
  sim::Duration restart_after_expiry;
  sim::Duration refill_after_expiry;
  sim::Duration
      hold_when_idle;  // how long an owner that ran out of work keeps the GPU from others (0: not at all)
  PreemptionGranularity granularity = PreemptionGranularity::instruction;
};

// The first kernel after the GPU has idled at least `after` starts `cost` late; hidden in a switch.
struct IdleWake {
  sim::Duration after = sim::Duration::max();
  sim::Duration cost;
};

// Dense operations per clock per SM (a multiply-add is two), 0 where the precision has no path of its own.
struct OpsPerClock {
  double fp32 = 0, tf32 = 0, fp16 = 0, int8 = 0;
};

// How far kernels exploit the GPU, where their times are computed from layers (models/dnn/roofline.hpp).
// Fitted per architecture: see docs/validation.md.
struct KernelCosts {
  double tensor_efficiency = 0.6;  // of the tensor cores' peak that the loop over a tile reaches
  double cuda_efficiency = 0.8;    // the same of the CUDA cores (sm_8x and later share lanes with addresses)
  double winograd_gain = 1;        // 3 x 3 convolutions of stride 1 on CUDA cores run so much faster
  double heuristic_algorithm_efficiency =
      1;                           // wider ones, of an algorithm that a framework took by rule, not by trial
  double wave_cycles = 2500;       // fill and drain of a block's pipeline, in each wave
  double start_cycles = 4000;      // of a kernel, the part that scales with the clock
  double l2_bytes_per_clock = 64;  // what an SM takes from L2
};

struct Spec {
  std::string architecture;  // "sm_90"
  int sm_count = 0;
  double max_clock_hz = 0;
  std::vector<double> clock_table_hz;  // ascending; empty: any clock up to the maximum
  int max_threads_per_sm = 0, max_blocks_per_sm = 0, max_threads_per_block = 1024;
  int registers_per_sm = 65536;
  int shared_bytes_per_sm = 0;
  OpsPerClock cuda_cores, tensor_cores;  // tensor_cores all 0: none
  double l2_bytes = 0;
  double bandwidth_bytes_per_s = 0;   // peak of the DRAM behind it, at its maximum clock
  double bandwidth_efficiency = 0.8;  // achievable share of the peak
  double memory_bytes_per_clock =
      0;  // most that its SMs together move to and from DRAM in a clock of the GPU; 0: no limit
  double copy_bandwidth_bytes_per_s = 0;  // of a copy engine, host to device or back; 0: copies take no time
  sim::Duration copy_fixed;               // start of one copy
  sim::Duration kernel_fixed;             // start of one kernel, the part that no clock changes
  KernelCosts kernels;
  TimeSlicing time_slicing;
  IdleWake idle_wake;
};

// What the GPU moves at `clock_hz` if the memory achieves `dram_bytes_per_s`.
[[nodiscard]] inline double reachable_bandwidth(const Spec& gpu, double clock_hz, double dram_bytes_per_s) {
  const double most = gpu.memory_bytes_per_clock * clock_hz;
  return most > 0 && most < dram_bytes_per_s ? most : dram_bytes_per_s;
}

// Of the cycles of its SMs, those in which warps get on while the GPU moves `bytes_per_s` to and from DRAM:
// as many for a byte at all clocks, and all of them where the SMs, not the memory, bound the stream. Without
// such a bound: all of them at the highest clocks.
[[nodiscard]] inline double working_while_streaming(const Spec& gpu, double bytes_per_s, double clock_hz) {
  const double bound = gpu.memory_bytes_per_clock > 0 ? gpu.memory_bytes_per_clock * clock_hz
                                                      : gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency *
                                                            clock_hz / gpu.max_clock_hz;
  return bound > 0 ? bytes_per_s / bound : 1;
}

// With power for so many of its SMs only; what each of them asks of the memory stays.
[[nodiscard]] inline Spec with_sms(Spec gpu, int sms) {
  if (sms >= gpu.sm_count) return gpu;
  gpu.memory_bytes_per_clock *= static_cast<double>(sms) / gpu.sm_count;
  gpu.sm_count = sms;
  return gpu;
}

}  // namespace jostle::gpu
