#include "calibration/calibrate/probed/choose_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "calibration/logs/wrong_device.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

using calibration::probe::Identity;

constexpr double gib = 1024.0 * 1024 * 1024;

// Words of a device tree's model, and the profile; the first row that fits counts. Memory in GiB: from, to.
struct KnownBoard {
  std::string_view words, device;
  double from_gib = 0, to_gib = 1e9;
};
constexpr std::array known_boards{
    KnownBoard{"AGX Thor", "jetson-agx-thor"},
    KnownBoard{"AGX Orin", "jetson-agx-orin-64gb", 40},
    KnownBoard{"AGX Orin Developer Kit", "jetson-agx-orin-devkit-32gb"},
    KnownBoard{"AGX Orin", "jetson-agx-orin-32gb"},
    KnownBoard{"Orin NX", "jetson-orin-nx-16gb", 10},
    KnownBoard{"Orin NX", "jetson-orin-nx-8gb"},
    KnownBoard{"Orin Nano", "jetson-orin-nano-4gb", 0, 5},
    KnownBoard{"Orin Nano", "jetson-orin-nano"},
    KnownBoard{"Xavier NX", "jetson-xavier-nx"},
    KnownBoard{"Xavier", "jetson-agx-xavier"},
    KnownBoard{"Jetson-AGX", "jetson-agx-xavier"},
    KnownBoard{"TX2 NX", "jetson-tx2-nx"},
    KnownBoard{"TX2", "jetson-tx2"},
    KnownBoard{"quill", "jetson-tx2"},
    KnownBoard{"Jetson Nano", "jetson-nano"},
    KnownBoard{"Raspberry Pi 5", "raspberry-pi-5"},
    KnownBoard{"Raspberry Pi 4", "raspberry-pi-4b"},
    KnownBoard{"Raspberry Pi 3 Model B Plus", "raspberry-pi-3b-plus"},
    KnownBoard{"Raspberry Pi 3", "raspberry-pi-3b"},
};

// Chips of Jetsons by the device tree, for their GPU's compute capability.
struct KnownChip {
  std::string_view compatible;
  int capability;
};
constexpr std::array known_chips{KnownChip{"nvidia,tegra210", 53}, KnownChip{"nvidia,tegra186", 62},
                                 KnownChip{"nvidia,tegra194", 72}, KnownChip{"nvidia,tegra234", 87},
                                 KnownChip{"nvidia,tegra264", 110}};

// Cores of boards without a GPU, by their name, and the profile that has them.
struct KnownCores {
  std::string_view core, device;
};
constexpr std::array known_cores{KnownCores{"Cortex-A53", "raspberry-pi-3b"},
                                 KnownCores{"Cortex-A72", "raspberry-pi-4b"},
                                 KnownCores{"Cortex-A76", "raspberry-pi-5"}};

// The compute capability of a profile: 87 of "sm_87".
int capability_of(const board::DeviceSpec& device) {
  const std::string_view architecture = device.gpu.architecture;
  bool ignored = false;
  return architecture.starts_with("sm_")
             ? static_cast<int>(input::parse_integer(architecture.substr(3), ignored).value_or(0))
             : 0;
}

int capability_of(const Identity& identity) {
  if (identity.gpu.capability > 0) return identity.gpu.capability;
  for (const KnownChip& chip : known_chips)
    if (identity.compatible.find(chip.compatible) != std::string::npos) return chip.capability;
  return 0;
}

std::optional<ChosenBase> known_board(const Identity& identity) {
  const double memory = identity.memory_bytes / gib;
  for (const KnownBoard& board : known_boards) {
    if (identity.board.find(board.words) == std::string::npos || memory < board.from_gib ||
        memory >= board.to_gib)
      continue;
    std::string device(board.device);
    const bool super = std::ranges::find(identity.power_modes, "MAXN_SUPER") != identity.power_modes.end();
    if (device == "jetson-orin-nano" && super) device = "jetson-orin-nano-super";
    return ChosenBase{
        device, fmt::format("the device tree calls the board '{}'", input::printable(identity.board)), true};
  }
  return std::nullopt;
}

std::optional<ChosenBase> known_card(const Identity& identity) {
  if (!identity.gpu.present || identity.gpu.integrated) return std::nullopt;
  for (const calibration::KnownCard& card : calibration::known_cards) {
    if (!card.is_called(identity.gpu.name)) continue;
    input::Problems ignored;
    const auto profile = profiles::shipped_profile(std::string(card.device), ignored);
    const bool same = !profile || identity.gpu.sms == 0 || profile->spec->gpu.sm_count == identity.gpu.sms;
    return ChosenBase{
        std::string(card.device),
        same
            ? fmt::format("the driver calls the card '{}'", input::printable(identity.gpu.name))
            : fmt::format("'{}' is another form of this card, with {} SMs instead of {}",
                          input::printable(identity.gpu.name), identity.gpu.sms, profile->spec->gpu.sm_count),
        same};
  }
  return std::nullopt;
}

ChosenBase nearest_by_gpu(const Identity& identity) {
  const int capability = capability_of(identity);
  using Distance = std::tuple<bool, bool, int, double>;
  std::optional<Distance> least;
  std::string nearest;
  int theirs = 0;
  for (const std::string& name : profiles::device_names()) {
    input::Problems ignored;
    const auto profile = profiles::shipped_profile(name, ignored);
    if (!profile || !profile->spec->has_gpu()) continue;
    const int other = capability_of(*profile->spec);
    const double sms =
        identity.gpu.sms > 0
            ? std::abs(std::log(static_cast<double>(profile->spec->gpu.sm_count) / identity.gpu.sms))
            : 0;
    const Distance distance{profile->spec->memory.unified != identity.gpu.integrated,
                            other / 10 != capability / 10, std::abs(other - capability), sms};
    if (least && !(distance < *least)) continue;
    least = distance;
    nearest = name;
    theirs = other;
  }
  return {nearest,
          capability > 0 ? fmt::format("jostle has no profile of this {}; of those shipped, its compute "
                                       "capability {}.{} is nearest to {}.{}",
                                       identity.gpu.integrated ? "board" : "card", theirs / 10, theirs % 10,
                                       capability / 10, capability % 10)
                         : "jostle has no profile of this GPU, whose compute capability is not told",
          false};
}

ChosenBase nearest_by_cores(const Identity& identity) {
  for (const auto& cluster : identity.clusters)
    for (const KnownCores& known : known_cores)
      if (cluster.core == known.core)
        return {std::string(known.device),
                fmt::format("there is no GPU, and its cores are of the same kind, {}", known.core), false};
  if (identity.architecture == "x86_64")
    return {"intel-xeon-processor", "there is no GPU, and its cores are x86-64 too", false};
  return {"raspberry-pi-5",
          "there is no GPU, and no shipped profile has these cores; of those without a GPU its cores are the "
          "fastest",
          false};
}

}  // namespace

ChosenBase choose_base(const Identity& identity) {
  if (const auto board = known_board(identity)) return *board;
  if (const auto card = known_card(identity)) return *card;
  return identity.gpu.present ? nearest_by_gpu(identity) : nearest_by_cores(identity);
}

}  // namespace jostle::calibration
