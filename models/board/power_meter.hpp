// What a board draws while it runs: reads its signals, prices what happened since the last reading, and adds
// up.
//
// Energy is exact however often it reads, as long as it does before a clock changes; peaks are those of means
// over windows, as a sensor that is polled would tell.
#pragma once

#include <cstddef>
#include <vector>

#include "models/board/board.hpp"
#include "models/power/energy.hpp"
#include "sim/engine.hpp"

namespace jostle::board {

class PowerMeter {
 public:
  // Engine and board must outlive it. `celsius`: of the chip, until set_temperature().
  PowerMeter(sim::Engine& engine, Board& board, const power::Spec& spec, double celsius);

  // Prices what happened since the last call, at the clocks that hold now; false if no time has passed.
  bool accrue();
  // A window ends: mean watts by part since the last end.
  power::PerPart end_window();
  // GPU clocks are pinned: it keeps its power when it is idle.
  void pin_gpu(bool pinned) { gpu_pinned_ = pinned; }
  // Of clock pulses let through, from now on: the voltage is that of the clock with all of them.
  void set_cpu_pulses(double ratio) { cpu_pulses_ = ratio; }
  void set_gpu_pulses(double ratio) { gpu_pulses_ = ratio; }
  void set_temperature(double celsius) { celsius_ = celsius; }

  // Forgets sums: the warm-up ends. After Board::end_warmup(), and a accrue() before it.
  void restart();

  // Since the warm-up, up to the last accrue().
  [[nodiscard]] const power::PerPart& joules() const { return joules_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  // Since the start.
  [[nodiscard]] double total_seconds() const { return total_s_; }
  [[nodiscard]] double total_joules() const { return total_j_; }
  // Of what the last accrue() priced.
  [[nodiscard]] const power::Activity& last() const { return activity_; }

 private:
  struct Reading {
    std::vector<sim::Duration> core_busy;
    sim::Duration gpu_busy, dla_busy;
    gpu::Usage gpu;
    double other_bytes = 0;  // not by the GPU
  };
  void read(Reading& reading);
  [[nodiscard]] double gated(double seconds, double busy_s);

  sim::Engine& engine_;
  Board& board_;
  power::Spec spec_;
  double celsius_;
  bool gpu_pinned_ = false;
  sim::Time booked_;
  Reading before_, now_;
  power::Activity activity_;
  double gpu_idle_s_ = 0;  // on end
  double cpu_pulses_ = 1, gpu_pulses_ = 1;
  power::PerPart joules_{}, window_{};
  double seconds_ = 0, window_s_ = 0, total_s_ = 0, total_j_ = 0;
};

}  // namespace jostle::board
