// Turns the times of an engine's layers, or of a trace's kernels, into factors on the layer times of the cost
// model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// A fused layer of the network as jostle computes it.
struct ComputedLayer {
  std::string name;
  double ms = 0;
};

// Measured over computed time of each computed layer.
//
// A measured layer of an engine is matched by the names of ONNX nodes in its own name ("/conv1/Conv +
// /relu1/Relu"). Computed layers that no measured layer names share the remaining time. If names match less
// than half of the time (kernels of a trace, built-in networks), both sequences are aligned by their times,
// in order: one to one, one to several or several to one, so that the ratios are as equal as possible (the
// method of Gale and Church 1993 for sentences).
[[nodiscard]] std::vector<double> layer_factors(std::span<const LayerTime> measured,
                                                std::span<const ComputedLayer> computed);

// The factors of a run's layers on this board with the run's settings. Empty if its layers were not timed.
// Throws scenarios::RunError.
[[nodiscard]] std::vector<double> layer_factors(const RunConfiguration& configuration,
                                                const profiles::Profile& profile);

// The GPU's clock in such a run, in Hz.
[[nodiscard]] double gpu_clock_of(const RunConfiguration& configuration, const profiles::Profile& profile);

}  // namespace jostle::calibration
