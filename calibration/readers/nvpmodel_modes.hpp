// What a mode of an nvpmodel.conf means on a board.
//
// Limits become what the drivers make of them: outside a domain's range they are clamped to it. A CPU's
// maximum is then taken down to an operating point, its minimum up (cpufreq); both of the GPU's are taken up
// (nvgpu's round_rate: TX2's 1120 MHz are 1122); EMC's is taken down; a DLA has no table. The maximum wins
// over the minimum. -1 is no limit. The files named by PARAM sections say which core a CPU setting is of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/readers/nvpmodel.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {

struct ModeOnBoard {
  board::PowerMode mode;           // its name as in the file
  std::vector<std::string> notes;  // what was clamped or passed over, a line each, for people
};

// None, with what is wrong in `problems`, if a setting that matters cannot be understood or leaves no core or
// no TPC.
[[nodiscard]] std::optional<ModeOnBoard> mode_on_board(const NvpFile& file, const NvpMode& mode,
                                                       const board::DeviceSpec& device,
                                                       input::Problems& problems);

}  // namespace jostle::calibration
