// Other users of a machine: a probe on a busy one would measure them.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "calibration/probe/board_state.hpp"

namespace jostle::calibration::probe {

// At most so many cores may be busy with others' work.
inline constexpr double most_busy_cores = 0.1;

// Cores that were busy between two readings of /proc/stat; 0 if no time has passed.
[[nodiscard]] double busy_cores(std::string_view stat_before, std::string_view stat_after);

// "1234 name, …": processes that have the GPU open, without those that draw the desktop or keep the driver
// loaded, and without this one. Those of other users are seen by root only.
[[nodiscard]] std::string gpu_users(const MachineFiles& files);

// The hottest sensor in degC, without those that tell fixed or other values; 0 if there is none.
[[nodiscard]] double hottest_c(const MachineFiles& files);

// Why the machine is too hot to be measured, in a sentence: a sensor above 65 degC, or a cooling device that
// throttles. Empty: it is not.
[[nodiscard]] std::string heat_reason(const MachineFiles& files);

// Waits until it is not, at most 180 s, and returns heat_reason() then; `say` gets a sentence before.
[[nodiscard]] std::string wait_until_cool(const MachineFiles& files, const std::atomic<bool>& interrupted,
                                          const std::function<void(const std::string&)>& say);

// Why the machine is busy, in a sentence: others have the GPU open, or more than `most_busy_cores` were busy
// during the last second (this function waits for it). Empty: it is quiet.
[[nodiscard]] std::string busy_reason(const MachineFiles& files, const std::atomic<bool>& interrupted);

}  // namespace jostle::calibration::probe
