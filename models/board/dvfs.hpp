// Controls the clocks of a running board: governors poll their domains, controllers limit them, and a new
// clock takes effect after the delay of its domain. Also measures the board's power.
//
// Governors and controllers run in their own events, which read the simulation's signals. Without a Dvfs,
// clocks are constant.
#pragma once

#include <optional>

#include "models/board/clock_domain.hpp"
#include "models/board/clock_polls.hpp"
#include "models/board/controllers.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/board/power_account.hpp"

namespace jostle::board {

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
  void poll_cpu();
  void poll_gpu();
  void poll_emc();
  void after(sim::Duration interval, sim::Action action) {
    engine_.schedule(engine_.now() + interval, action);
  }

  // Takes over the limits of controllers.
  void limit();
  // Begins the change of each domain whose request or limits have changed. It takes effect after the delay.
  void change();
  void apply_cpu();
  void apply_gpu();
  void apply_emc();
  // Books the time at the old clocks of a domain, which then has its new ones.
  void take_effect(ClockDomain& domain);
  // Passes the new clocks to the board, to the controllers and to the timeline.
  void set(const Clocks& clocks, const ClockDomain& changed);
  void open_counters(sim::TraceSink& trace);

  sim::Engine& engine_;
  Board& board_;
  ClockDomains domains_;
  CpuPolls cpu_;
  std::optional<GpuPolls> gpu_;
  EmcPolls emc_;
  PowerAccount account_;
  Controllers controllers_;
};

}  // namespace jostle::board
