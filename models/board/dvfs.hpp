// Controls the clocks of a running board: governors poll their domains, controllers limit them, and a new
// clock takes effect after the delay of its domain. Also measures the board's power.
//
// Governors and controllers run in their own events, which read the simulation's signals. Without a Dvfs,
// clocks are constant.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/clock_domain.hpp"
#include "models/board/controllers.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/board/power_account.hpp"
#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/emc_scaling.hpp"
#include "models/power/governors/gpu_governors.hpp"

namespace jostle::board {

// The governors of a running board's clocks: each reads its part of the board since its last poll and
// requests the clock of its domain.

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
  std::vector<sim::Duration> busy;  // by instance of the GPU
  sim::Duration idle;
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

class Dvfs {
 public:
  // Sets the clocks at the start. Engine and board must outlive it; the device must have power parameters.
  Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup);
  Dvfs(const Dvfs&) = delete;
  Dvfs& operator=(const Dvfs&) = delete;

  // Call before and after Board::end_warmup().
  void before_end_of_warmup() { account_.accrue(); }
  void after_end_of_warmup();
  [[nodiscard]] PowerReport report() { return account_.report(); }
  [[nodiscard]] const PowerAccount& account() const { return account_; }
  [[nodiscard]] const Controllers& controllers() const { return controllers_; }
  // True if the board has shut down because of its temperature.
  [[nodiscard]] bool down() const { return controllers_.thermal() && controllers_.thermal()->down(); }

 private:
  void open_counters(sim::TraceSink& trace);
  // Schedules a call of a member function; with an interval of zero, never.
  template <auto Member>
  void after(sim::Duration interval);
  // Polls the governor of a domain (cpu_, gpu_ or emc_) and schedules the next poll.
  template <auto Polls>
  void poll();
  // Takes over the limits of controllers.
  void limit();
  // Begins the change of each domain whose request or limits have changed. It takes effect after the delay.
  void change();
  void apply(ClockDomain& domain);
  // Marks a change of a clock on the timeline, with who made it.
  void mark(const Clock& clock, double before_hz);
  template <auto Domain>
  void apply_to() {
    apply(domains_.*Domain);
  }

  sim::Engine& engine_;
  Board& board_;
  ClockDomains domains_;
  CpuPolls cpu_;
  GpuPolls gpu_;
  EmcPolls emc_;
  PowerAccount account_;
  Controllers controllers_;
  sim::TrackId marks_ = sim::TrackId::none;  // of the timeline
};

}  // namespace jostle::board
