// What a prediction would rest on, told before anyone asks for it: `jostle support`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/process/spec.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

struct Support {
  bool has_runtime = true;  // nothing is known of the runtime on this device: a run would be refused
  gpu::Grade grade = gpu::Grade::datasheet;
  std::string basis;  // one line for people: which table, which factor
  // How many of the network's kernels run in which precision, in the order fp32, tf32, fp16, int8; none where
  // the kernels are measured.
  std::vector<std::pair<dnn::Precision, int>> kernels_by_precision;
  // Other batches and precisions of the network on this device, by what they would rest on.
  std::vector<std::int64_t> measured_batches;
};

// `model` is a built-in network. Throws std::invalid_argument as dnn::kernels_for() does.
[[nodiscard]] Support support(const calibration::Profile& profile, const std::string& model,
                              dnn::Precision precision, process::Runtime runtime, std::int64_t batch);

}  // namespace jostle::analyses
