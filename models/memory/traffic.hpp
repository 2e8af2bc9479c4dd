// Who moves data over the memory that CPU and GPU share: kernels, host threads, copies.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/memory/arbiter.hpp"
#include "sim/engine.hpp"

namespace jostle::memory {

// What a GPU asks for while it executes batches of these kernels, in the mean. A kernel of which no bytes are
// known moves what the memory can while it is bound by it.
[[nodiscard]] Demand demand_of(const gpu::KernelSequence& kernels, double capacity_bytes_per_s);

class Traffic {
 public:
  // `gpu`: told at which speed memory-bound kernels run. `copy_bytes_per_s`: read and written while a copy is
  // under way.
  Traffic(sim::Engine& engine, const Sharing& sharing, const SpeedListener& gpu, double copy_bytes_per_s)
      : arbiter_(engine, sharing),
        gpu_(arbiter_.add(gpu)),
        cores_(arbiter_.add({})),
        copies_(arbiter_.add({})),
        copy_bytes_per_s_(copy_bytes_per_s) {}

  // A process's kernels begin to have the GPU, or cease to. `demand` is that of the clocks which the kernels
  // were given at; where several have it at once (MPS), that of the last counts for all.
  void gpu_runs(const Demand& demand);
  void gpu_rests();
  // The memory's capacity, and how fast the GPU runs what is bound by its clock and what is bound by memory
  // (> 0), against the clocks which kernels were given at.
  void set_clocks(double capacity_bytes_per_s, double gpu_clock, double gpu_memory);
  // A thread that moves so much begins to run on a core (+), or ceases to (-).
  void core_demands(double change_bytes_per_s);
  void copies_change(int change);

  // For further clients, such as DLAs.
  [[nodiscard]] Arbiter& arbiter() { return arbiter_; }
  // Bytes moved by threads and copies so far.
  [[nodiscard]] double moved_by_host() const { return arbiter_.moved(cores_) + arbiter_.moved(copies_); }

 private:
  void set_gpu_demand(const Demand& demand);

  Arbiter arbiter_;
  ClientId gpu_, cores_, copies_;
  Demand gpu_demand_;  // as it was given
  int on_gpu_ = 0;     // processes whose kernels have the GPU
  double gpu_clock_ = 1, gpu_memory_ = 1;
  double copy_bytes_per_s_;
  double core_bytes_per_s_ = 0;  // of all threads on cores
  int threads_ = 0;              // which they are
  int copying_ = 0;
};

}  // namespace jostle::memory
