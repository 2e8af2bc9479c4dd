// Controls the clocks of a running board: governors poll their domains, controllers limit them, and a new
// clock takes effect after the delay of its domain. Also measures the board's power.
//
// Governors and controllers run in their own events, which read the simulation's signals. Without a Dvfs,
// clocks are constant.
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
#include "models/power/controllers/power_limit.hpp"
#include "models/power/controllers/thermal.hpp"
#include "models/power/governors/cpu_scaling.hpp"
#include "models/power/governors/emc_scaling.hpp"
#include "models/power/governors/gpu_scaling.hpp"
#include "sim/interval_means.hpp"

namespace jostle::board {

struct DvfsSetup {
  Clocks limits;  // the maximum of each domain; kernel times refer to these
  // Domains fixed at their limit; the others are governed according to `scaling`.
  bool cpu_pinned = true, gpu_pinned = true, emc_pinned = true;
  power::ScalingSpec scaling;
  std::optional<power::PowerCapSpec> cap;
  std::optional<power::PowerLimitSpec> limit;
  power::OverCurrentLimits over_current;
  double ambient_c = 25;
  bool fan = true;
  std::optional<power::Thermal> heat;  // state after an earlier run; none: a board long idle
};

// The time spent at each clock, in order of clocks.
using StateTimes = std::vector<std::pair<double, double>>;  // Hz, s

// Measurements since the end of the warm-up.
struct PowerReport {
  double seconds = 0;
  power::PerPart joules{};
  double leakage_j = 0;             // leakage for the same activity at the reference temperature
  double peak_w = 0;                // at the module's input: the highest mean over a window
  std::vector<double> rail_peak_w;  // the same for each rail
  bool has_temperature = false;
  double celsius = 0, peak_celsius = 0;  // the chip's: at the end, and the maximum
  bool down = false;                     // shut down because of the temperature
  std::vector<StateTimes> clusters;
  StateTimes gpu, emc;
  // Seconds for which each cause limited a clock (power::Cause).
  std::array<double, power::cause_names.size()> held_s{};
  double cap_unmet_s = 0;  // with no clock left to lower, over the budget of the power cap
};

class Dvfs {
 public:
  // The window of peaks and of the timeline.
  [[nodiscard]] static sim::Duration window() { return sim::milliseconds(100); }

  // Sets the clocks at the start. Engine and board must outlive it; the device must have power parameters.
  Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup);
  Dvfs(const Dvfs&) = delete;
  Dvfs& operator=(const Dvfs&) = delete;

  // Call before and after Board::end_warmup().
  void before_end_of_warmup() { account(); }
  void after_end_of_warmup();
  [[nodiscard]] PowerReport report();
  // Execution time of a process's kernels that was lost because a controller limited the GPU's clock, in
  // seconds.
  [[nodiscard]] double throttled_s(std::size_t process) const { return throttled_s_[process]; }
  [[nodiscard]] bool down() const { return thermal_ && thermal_->down(); }
  // The thermal state; none without thermal parameters.
  [[nodiscard]] const std::optional<power::Thermal>& thermal() const { return thermal_; }
  // Power above which a controller lowers clocks: the cap, or an alarm; infinite without any.
  [[nodiscard]] double limit_w() const;
  // Power and temperature in successive windows, from the start of the run.
  [[nodiscard]] const sim::IntervalMeans& power_series() const { return power_series_; }
  [[nodiscard]] const sim::IntervalMeans& heat_series() const { return heat_series_; }

 private:
  void start_polls();
  // The clock that a governor requests from a domain within its power mode, and the limit that controllers
  // set.
  struct Held {
    power::Ceiling ceiling;
    double wanted_hz = 0;
    [[nodiscard]] double hz() const { return ceiling.given(wanted_hz) * ceiling.ratio; }
    // The cause that limits the clock. A governor that requests the maximum would request more if it could.
    [[nodiscard]] power::Cause cause(double highest_hz, double limit_hz) const {
      return ceiling.binds(wanted_hz >= limit_hz ? highest_hz : wanted_hz);
    }
  };
  // The last reading of a controller.
  struct Mark {
    sim::Time at;
    double joules = 0;  // since the start of the run
  };

  // Mean power since `mark`, which moves to now.
  double watts_since(Mark& mark);

  void poll_cpu();
  void poll_gpu();
  bool dla_powered();
  void poll_emc();
  void end_window();
  void read_cap();
  void read_limit();
  void poll_over_current();
  power::Throttle read_current();
  void watch_current();
  void schedule_reading();
  void poll_thermal();
  void after(sim::Duration interval, sim::Action action) {
    engine_.schedule(engine_.now() + interval, action);
  }

  // Notes that a governor requests `hz` from a domain; the next ask() applies it.
  void want(Held& held, double hz);
  // Notes that the limits of a controller have changed.
  void allow();
  // Computes each domain's clock from the governors' requests and the controllers' limits, if those have
  // changed. It takes effect after the delay.
  void ask();
  void apply_cpu();
  void apply_gpu();
  void apply_emc();
  void account();
  void note_held(const power::Activity& last);
  void note_throttled(power::Cause cause);
  [[nodiscard]] Held held(const std::vector<double>& table, double highest_hz, double limit_hz,
                          double wanted_hz, bool gpu) const;
  // One second at these clocks, with this share of every unit busy.
  [[nodiscard]] power::Activity activity_when(double busy, const Clocks& clocks) const;
  [[nodiscard]] double idle_watts() const;
  [[nodiscard]] double most_watts() const;
  void open_counters(sim::TraceSink& trace);

  sim::Engine& engine_;
  Board& board_;
  DvfsSetup setup_;
  Clocks hardware_;
  power::Spec spec_;
  PowerMeter meter_;

  std::vector<power::CpuScaling> cpu_;  // one entry per cluster
  std::optional<power::GpuScaling> gpu_;
  std::optional<power::EmcScaling> emc_;
  std::optional<power::PowerCap> cap_;
  std::optional<power::PowerLimit> limit_;
  std::optional<power::OverCurrent> over_current_;
  std::optional<power::Thermal> thermal_;

  std::vector<Held> cpu_held_;
  Held gpu_held_, emc_held_;
  bool asked_ = false;  // a governor or a controller has changed its mind; ask() follows
  sim::EventId cpu_event_, gpu_event_, emc_event_;  // clock changes in transit
  bool may_alarm_ = false;      // the board could raise an alarm at these clocks and this temperature
  sim::EventId current_event_;  // the next reading of the over-current alarms

  // State at the last poll.
  std::vector<sim::Duration> core_busy_;
  std::vector<double> busy_shares_;  // for the cores of one cluster
  std::vector<double> estimates_;
  sim::Time cpu_polled_, gpu_polled_, emc_polled_;
  sim::Duration gpu_busy_;
  double emc_bytes_ = 0;
  sim::Duration dla_busy_;             // sum over all DLAs, at the last poll of the EMC
  std::optional<sim::Time> dla_used_;  // the last poll that found a DLA at work
  sim::Duration gpu_idle_;
  bool gpu_suspended_ = false;

  Mark cap_mark_, limit_mark_, over_current_mark_, thermal_mark_;

  PowerReport report_;
  sim::IntervalMeans power_series_{window()}, heat_series_{window()};
  std::vector<double> throttled_s_, compute_s_;
  std::vector<sim::TrackId> rail_counters_;
  sim::TrackId power_counter_ = sim::TrackId::none, heat_counter_ = sim::TrackId::none;
  std::vector<sim::TrackId> cluster_counters_;
  sim::TrackId gpu_counter_ = sim::TrackId::none, emc_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
