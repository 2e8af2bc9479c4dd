// The GPU's work, as plain records: what one inference of a network launches, kernel by kernel.
//
// Produced by kernels_for() (models/dnn/kernels_for.hpp), consumed by the GPU, which never knows whether a
// record was measured, interpolated or computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::gpu {

// Where a figure came from, best first.
enum class Grade { measured, interpolated, fitted, datasheet };
[[nodiscard]] const char* to_string(Grade grade);

struct Kernel {
  sim::Duration duration;   // alone on the GPU, at the profile's reference clocks
  float compute_share = 1;  // how the duration splits: bound by arithmetic,
  float memory_share = 0;   // bound by memory bandwidth,
  float fixed_share = 0;    // and independent of both (the three sum to 1)
  // At other clocks the bound may change: arithmetic and memory overlap, and the longer of them counts. This
  // is the shorter one, over the duration; and the part of compute_share that does not overlap with memory
  // (of a kernel with a memory_share: all of it).
  float hidden_share = 0;
  float start_share = 0;
  std::uint32_t blocks = 1;
  std::uint32_t threads_per_block = 128;
  std::uint32_t registers_per_thread = 32;
  std::uint32_t shared_bytes = 0;  // per block
  // Of all the SMs of its GPU, in the mean over its duration, 0 to 1: with a resident warp; of the issue
  // slots and of the tensor pipes, those used; resident warps over the most there could be.
  float sm_active = 0, issue_slot = 0, tensor_active = 0, occupancy = 0;
  // The part of sm_active in which warps get on: not while blocks start. As many cycles at all clocks, for
  // waiting longer is no more work.
  float working = 0;
  float dram_bytes = 0;  // read and written
};

// What kernels had of the GPU while they were executing: sums over their time.
struct Usage {
  double compute = 0, memory = 0;  // seconds bound by arithmetic, and by memory
  // Seconds, each weighted with the share of the GPU that was used (see Kernel).
  double sm_active = 0, issue_slot = 0, tensor_active = 0, occupancy = 0, working = 0;
  double dram_bytes = 0;

  Usage& operator+=(const Usage& other);
  Usage& operator-=(const Usage& other);
};

// What `kernel` used in the first `done` of its duration.
[[nodiscard]] Usage usage_of(const Kernel& kernel, sim::Duration done);

// The kernels of one batch in launch order.
struct KernelSequence {
  std::vector<Kernel> kernels;
  // finish[i]: sum of the durations of kernels 0..i (back to back, no gaps); same length as `kernels`.
  std::vector<sim::Duration> finish;
  std::vector<Usage> used;  // of the same length: by kernels 0..i
  // Time lost between kernels, per batch, when the process has the GPU to itself and batches follow each
  // other without a pause; hidden when other processes use the GPU. (h200: solo batch time - sum of kernels.)
  sim::Duration lone_gap;
  // Whether the batch has nodes that are not kernels (memsets): CUDA launches a graph of kernels only in one
  // piece, and others in several; it decides when the host can refill during a turn.
  bool only_kernels = true;
  Grade grade = Grade::datasheet;
  std::string provenance;  // one line for people: which table, which interpolation

  [[nodiscard]] sim::Duration total() const { return finish.empty() ? sim::Duration::zero() : finish.back(); }
  void rebuild_finish();  // after `kernels` changed
};

}  // namespace jostle::gpu
