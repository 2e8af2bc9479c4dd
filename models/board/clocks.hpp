// The clocks of a board's domains, and the memory bandwidth that follows from them.
#pragma once

#include <vector>

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::board {

// All values are in Hz; 0 if the board has no such domain, or if its clock is fixed and not known.
struct Clocks {
  std::vector<double> clusters_hz;
  double gpu_hz = 0, emc_hz = 0;
  double dla_hz = 0;  // the same for each DLA
  bool operator==(const Clocks&) const = default;
};

// The maximum clock of every domain.
[[nodiscard]] Clocks maximum_clocks(const DeviceSpec& device);

// The GPU's share of the memory bandwidth at these clocks (0: the maximum), relative to that at the maximum
// clocks.
[[nodiscard]] double memory_speed(const DeviceSpec& device, double gpu_hz, double emc_hz);

// Bandwidth in bytes/s that the memory delivers to all its users together, independent of the GPU's clock; 0:
// not known.
[[nodiscard]] double memory_capacity(const DeviceSpec& device, double emc_hz);

}  // namespace jostle::board
