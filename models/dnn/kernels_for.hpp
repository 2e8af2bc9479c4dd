// The interface of models/dnn to the rest of jostle: the kernels that one batch of a network launches on a
// device.
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
  int input = 0;   // input_sides.hpp; 0: the default of the network
  Chip chip = {};  // the chip whose factors of networks apply; none: only those of families do
  // A network from a file; `model` is then the name that factors use for it, and `input` is ignored.
  const Network* network = nullptr;
  bool training = false;  // a training step (training.hpp), with Lowering::framework
  bool replayed = true;   // as a CUDA graph, which may run other kernels than were traced one by one
  double gpu_hz = 0;      // the clock that it will run at; layers timed at another are only fitted
};

// Returns the kernels of a request. If the device has a measured table for this network, precision, input and
// lowering (tables are of frameworks), they are taken from that table, or interpolated (interpolate.hpp).
// Otherwise those of a framework on sm_90 follow laws that other networks gave (framework_kernels.hpp), with
// grade fitted, and all others are computed from the layers and the peak rates of `gpu` (roofline.hpp), times
// the factor that `factors` has for the network in the precision that it really runs in. The grade is then
// fitted, or datasheet without such a factor. It is measured if the factor has the times of layers, taken in
// this precision, at this batch and clock. For training nothing is measured or fitted. Durations are at the
// clocks of the tables, or at the GPU's maximum. Throws std::invalid_argument for an unknown model, a batch
// or input out of range, and a request whose time cannot be simulated; for training also where
// training_step() does.
[[nodiscard]] gpu::KernelSequence kernels_for(const Request& request, const KernelTables& tables,
                                              const gpu::Spec& gpu, std::span<const Factor> factors = {});

// Scales every kernel by the same factor. The bound of each kernel is unchanged.
void scale_durations(gpu::KernelSequence& sequence, double factor);

}  // namespace jostle::dnn
