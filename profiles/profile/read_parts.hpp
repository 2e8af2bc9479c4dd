// The parts of the profile reader, one function each; not for use elsewhere.
#pragma once

#include "models/board/spec.hpp"
#include "models/dnn/factors.hpp"
#include "profiles/profile/parameters.hpp"

namespace jostle::profiles {

using input::Cursor;
using input::Kind;
using input::Quantity;
using input::Real;
using input::Whole;

inline constexpr double max_clock_hz = 1e10;
inline constexpr int max_board_cores = 1024;

// Reads a clock table: ascending, without duplicates.
[[nodiscard]] std::optional<std::vector<double>> read_clock_table(const Cursor& at);

void read_cpu(const Cursor& at, std::vector<ProfileParameter>& parameters, cpu::Spec& cpu);
// `limit`: the card's own power limit, if it has one.
void read_gpu(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device,
              std::optional<power::PowerLimitSpec>& limit);
void read_dla(const Cursor& at, std::vector<ProfileParameter>& parameters, dla::Spec& dla);
// Reads the rated pixels/s of the media engines.
void read_engines(const Cursor& at, std::vector<ProfileParameter>& parameters, media::Spec& engines);
void read_runtimes(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device);
void read_observer(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device);
void read_sync(const Cursor& at, std::vector<ProfileParameter>& parameters, process::SyncSpec& sync);
void read_follow_up(const Cursor& at, std::vector<ProfileParameter>& parameters,
                    process::FollowUpSpec& follow_up);
void read_memory(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device);
// Call after the other parts, since modes are checked against their limits.
void read_power_modes(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device);
// Reads power.over_current, power.thermal and gpu.power_limit; `outer` is the block `power`.
void read_over_current(const Cursor& at, Block& outer, power::Spec& power);
void read_thermal(const Cursor& at, Block& outer, power::Spec& power);
void read_power_limit(const Cursor& at, Block& outer, std::optional<power::PowerLimitSpec>& limit);
void read_power(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device);
// Reads power.governors; `outer` is the block `power`.
void read_governors(const Cursor& at, Block& outer, const board::DeviceSpec& device,
                    power::ScalingSpec& scaling);
// Reads the factors of the board named `device`; they take precedence over the shipped ones.
void read_factors(const Cursor& at, const dnn::Chip& chip, std::vector<dnn::Factor>& factors);

}  // namespace jostle::profiles
