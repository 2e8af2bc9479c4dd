// Fleet planning: how many boards of which type a number of cameras needs.
//
// The cameras of a board are spread evenly over the processes of the scenario's only entry. Each process
// serves the frames of its cameras in order of arrival, in batches if the batch size exceeds one. The
// capacity of a board is found by simulating it with a growing number of cameras: first in its fastest power
// mode, then in the other modes, if they need no more boards.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/plan/candidates.hpp"
#include "analyses/plan/overload.hpp"
#include "analyses/plan/words.hpp"

namespace jostle::analyses {

// The next better answer that a board cannot give: one board less, or one camera more on a board.
struct OutOfReach {
  std::int64_t boards = 0, cameras = 0;  // cameras: on the fullest board
  std::string why;                       // "they would overload the GPU: …", "p99 latency is …"
};

// The cameras that a board carries within the limits if all of its times are longer, or shorter, by the usual
// error of the model.
struct CarriedIfOff {
  double error = 0;
  std::int64_t slow = 0, fast = 0;
};

// The setting with which a kind of board carries the most cameras, where that is not the chosen one.
struct Strongest {
  std::size_t candidate = 0;
  std::int64_t cameras = 0;  // within the limits, from single runs
  std::string setting;       // " in mode MAXN_SUPER (precision int8, batch 2)"
  std::int64_t slow = 0;     // where slow (CarriedIfOff); the first choice alone has it
};

// The boards of a fleet, and what they take.
struct Bill {
  std::int64_t boards = 0;
  double power_w = 0;
  scenarios::Metric price, cost_per_hour;  // none: not known
};

// The p99 latency of a board with so many cameras; none: it does not keep up, or the run is too short. The
// interval: none if it is not known.
struct CurvePoint {
  std::int64_t cameras = 0;
  scenarios::Metric p99_ms;
  scenarios::Interval pi90;
};

// A state of the fleet in which the limits must hold: the busiest hour, ordinary hours, boards lost. The
// values are those of its worse board, the fullest or the emptiest one.
struct FleetState {
  std::string when;  // "in ordinary hours"; empty: there is no other state
  std::int64_t cameras = 0;
  double rate_per_s = 0;
  std::vector<double> values;  // means of the limited metrics
  scenarios::Metric p99_ms;
  std::vector<scenarios::Interval> intervals =
      {};                       // of the values and then of p99; of the first choice alone
  bool missed_if_slow = false;  // a board whose times are longer by the usual error carries fewer cameras
};

// A kind of board that carries no camera, and why: it lacks something, or misses a limit.
struct LeftOut {
  std::string device, why;

