// Who rules the clocks of a running board: governors poll their domains, controllers hold them down, and a
// clock follows its new value after the delay of its domain. And what the board draws meanwhile.
//
// Everything it does is events of its own on the simulation's signals; without it the clocks stand still.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/power_meter.hpp"
#include "models/power/controllers/over_current.hpp"
#include "models/power/controllers/power_cap.hpp"
#include "models/power/controllers/thermal.hpp"
#include "models/power/governors/cpu_scaling.hpp"
#include "models/power/governors/emc_scaling.hpp"
#include "models/power/governors/gpu_scaling.hpp"

namespace jostle::board {

struct DvfsSetup {
  Clocks limits;  // the most each domain may have, and what kernels are given at
  // Domains that stand at their limit; the others are governed as `scaling` says.
  bool cpu_pinned = true, gpu_pinned = true, emc_pinned = true;
  power::ScalingSpec scaling;
  std::optional<power::PowerCapSpec> cap;
  power::OverCurrentLimits over_current;
  double ambient_c = 25;
  bool fan = true;
};

// A clock and how long it held, in order of clocks.
using StateTimes = std::vector<std::pair<double, double>>;  // Hz, s

// Since the warm-up.
struct PowerReport {
  double seconds = 0;
  power::PerPart joules{};
  double peak_w = 0;                // at the module's input: the highest mean over a window
  std::vector<double> rail_peak_w;  // the same of each rail
  bool has_temperature = false;
  double celsius = 0, peak_celsius = 0;  // of the chip: at the end, at most
  bool down = false;                     // it shut down from heat
  std::vector<StateTimes> clusters;
  StateTimes gpu, emc;
  // Seconds for which each cause held a clock down (power::Cause).
  std::array<double, power::cause_names.size()> held_s{};
};

class Dvfs {
 public:
  // Of peaks and of the timeline.
  [[nodiscard]] static sim::Duration window() { return sim::milliseconds(100); }

  // Sets the clocks that hold at the start. Engine and board must outlive it; the device has power figures.
  Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup);
  Dvfs(const Dvfs&) = delete;
  Dvfs& operator=(const Dvfs&) = delete;

  // Before and after Board::end_warmup().
  void before_end_of_warmup() { account(); }
  void after_end_of_warmup();
  [[nodiscard]] PowerReport report();
  // Seconds of a process's kernels that were lost to a GPU clock held down by a controller.
  [[nodiscard]] double throttled_s(std::size_t process) const { return throttled_s_[process]; }
  [[nodiscard]] bool down() const { return thermal_ && thermal_->down(); }

 private:
  // What a governor wants of a domain within its power mode, and what controllers leave of it.
  struct Held {
    power::Ceiling ceiling;
    double wanted_hz = 0;
    [[nodiscard]] double hz() const { return ceiling.given(wanted_hz) * ceiling.ratio; }
    // Whoever asks for all there is would take more.
    [[nodiscard]] power::Cause cause(double highest_hz, double limit_hz) const {
      return ceiling.binds(wanted_hz >= limit_hz ? highest_hz : wanted_hz);
    }
  };
  // Mean power between two readings.
  struct Mark {
    double seconds_before = 0, joules_before = 0;
    double watts(const PowerMeter& meter);
  };

  void poll_cpu();
  void poll_gpu();
  void poll_emc();
  void end_window();
  void read_cap();
  void read_over_current();
  void poll_thermal();
  void after(sim::Duration interval, sim::Action action) {
    engine_.schedule(engine_.now() + interval, action);
  }

  // What each domain is to have, from what governors want and controllers allow; acts after the delay.
  void ask();
  void apply_cpu();
  void apply_gpu();
  void apply_emc();
  void account();
  void note_held(const power::Activity& last);
  void note_throttled(power::Cause cause);
  [[nodiscard]] Held held(const std::vector<double>& table, double highest_hz, double limit_hz,
                          double wanted_hz, bool gpu) const;
  // At the limits of the clocks, so busy.
  [[nodiscard]] double watts_when(double busy) const;
  [[nodiscard]] double idle_watts() const { return watts_when(0); }
  [[nodiscard]] double max_watts() const { return watts_when(1); }
  void open_counters(sim::TraceSink& trace);

  sim::Engine& engine_;
  Board& board_;
  DvfsSetup setup_;
  Clocks hardware_;
  power::Spec spec_;
  PowerMeter meter_;

  std::vector<power::CpuScaling> cpu_;  // a cluster each
  std::optional<power::GpuScaling> gpu_;
  std::optional<power::EmcScaling> emc_;
  std::optional<power::PowerCap> cap_;
  std::optional<power::OverCurrent> over_current_;
  std::optional<power::Thermal> thermal_;

  std::vector<Held> cpu_held_;
  Held gpu_held_, emc_held_;
  sim::EventId cpu_event_, gpu_event_, emc_event_;  // clocks on their way

  // As of the last poll.
  std::vector<sim::Duration> core_busy_;
  std::vector<double> busy_shares_;  // of the cores of one cluster
  sim::Time cpu_polled_, gpu_polled_, emc_polled_;
  sim::Duration gpu_busy_;
  double emc_bytes_ = 0;
  sim::Duration gpu_idle_;
  bool gpu_suspended_ = false;

  Mark cap_mark_, over_current_mark_, thermal_mark_;

  PowerReport report_;
  std::vector<double> throttled_s_, compute_s_;
  std::vector<sim::TrackId> rail_counters_;
  sim::TrackId power_counter_ = sim::TrackId::none, heat_counter_ = sim::TrackId::none;
  std::vector<sim::TrackId> cluster_counters_;
  sim::TrackId gpu_counter_ = sim::TrackId::none, emc_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
