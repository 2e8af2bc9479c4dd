#include "analyses/study/power_basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jostle::analyses {

bool rests_on_power(const std::string& metric_path) {
  if (metric_path.starts_with("system.link.")) return false;
  const auto names = [&](const char* part) { return metric_path.find(part) != std::string::npos; };
  return names("power_w") || names("energy_per_image") || names("tokens.energy_mj") || names("per_joule");
}

bool rest_on_power(const std::vector<std::string>& metric_paths) {
  return std::ranges::any_of(metric_paths, rests_on_power);
}

std::string assumed_power_note(std::vector<std::string> devices) {
  if (devices.empty()) return {};
  std::ranges::sort(devices);
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  return fmt::format(
      "the power of {} is assumed, not fitted to measurements: measure it before you decide by watts, energy "
      "or their cost",
      fmt::join(devices, ", "));
}

}  // namespace jostle::analyses
