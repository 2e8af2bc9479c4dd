// The traffic on the memory that CPU and GPU share: kernels, host threads, copies, co-runners.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/memory/arbiter.hpp"
#include "sim/engine.hpp"

namespace jostle::memory {

// The mean demand of a GPU that executes batches of these kernels. A kernel whose bytes are not known uses
// the whole bandwidth while it is memory-bound.
[[nodiscard]] Demand demand_of(const gpu::KernelSequence& kernels, double capacity_bytes_per_s);

// The traffic of one co-runner.
struct StreamId {
  std::size_t index = 0;
};

// The threads of one program that compute on the cores.
struct TeamId {
  std::size_t index = 0;  // 0: all threads that launch
};

class Traffic {
 public:
  // `gpu` is notified of the speed of memory-bound kernels. `copy_bytes_per_s`: read and written while a copy
  // is in progress.
  Traffic(sim::Engine& engine, const Sharing& sharing, const SpeedListener& gpu, double copy_bytes_per_s)
      : arbiter_(engine, sharing),
        gpus_(1, Gpu{arbiter_.add(gpu)}),
        teams_(1, Team{arbiter_.add({})}),
        copies_(arbiter_.add({})),
        co_runners_(arbiter_.add_steady()),
        copy_bytes_per_s_(copy_bytes_per_s) {}

  // A process's kernels begin or cease to have the GPU. `demand` is at the clocks that the kernels are given
  // at. If several processes have the GPU at once (MPS), the last demand counts for all of them.
  // `gpu`: the instance of the GPU.
  void gpu_runs(const Demand& demand, std::size_t gpu = 0);
  void gpu_rests(std::size_t gpu = 0);
  // One more instance of the GPU, which shares the memory with the first: instances are numbered from 0.
  void add_gpu(const SpeedListener& gpu) { gpus_.push_back({arbiter_.add(gpu)}); }
  // The capacity of the memory, and the speed of clock-bound and of memory-bound GPU work (> 0) relative to
  // the clocks that kernels are given at.
  void set_clocks(double capacity_bytes_per_s, double gpu_clock, double gpu_memory);
  // Each thread of a team is a user of the memory; those that launch are one together.
  [[nodiscard]] TeamId add_team();
  // The share of the time of a team's threads that is bound by memory from now on; 1 at first.
  void set_bound(TeamId team, double bound) { teams_[team.index].bound = bound; }
  // A thread with this bandwidth begins (+) or ceases (-) to run on a core.
  void core_demands(double change_bytes_per_s, TeamId team = {});
  // The present speed of the team's work in so far as it is bound by memory (memory_speed()). While it is,
  // all cores share what they can move together.
  [[nodiscard]] double core_speed(TeamId team) const;
  void copies_change(int change);

  // All cores move at most this much together (bytes/s); what co-runners demand beyond it is shared in
  // proportion.
  void limit_cores(double together) { cores_limit_ = together; }
  [[nodiscard]] StreamId add_stream();
  // Sets the co-runner's demand from now on, the sum over its `threads` threads.
  void set_stream(StreamId stream, double bytes_per_s, int threads);
  [[nodiscard]] double moved(StreamId stream) const;  // bytes so far

  // The arbiter, for other clients, such as DLAs.
  [[nodiscard]] Arbiter& arbiter() { return arbiter_; }
  // Bytes moved by threads, copies and co-runners so far.
  [[nodiscard]] double moved_by_host() const;

 private:
  struct Gpu {
    ClientId client;
    Demand demand = {.bytes_per_s = 0};  // the last one given to set_gpu_demand()
    int running = 0;                     // number of processes whose kernels have it
  };
  struct Team {
    ClientId client;
    double bytes_per_s = 0;  // demand of its threads on cores
    int threads = 0;         // number of those threads
    double bound = 1;
  };
  struct Stream {
    double demand = 0;  // bytes/s
    int threads = 0;
    double moved = 0;  // bytes, by the last change of any stream
  };

  void set_gpu_demand(Gpu& gpu, const Demand& demand);
  [[nodiscard]] double moved_since(const Stream& stream) const;

  Arbiter arbiter_;
  std::vector<Gpu> gpus_;
  std::vector<Team> teams_;
  ClientId copies_, co_runners_;
  std::vector<Stream> streams_;
  double cores_limit_ = std::numeric_limits<double>::infinity();
  double demanded_ = 0;          // total demand of all streams
  double moved_by_streams_ = 0;  // the part of arbiter_.moved(co_runners_) already divided among them
  double gpu_clock_ = 1, gpu_memory_ = 1;
  double copy_bytes_per_s_;
  int copying_ = 0;
};

}  // namespace jostle::memory
