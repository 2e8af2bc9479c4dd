// The state of a machine: what somebody sets on it, and what takes clocks away without anybody setting it.
// Measurements of two states are never mixed (docs/probe.md). The keys are those of scripts/record-jetson.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "calibration/probe/machine_files.hpp"

namespace jostle::calibration::probe {

// Key and value of each file; one that is missing has no entry.
using BoardState = std::map<std::string, std::string>;

// Power mode, cores online, governors and limits of the clocks of CPU, GPU and memory, idle states that are
// switched off.
[[nodiscard]] BoardState read_settings(const MachineFiles& files);
// Cooling devices that throttle, and counters of over-current alarms.
[[nodiscard]] BoardState read_events(const MachineFiles& files);

// "key: old -> new; …" of all that differs; empty if nothing does.
[[nodiscard]] std::string state_difference(const BoardState& before, const BoardState& after);

// Looks whether the machine is still in the state in which something began.
class StateWatch {
 public:
  explicit StateWatch(const MachineFiles& files);
  // Compares the state now with that of the beginning: at once, or if the last look is a quarter of a second
  // ago. The first difference is kept.
  void look(bool now);
  // The change, by state_difference(); empty: nothing changed.
  [[nodiscard]] const std::string& changed() const { return changed_; }

 private:
  const MachineFiles& files_;
  BoardState settings_, events_;
  std::int64_t looked_;
  std::string changed_;
};

// Lines key=value, and the inverse, which passes over lines without "=".
[[nodiscard]] std::string state_text(const BoardState& state);
[[nodiscard]] BoardState parse_state(std::string_view text);

}  // namespace jostle::calibration::probe
