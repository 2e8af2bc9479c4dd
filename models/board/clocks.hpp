// The clocks of a board's domains, and what they make of its memory.
#pragma once

#include <vector>

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::board {

// Hz; 0 where the board has no such domain, or its clock is fixed and not known.
struct Clocks {
  std::vector<double> clusters_hz;
  double gpu_hz = 0, emc_hz = 0;
  double dla_hz = 0;  // of each DLA
  bool operator==(const Clocks&) const = default;
};

// Every domain at its maximum.
[[nodiscard]] Clocks maximum_clocks(const DeviceSpec& device);

// What the GPU has of the memory's bandwidth at these clocks (0: the maximum), of what it has at the maxima.
[[nodiscard]] double memory_speed(const DeviceSpec& device, double gpu_hz, double emc_hz);

// bytes/s that the memory delivers to those who share it, whatever the GPU's clock; 0: nothing is known of
// it.
[[nodiscard]] double memory_capacity(const DeviceSpec& device, double emc_hz);

}  // namespace jostle::board
