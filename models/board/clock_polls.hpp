// The governors of a running board's clocks: each reads its part of the board since its last poll and
// requests the clock of its domain.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/clock_domain.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/emc_scaling.hpp"
#include "models/power/governors/gpu_governors.hpp"

namespace jostle::board {

// Each constructor adds the clocks to its domain. Board and domain must outlive the object. An interval of
// zero means that there is nothing to poll.
class CpuPolls {
 public:
  CpuPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return clusters_.front().interval(); }
  void poll(sim::Time now);

 private:
  Board& board_;
  ClockDomain& domain_;
  std::vector<power::CpuScaling> clusters_;
  sim::Time polled_;
  std::vector<sim::Duration> core_busy_;
  std::vector<double> busy_shares_;  // for the cores of one cluster
  std::vector<double> estimates_;
};

class GpuPolls {
 public:
  GpuPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return scaling_.interval(); }
  // False if the GPU is not powered, and was not at the last poll: its governor is not called.
  bool poll(sim::Time now);
  [[nodiscard]] bool suspended() const { return suspended_; }

 private:
  Board& board_;
  ClockDomain& domain_;
  power::GpuScaling scaling_;
  sim::Time polled_;
  sim::Duration busy_, idle_;
  bool suspended_ = false;
};

class EmcPolls {
 public:
  EmcPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return scaling_.interval(); }
  // `gpu_hz`: the GPU's clock; 0: it is not powered.
  void poll(sim::Time now, double gpu_hz);
  // The GPU's clock is now `hz`, which requires a minimum clock of the memory.
  void raise_for_gpu(double hz);
  // The board has set its sums back to zero.
  void restart() { bytes_ = board_.dram_bytes(); }

 private:
  bool dla_powered(sim::Time now);

  Board& board_;
  ClockDomain& domain_;
  sim::Duration dla_powered_for_;
  power::EmcScaling scaling_;
  sim::Time polled_;
  double bytes_ = 0;
  sim::Duration dla_busy_;             // sum over all DLAs
  std::optional<sim::Time> dla_used_;  // the last poll that found a DLA at work
};

}  // namespace jostle::board
