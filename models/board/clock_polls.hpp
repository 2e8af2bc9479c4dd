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

// Each constructor adds the clocks to its domain. With an interval of zero there is nothing to poll. poll()
// returns false if the governor was not called.
struct CpuPolls {
  CpuPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return clusters.front().interval(); }
  bool poll(Board& board, ClockDomains& domains, sim::Time now);

  std::vector<power::CpuScaling> clusters;
  sim::Time polled;
  std::vector<sim::Duration> core_busy;
  std::vector<double> busy_shares, estimates;  // for the cores of one cluster
};

struct GpuPolls {
  GpuPolls(const Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return scaling.interval(); }
  bool poll(Board& board, ClockDomains& domains, sim::Time now);

  power::GpuScaling scaling;
  sim::Time polled;
  sim::Duration busy, idle;
};

struct EmcPolls {
  EmcPolls(const Board& board, const DvfsSetup& setup, ClockDomain& domain);
  [[nodiscard]] sim::Duration interval() const { return scaling.interval(); }
  bool poll(Board& board, ClockDomains& domains, sim::Time now);

  power::EmcScaling scaling;
  sim::Duration dla_powered_for;
  sim::Time polled;
  double bytes = 0;
  sim::Duration dla_busy;             // sum over all DLAs
  std::optional<sim::Time> dla_used;  // the last poll that found a DLA at work
};

}  // namespace jostle::board
