// Checks whether a log can come from the board that the user names.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "calibration/logs/measurement.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::calibration {

// A word of a card's name, as the driver gives it ("NVIDIA A100-SXM4-80GB"), and the profile.
struct KnownCard {
  std::string_view word, device;
  [[nodiscard]] bool is_called(std::string_view name) const;
};
inline constexpr std::array known_cards{
    KnownCard{"H200", "nvidia-h200"},      KnownCard{"H100", "nvidia-h100"},
    KnownCard{"A100", "nvidia-a100-80gb"}, KnownCard{"A30", "nvidia-a30"},
    KnownCard{"A40", "nvidia-a40"},        KnownCard{"A10", "nvidia-a10"},
    KnownCard{"L4", "nvidia-l4"},          KnownCard{"T4", "nvidia-t4"},
    KnownCard{"V100", "nvidia-v100"},      KnownCard{"4090", "nvidia-rtx-4090"},
};

// The reason why the log cannot come from the board, for example "its GPU is of sm_53, but that of
// jetson-orin-nano is of sm_87". Empty if there is no contradiction.
[[nodiscard]] std::string contradiction(const Setting& log, const board::DeviceSpec& device,
                                        const std::string& name);

}  // namespace jostle::calibration
