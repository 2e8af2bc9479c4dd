// The parts of the profile reader, a function a part; not for use elsewhere.
#pragma once

#include "calibration/profile/parameters.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::calibration {

inline constexpr double max_clock_hz = 1e10;
inline constexpr int max_board_cores = 1024;

// A clock table: ascending, distinct.
[[nodiscard]] std::optional<std::vector<double>> read_clock_table(const input::Cursor& at);

void read_cpu(const input::Cursor& at, std::vector<ProfileParameter>& figures, cpu::Spec& cpu);
void read_gpu(const input::Cursor& at, std::vector<ProfileParameter>& figures, board::DeviceSpec& device);
void read_dla(const input::Cursor& at, std::vector<ProfileParameter>& figures, dla::Spec& dla);
void read_runtimes(const input::Cursor& at, std::vector<ProfileParameter>& figures,
                   board::DeviceSpec& device);
void read_observer(const input::Cursor& at, std::vector<ProfileParameter>& figures,
                   board::DeviceSpec& device);
void read_sync(const input::Cursor& at, std::vector<ProfileParameter>& figures, process::SyncSpec& sync);
void read_refill(const input::Cursor& at, std::vector<ProfileParameter>& figures,
                 process::RefillSpec& refill);
void read_memory(const input::Cursor& at, std::vector<ProfileParameter>& figures, board::DeviceSpec& device);
// After the parts, whose limits these check against.
void read_power_modes(const input::Cursor& at, std::vector<ProfileParameter>& figures,
                      board::DeviceSpec& device);
// power.over_current and power.thermal; `outer` is that of power.
void read_over_current(const input::Cursor& at, Block& outer, power::Spec& power);
void read_thermal(const input::Cursor& at, Block& outer, power::Spec& power);
void read_power(const input::Cursor& at, std::vector<ProfileParameter>& figures, board::DeviceSpec& device);
// Of the power section, whose figures `outer` speaks for.
void read_governors(const input::Cursor& at, Block& outer, const board::DeviceSpec& device,
                    power::ScalingSpec& scaling);
// Of the board called `device`, before those that ship.
void read_factors(const input::Cursor& at, const std::string& device, std::vector<dnn::Factor>& factors);

}  // namespace jostle::calibration
