// The subjects of changes. Changes of one subject are alternatives: of these only the best leads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jostle::analyses {

enum class ChangeKind : std::uint8_t {
  hardware,
  limits,
  power_mode,
  clocks,
  precision,
  placement,
  batch,
  arrivals,
  sharing,
  cores,
  priority,
  sync,
  stages,
  company,
  boards,
};

[[nodiscard]] constexpr std::string_view to_string(ChangeKind kind) {
  constexpr std::array<std::string_view, 15> names{
      "hardware", "limits", "power_mode", "clocks", "precision", "placement", "batch", "arrivals",
      "sharing",  "cores",  "priority",   "sync",   "stages",    "company",   "boards"};
  static_assert(names.size() == static_cast<std::size_t>(ChangeKind::boards) + 1);
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace jostle::analyses
