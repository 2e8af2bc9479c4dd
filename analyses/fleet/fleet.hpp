// How many boards of which kind so many cameras need.
//
// On a board the cameras are spread evenly over the processes of the scenario's one entry; each process
// serves the frames of its cameras as they come, gathered to batches where the batch is more than one. What a
// board carries is found by simulating it with more and more cameras.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"

namespace jostle::analyses {

// A kind of board in the settings that serve the cameras with the fewest boards, then the fewest watts.
struct FleetChoice {
  std::string device;
  std::string settings;          // JSON: key to value, the device left out
  std::int64_t capacity = 0;     // cameras that one carries within the limits
  std::int64_t boards = 0;       // for all cameras
  std::int64_t max_cameras = 0;  // on one, spread evenly
  double power_w = 0;            // of all
  double energy_kwh_day = 0;     // likewise
  scenarios::Metric energy_per_frame_mj;
  scenarios::Metric price;     // of all
  std::vector<double> values;  // of the limits, on the board with the most cameras
  std::vector<scenarios::Interval> intervals;
  scenarios::Interval power_pi90;  // of all boards
};

// So many of each kind, which together carry all cameras at the least price.
struct FleetMix {
  std::vector<std::int64_t> boards;  // of each choice
  double price = 0;
};

struct Fleet {
  std::int64_t cameras = 0;
  double rate_per_s = 0;
  Goal goal;                         // the limits
  std::vector<FleetChoice> choices;  // the cheapest first, of equal price or without prices the fewest boards
  std::vector<std::string> carry_none;  // kinds of which no settings carry a camera within the limits
  std::optional<FleetMix> mix;          // where it is cheaper than any kind by itself
  std::size_t settings = 0, simulated = 0;
};

struct FleetControl {
  unsigned threads = 0;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done, std::size_t of)> progress;  // settings
};

// Whether its scenario and sweep can be served so; else a problem.
[[nodiscard]] bool check_fleet(const Study& study, input::Problems& problems);

// `candidates` are those of the study. Throws Interrupted, RunError.
[[nodiscard]] Fleet fleet(const FleetSection& section, const Candidates& candidates,
                          const FleetControl& control);

// The fewest currency units for boards of these capacities and prices that carry all cameras; ties: fewer
// boards.
[[nodiscard]] FleetMix cheapest_mix(std::int64_t cameras, const std::vector<std::int64_t>& capacities,
                                    const std::vector<double>& prices);

// The scenario with so many cameras on its board.
[[nodiscard]] scenarios::Scenario with_cameras(const scenarios::Scenario& scenario, std::int64_t cameras,
                                               double rate_per_s);

}  // namespace jostle::analyses
