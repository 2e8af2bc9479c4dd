// The controllers that protect a running board: each is read at its interval with the mean power since its
// last reading, and limits clocks.
//
// To add one, add a value to power::Cause, a row to throttles(), and its readings, as read_cap() is.
#pragma once

#include <optional>

#include "models/board/board.hpp"
#include "models/board/power_account.hpp"
#include "models/power/controllers/over_current.hpp"
#include "models/power/controllers/power_cap.hpp"
#include "models/power/controllers/power_limit.hpp"
#include "models/power/controllers/thermal.hpp"

namespace jostle::board {

class Controllers {
 public:
  // `changed` is called when limits have changed. The references must outlive the object.
  Controllers(sim::Engine& engine, Board& board, PowerAccount& account, const DvfsSetup& setup,
              sim::Action changed);
  // Sets the temperature and begins the readings.
  void start();
  void open_counters(sim::TraceSink& trace);

  // The limits at present.
  [[nodiscard]] power::Throttles throttles() const;
  // Call when clocks have changed, and with them the highest possible power.
  void watch_current();
  // The thermal state; none without thermal parameters.
  [[nodiscard]] const std::optional<power::Thermal>& thermal() const { return thermal_; }
  // Power above which a controller lowers clocks: the cap, the limit, or an alarm; infinite without any.
  [[nodiscard]] double limit_w() const;

 private:
  // The last reading of a controller.
  struct Mark {
    sim::Time at;
    double joules = 0;  // since the start of the run
  };

  // Mean power since `mark`, which moves to now.
  double watts_since(Mark& mark);
  void after(sim::Duration interval, sim::Action action) {
    engine_.schedule(engine_.now() + interval, action);
  }
  void read_cap();
  void read_limit();
  void poll_over_current();
  power::Throttle read_current();
  void schedule_reading();
  void poll_thermal();
  // Power with this share of every unit and of the memory's bandwidth busy.
  [[nodiscard]] double watts_when(double busy, const Clocks& clocks, double celsius) const;
  [[nodiscard]] double lowest_alarm_w() const;

  sim::Engine& engine_;
  Board& board_;
  PowerAccount& account_;
  DvfsSetup setup_;
  sim::Action changed_;
  const power::Spec& spec_;

  std::optional<power::PowerCap> cap_;
  std::optional<power::PowerLimit> limit_;
  std::optional<power::OverCurrent> over_current_;
  std::optional<power::Thermal> thermal_;
  Mark cap_mark_, limit_mark_, over_current_mark_, thermal_mark_;
  bool may_alarm_ = false;      // the board could raise an alarm at these clocks and this temperature
  sim::EventId current_event_;  // the next reading of the over-current alarms
  sim::TrackId heat_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
