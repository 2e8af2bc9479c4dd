// Accounts for the power of a running board: its energy, and the time for which each cause limited a clock.
#pragma once

#include <cstddef>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/clock_domain.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/board/power_report.hpp"
#include "models/power/energy.hpp"
#include "sim/engine.hpp"
#include "sim/interval_means.hpp"

namespace jostle::board {

// Measures the power of a running board: reads its signals, computes the energy since the last reading, and
// adds up these energies.
//
// The energy is exact at any rate of readings, provided that the meter reads before each change of a clock.
// Peaks are peaks of means over windows, as a polled sensor would show.
class PowerMeter {
 public:
  // Engine and board must outlive it. `celsius`: temperature of the chip until set_temperature() is called.
  PowerMeter(sim::Engine& engine, Board& board, const power::Spec& spec, double celsius);

  // Accrues the energy since the last call, at the present clocks; false if no time has passed.
  bool accrue();
  // Ends a window: mean watts by part since the end of the last window.
  power::PerPart end_window();
  // While GPU clocks are pinned, the GPU is not powered off when idle.
  void pin_gpu(bool pinned) { gpu_pinned_ = pinned; }
  // Sets the share of clock pulses that pass from now on. The voltage is that of the full clock.
  void set_cpu_pulses(double ratio) {
    for (power::ClusterActivity& cluster : activity_.clusters) cluster.pulses = ratio;
  }
  void set_gpu_pulses(double ratio) { activity_.gpu_pulses = ratio; }
  void set_temperature(double celsius) { celsius_ = celsius; }
  [[nodiscard]] double celsius() const { return celsius_; }

  // Ends the warm-up: discards the sums. Call after Board::end_warmup(), and accrue() before it.
  void restart();

  // Sums from the end of the warm-up to the last accrue().
  [[nodiscard]] const power::PerPart& joules() const { return joules_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  // Energy that would have leaked in that time at the reference temperature.
  [[nodiscard]] double leakage_j() const { return leakage_j_; }
  // Energy from the start of the run up to now, without ending the interval, for frequent readings.
  [[nodiscard]] double joules_by_now();
  // The activity at the last reading of the board, with the pulses that pass now.
  [[nodiscard]] const power::Activity& last() const { return activity_; }

 private:
  struct Reading {
    std::vector<sim::Duration> core_busy;
    sim::Duration gpu_busy, dla_busy;
    gpu::Usage gpu;
    double other_bytes = 0;  // moved by all users other than the GPU
    double dla_operations = 0;
  };
  void read(Reading& reading);
  bool look();
  [[nodiscard]] double gated() const;
  [[nodiscard]] double leaked(double joules) const;

  sim::Engine& engine_;
  Board& board_;
  power::Spec spec_;
  double celsius_;
  bool gpu_pinned_ = false;
  sim::Time accrued_until_;
  Reading before_, now_;
  power::Activity activity_;
  double gpu_idle_s_ = 0;  // idle time without interruption, up to the last accrue()
  power::PerPart joules_{}, window_{};
  double seconds_ = 0, window_s_ = 0, total_j_ = 0, leakage_j_ = 0;
  double before_restart_j_ = 0;  // total_j_ at the end of the warm-up
};

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
