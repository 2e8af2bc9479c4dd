// From the times of an engine's layers, or of a trace's kernels, to factors on those of the cost model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

// A fused layer of the network as jostle computes it.
struct ComputedLayer {
  std::string name;
  double ms = 0;
};

// Measured over computed time of each computed layer.
//
// An engine's layer is told by the names of the ONNX nodes in its own ("/conv1/Conv + /relu1/Relu"). What is
// named by none shares what time is left. Where names tell of less than half of the time (kernels of a trace,
// built-in networks), both sequences are aligned by their times, in order: one to one, one to some or some to
// one, whatever makes the ratios most alike (Gale and Church 1993, of sentences).
[[nodiscard]] std::vector<double> layer_factors(std::span<const LayerTime> measured,
                                                std::span<const ComputedLayer> computed);

// The factors of a run's layers on this board, as it was set. Empty if its layers were not timed. Throws
// scenarios::RunError.
[[nodiscard]] std::vector<double> layer_factors(const RunConfiguration& configuration,
                                                const calibration::Profile& profile);

// The GPU's clock in such a run, in Hz.
[[nodiscard]] double gpu_clock_of(const RunConfiguration& configuration, const calibration::Profile& profile);

}  // namespace jostle::analyses
