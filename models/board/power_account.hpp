// Accounts for the power of a running board: its energy, and the time for which each cause limited a clock.
#pragma once

#include <cstddef>
#include <vector>

#include "models/board/clock_domain.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/board/power_meter.hpp"
#include "models/board/power_report.hpp"
#include "sim/interval_means.hpp"

namespace jostle::board {

class PowerAccount {
 public:
  // The window of peaks and of the timeline.
  [[nodiscard]] static sim::Duration window() { return sim::milliseconds(100); }

  // All three must outlive it.
  PowerAccount(sim::Engine& engine, Board& board, ClockDomains& domains, const DvfsSetup& setup);
  // Begins the windows.
  void start();
  void open_counters(sim::TraceSink& trace);

  [[nodiscard]] PowerMeter& meter() { return meter_; }
  // Books the time up to now. Call it before a clock, a limit's effect or the temperature changes.
  void accrue();
  void set_temperature(double celsius);
  // The budget of the power cap or limit was exceeded for `seconds` with no clock left to lower.
  void add_unmet_budget(double seconds) { report_.unmet_budget_s += seconds; }

  // Ends the warm-up: discards the sums. Call after Board::end_warmup(), and accrue() before it.
  void restart();
  [[nodiscard]] PowerReport report();
  // Execution time of a process's kernels that was lost because a controller limited the GPU's clock, in
  // seconds.
  [[nodiscard]] double throttled_s(std::size_t process) const { return throttled_s_[process]; }
  // Power and temperature in successive windows, from the start of the run.
  [[nodiscard]] const sim::IntervalMeans& power_series() const { return power_series_; }
  [[nodiscard]] const sim::IntervalMeans& heat_series() const { return heat_series_; }

 private:
  void note_held(const power::Activity& last);
  void note_throttled(const Clock& gpu, power::Cause cause);
  void end_window();

  sim::Engine& engine_;
  Board& board_;
  ClockDomains& domains_;
  const power::Spec& spec_;
  bool controlled_;  // a controller may limit clocks
  PowerMeter meter_;
  PowerReport report_;
  sim::IntervalMeans power_series_{window()}, heat_series_{window()};
  std::vector<double> throttled_s_, compute_s_;  // by process
  std::vector<sim::TrackId> rail_counters_;
  sim::TrackId power_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
