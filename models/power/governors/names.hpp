// The governors by the names that the kernel gives them in scaling_available_governors and in devfreq's
// available_governors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jostle::power {

enum class CpuGovernor : std::uint8_t {
  schedutil,
  performance,
  powersave,
  ondemand,
  conservative,
  userspace
};
inline constexpr std::array<std::string_view, 6> cpu_governor_names{"schedutil", "performance",  "powersave",
                                                                    "ondemand",  "conservative", "userspace"};

enum class GpuGovernor : std::uint8_t {
  nvhost_podgov,
  wmark_active,
  performance,
  powersave,
  simple_ondemand,
  userspace
};
inline constexpr std::array<std::string_view, 6> gpu_governor_names{
    "nvhost_podgov", "wmark_active", "performance", "powersave", "simple_ondemand", "userspace"};

// NVIDIA has three governors called nvhost_podgov.
enum class Podgov : std::uint8_t {
  r35,  // JetPack 4 and 5, in the kernel: uses the busiest of the last 100 polls
  r36,  // JetPack 6, out of tree and built without that history: uses an average
  r38   // JetPack 7: rewritten, moves by entries of the table
};
inline constexpr std::array<std::string_view, 3> podgov_names{"r35", "r36", "r38"};

// The value at the index of `name` in `names`.
template <class Governor, std::size_t n>
[[nodiscard]] constexpr std::optional<Governor> named(const std::array<std::string_view, n>& names,
                                                      std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Governor>(i);
  }
  return std::nullopt;
}

}  // namespace jostle::power
