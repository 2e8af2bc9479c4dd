// The effect of a mode of an nvpmodel.conf on a board.
//
// Limits are converted as by the drivers. Limits outside a domain's range are clamped to the range. Then a
// CPU's maximum is rounded down to an operating point and its minimum up (cpufreq); both limits of the GPU
// are rounded up (nvgpu's round_rate: TX2's 1120 MHz become 1122); that of the EMC is rounded down; a DLA has
// no table. If minimum and maximum cross, the maximum wins. -1 means no limit. The paths in PARAM sections
// show which core a CPU setting refers to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/board/spec.hpp"
#include "profiles/readers/nvpmodel.hpp"

namespace jostle::profiles {

struct ModeOnBoard {
  board::PowerMode mode;           // has the name in the file
  std::vector<std::string> notes;  // values that were clamped or ignored, one line each, for the user
};

// The mode. Absent, with the reason in `problems`, if a relevant setting is invalid, or if no core or no TPC
// remains.
[[nodiscard]] std::optional<ModeOnBoard> mode_on_board(const NvpFile& file, const NvpMode& mode,
                                                       const board::DeviceSpec& device,
                                                       input::Problems& problems);

}  // namespace jostle::profiles