  [[nodiscard]] std::string text() const { return why.starts_with(device) ? why : device + ": " + why; }
};

// A board type in the configuration that needs the fewest boards; ties: the lowest power.
struct FleetChoice {
  std::string device;
  std::string settings;                    // JSON: key to value, without the device and its mode
  std::int64_t capacity = 0;               // cameras per board within the limits
  std::int64_t boards = 0;                 // needed for all cameras, spare ones included
  std::int64_t max_cameras = 0;            // on one board, when spread evenly over all
  double power_w = 0;                      // sum over all boards and their servers, in the busiest hour
  double day_w = 0;                        // the same at the mean rate of the day
  double board_w = 0;                      // power of the board with the most cameras
  double energy_kwh_day = 0;               // sum over all boards, at the mean rate
  std::optional<std::string> power_grade;  // the grade of the board's watts and energy
  scenarios::Metric energy_per_frame_mj;
  scenarios::Metric price;             // purchase of all boards; none: no price
  scenarios::Metric cost_per_hour;     // all boards: rent, or purchase and energy
  scenarios::Metric cost_per_million;  // per million frames
  // The part of these costs that is energy, with the grade of the power; none: energy has no price, or the
  // boards are rented.
  scenarios::Metric energy_per_hour, energy_per_million;
  OverloadDistance overload;  // distance of the board with the most cameras
  // The number of cameras that a board does not carry next to one that it does, from `capacity` up.
  std::optional<OutOfReach> more_cameras;
  std::optional<OutOfReach> fewer_boards;  // one board less; none: there is only one
  std::vector<double> values;              // means of the limited metrics on the board with the most cameras
  std::size_t replications = 0;            // number behind these means
  std::vector<scenarios::Metric> half_widths;  // half-widths of the confidence intervals of these means
  double p_feasible = 0;                       // probability that every board meets all limits
  std::vector<scenarios::Interval> intervals;
  scenarios::Interval power_pi90;         // sum over all boards
  std::optional<std::string> power_mode;  // none: the board has no modes
  std::string jetpack = {};               // the one that the mode needs; empty: any
  scenarios::Metric p99_ms;               // latency, on the board with the most cameras
  scenarios::Interval p99_pi90;
  std::string sharing_note;  // scenarios::sharing_note(), if intervals were requested
  std::string grade = {};    // the grade of throughput and latency, if intervals were requested
  std::optional<CarriedIfOff> if_off = {};  // the same
  std::optional<Strongest> strongest = {};
  bool is_card = false;                    // its watts and energy are the card's, without a server
  scenarios::Metric host_w = {};           // power of the server around each card; none: not counted
  scenarios::Metric rtt_ms = {};           // the link in front of each board; none: it stands here
  std::optional<Bill> for_mean = {};       // for the mean of the day, without spare boards; none: no peak
  std::optional<Bill> without_spare = {};  // none: the fleet has no spare boards
  // By number of cameras, up to one more than the board keeps up with. Intervals: of the first choice alone,
  // up to its capacity.
  std::vector<CurvePoint> curve = {};
  std::size_t candidate = 0;            // index in the candidates
  std::vector<FleetState> states = {};  // the last: spare boards are lost, if there are some
  std::int64_t batch = 1;
  std::size_t modes = 1;  // number of power modes that were tried
};

[[nodiscard]] Bill bill_of(const FleetChoice& choice);
// " in mode 15W (batch 2, processes 2)"; `settings`: JSON, as of FleetChoice.
[[nodiscard]] std::string setting_words(const std::optional<std::string>& power_mode,
                                        const std::string& settings);
// The load that one of the boards can carry: "22 cameras; 24 would overload the GPU at 15 frames/s"
[[nodiscard]] std::string carries_sentence(const FleetChoice& choice);

// The cheapest combination of board types for all cameras.
struct FleetMix {
  std::vector<std::int64_t> boards;   // number of boards of each choice
  double price = 0;                   // sum over boards, or their cost in an hour
  std::vector<std::int64_t> cameras;  // split over the choices
  bool per_hour = false;              // true: a kind is rented, so that costs are compared
};

struct Fleet {
  std::int64_t cameras = 0;
  double rate_per_s = 0;             // each camera's mean of the day
  Goal goal;                         // the limits
  std::vector<FleetChoice> choices;  // sorted by price (none last), then by number of boards
  std::vector<LeftOut> carry_none;   // board types of which no configuration meets the limits
  std::optional<FleetMix> mix;       // if cheaper than any single board type
  std::size_t settings = 0, simulated = 0;
  std::string power_note = {};  // power_note() of the choices
  double peak = 1;              // rate of the busiest hour, relative to the mean
  std::int64_t spare = 0;       // boards that may be lost
  Asked asked = {};             // what no choice changes
  std::string currency = {};    // " USD", unless the study has prices of its own
};

// True if no choice lacks a price of purchase.
[[nodiscard]] bool all_bought(const Fleet& fleet);

// The answer in a sentence: the first choice against the limits, and the next one beside it.
[[nodiscard]] scenarios::Verdict verdict_of(const Fleet& fleet);

// The boards that all cameras need if each carries so many, and at least one; spare ones included.
[[nodiscard]] std::int64_t boards_if(const Fleet& fleet, std::int64_t cameras);

// The boards of a choice: "3 x jetson-orin-nano-super"; where some stand behind a link, "3 x
// jetson-orin-nano-super here", "1 x nvidia-l4 at 20 ms".
[[nodiscard]] std::string fleet_name(const Fleet& fleet, const FleetChoice& choice);
// Its watts: "120 W with its server".
[[nodiscard]] std::string watts_words(const FleetChoice& choice);
// A sentence each: the cost of the busiest hour and of lost boards.
[[nodiscard]] std::vector<std::string> margin_costs(const Fleet& fleet, const FleetChoice& choice);

struct FleetControl {
  unsigned threads = 0;
  bool intervals = true;
  bool curve = true;  // also computes the latency by number of cameras
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done, std::size_t of)> progress;  // configurations
};

// Returns whether the study's scenario can be planned as a fleet; adds a problem if not.
[[nodiscard]] bool check_fleet(const Study& study, input::Problems& problems);

// `candidates`: the study's candidates. Throws Interrupted, RunError.
[[nodiscard]] Fleet fleet(const FleetSection& section, const Candidates& candidates,
                          const FleetControl& control);

// The combination of boards with these capacities and prices that serves all cameras at the lowest price;
// ties: the fewest boards. Each board has as many cameras as it carries, but for the last.
[[nodiscard]] FleetMix cheapest_mix(std::int64_t cameras, const std::vector<std::int64_t>& capacities,
                                    const std::vector<double>& prices);

// The scenario with this number of cameras, spread evenly over the processes of its only entry.
[[nodiscard]] scenarios::Scenario with_cameras(const scenarios::Scenario& scenario, std::int64_t cameras,
                                               double rate_per_s);

// {"schema":"jostle.fleet/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string fleet_json(const Fleet& fleet);

}  // namespace jostle::analyses
