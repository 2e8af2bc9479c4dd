// Pairs the start of a call with the start of the kernel that it launched, in whichever order the profile
// contains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "calibration/logs/measurement.hpp"
#include "calibration/logs/moments.hpp"

namespace jostle::calibration {

class LaunchPairs {
 public:
  // The limit on entries whose counterpart has not been read yet.
  static constexpr std::size_t max_waiting = std::size_t{1} << 17U;

  // `id` is the correlation id of both, `start` is in µs.
  void call(std::uint64_t id, double start) { match(id, start, calls_, kernels_, 1); }
  void kernel(std::uint64_t id, double start) { match(id, start, kernels_, calls_, -1); }

  // Adds the time from the start of the call to the start of the kernel, including the time that the kernel
  // waits for kernels launched earlier.
  void rows(Import& result) const {
    if (delay_.count > 0) {
      result.rows.push_back({.metric = "launch_to_start",
                             .value = delay_.mean,
                             .unit = "us",
                             .sd = delay_.sd(),
                             .count = delay_.count});
    }
    if (gave_up_)
      result.notes.emplace_back(
          "kernels are far from their launches in the file: launch_to_start covers only some of them");
  }

 private:
  using Waiting = std::unordered_map<std::uint64_t, double>;

  void match(std::uint64_t id, double start, Waiting& own, Waiting& others, double sign) {
    if (const auto found = others.find(id); found != others.end()) {
      delay_.add(sign * (found->second - start));
      others.erase(found);
      return;
    }
    if (own.size() >= max_waiting) {
      own.clear();
      gave_up_ = true;
    }
    own.emplace(id, start);
  }

  Waiting calls_, kernels_;
  Moments delay_;
  bool gave_up_ = false;
};

}  // namespace jostle::calibration
