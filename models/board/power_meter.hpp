// Measures the power of a running board: reads its signals, computes the energy since the last reading, and
// adds up these energies.
//
// The energy is exact at any rate of readings, provided that the meter reads before each change of a clock.
// Peaks are peaks of means over windows, as a polled sensor would show.
#pragma once

#include <cstddef>
#include <vector>

#include "models/board/board.hpp"
#include "models/power/energy.hpp"
#include "sim/engine.hpp"

namespace jostle::board {

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

}  // namespace jostle::board
