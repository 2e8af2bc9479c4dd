// Who moves data over the memory that CPU and GPU share: kernels, host threads, copies.
#pragma once

#include "models/dnn/kernel.hpp"
#include "models/memory/arbiter.hpp"
#include "sim/engine.hpp"

namespace jostle::memory {

// What a GPU asks for while it executes batches of these kernels, in the mean. A kernel of which no bytes are
// known moves what the memory can while it is bound by it.
[[nodiscard]] Demand demand_of(const dnn::KernelSequence& kernels, double capacity_bytes_per_s);

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

  // A process's kernels begin to have the GPU, or cease to.
  void gpu_runs(const Demand& demand) { arbiter_.set_demand(gpu_, demand); }
  void gpu_rests() { arbiter_.set_demand(gpu_, {}); }
  // A thread that moves so much begins to run on a core (+), or ceases to (-).
  void core_demands(double change_bytes_per_s);
  void copies_change(int change);

  // For further clients, such as DLAs.
  [[nodiscard]] Arbiter& arbiter() { return arbiter_; }
  // Bytes moved by threads and copies so far.
  [[nodiscard]] double moved_by_host() const { return arbiter_.moved(cores_) + arbiter_.moved(copies_); }

 private:
  Arbiter arbiter_;
  ClientId gpu_, cores_, copies_;
  double copy_bytes_per_s_;
  double core_bytes_per_s_ = 0;  // of all threads on cores
  int threads_ = 0;              // which they are
  int copying_ = 0;
};

}  // namespace jostle::memory
