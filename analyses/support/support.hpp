// The basis of a prediction for a network on a device: `jostle support`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/process/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

struct Support {
  bool has_runtime = true;  // false: the device has no data for the runtime, and a run would be rejected
  gpu::Grade grade = gpu::Grade::datasheet;
  std::string basis;  // one line of text: the table or factor used
  // The number of kernels of the network in each precision, in the order fp32, tf32, fp16, int8; empty if the
  // kernels are measured.
  std::vector<std::pair<dnn::Precision, int>> kernels_by_precision = {};
  // The batch sizes of this network and precision that were measured on this device.
  std::vector<std::int64_t> measured_batches = {};
};

// The basis for `model`: a built-in network, or a file that was read. Throws std::invalid_argument as
// dnn::kernels_for() does.
[[nodiscard]] Support support(const profiles::Profile& profile, const scenarios::Model& model,
                              dnn::Precision precision, process::Runtime runtime, std::int64_t batch);

}  // namespace jostle::analyses
