// The one question the rest of jostle asks of a network: which kernels does one batch of it launch here?
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/dnn/factors.hpp"
#include "models/dnn/kernel_tables.hpp"
#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

class Network;

struct Request {
  std::string model;  // one of model_names()
  Precision precision = Precision::fp16;
  std::int64_t batch = 1;  // images
  Lowering lowering = Lowering::framework;
  int input = 0;                     // side of the image or tokens; 0: the network's own default
  std::string device = {};           // whose factors apply; empty: only those of any device
  const Network* network = nullptr;  // one that has no name here (of a file), in place of `model` and `input`
  bool training = false;             // a step of training (training.hpp), of Lowering::framework
};

// From a measured table of the device if there is one for this network, precision, input and lowering (tables
// are of frameworks): as it is, or interpolated (interpolate.hpp). Otherwise from the layers and the roofs of
// `gpu` (roofline.hpp), times the factor that `factors` holds for it in
// the precision it really runs in: grade fitted, or else datasheet. Of training nothing is measured or
// fitted. Durations are at the clocks of the tables, or the GPU's maximum. Throws std::invalid_argument for
// an unknown model (naming the nearest), for a batch or input out of range, and for a request whose time
// cannot be simulated; for training where training_step() does.
[[nodiscard]] gpu::KernelSequence kernels_for(const Request& request, const KernelTables& tables,
                                              const gpu::Spec& gpu, std::span<const Factor> factors = {});

// Every kernel by the same factor: what bounds it stays as it is.
void scale_durations(gpu::KernelSequence& sequence, double factor);

}  // namespace jostle::dnn
