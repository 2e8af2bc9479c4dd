// Memory that a process holds: context, engine, activations, and the inputs and outputs it has bound.
#pragma once

#include <cstdint>
#include <optional>

#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/spec.hpp"
#include "models/memory/spec.hpp"

namespace jostle::dnn {
class Network;
}

namespace jostle::memory {

// Sizes are in bytes; parts allocated by the GPU's driver are rounded up to whole pages.
struct Footprint {
  double context = 0;      // CUDA, libraries, heap
  double gpu_context = 0;  // the part of it that is GPU memory
  double engine = 0;       // weights and kernel code; in training also gradients and momentum
  double arena = 0;        // activations
  double io = 0;           // inputs and outputs

  [[nodiscard]] double total() const { return context + engine + arena + io; }
  [[nodiscard]] double gpu() const { return gpu_context + engine + arena + io; }
};

// Number of elements that the caller binds to a network's inputs and outputs, for one image.
struct Bindings {
  std::int64_t inputs = 0, outputs = 0;
};
[[nodiscard]] Bindings bindings(const dnn::Network& network);

// A subset of the layers of a network: its share of the parameters, and its bindings for one image.
struct Portion {
  double parameters = 1;
  double read_bytes = 0, written_bytes = 0;
};

// A network as a process runs it.
struct Workload {
  const dnn::Network& network;
  // The requested precision; layers fall back where the GPU does not support it.
  dnn::Precision precision = dnn::Precision::fp16;
  std::int64_t batch = 1;
  dnn::Lowering lowering = dnn::Lowering::optimised;
  bool training = false;
  // Set if only part of the network runs here. The arena is still that of the whole network, an upper bound.
  std::optional<Portion> portion = {};
};

// Engine, arena and io of a workload.
//   engine  parameters in the precision that `gpu` computes in (fp32 if it does not support the requested
//           one); TensorRT's engine also holds some 36 kB of code and tables for each layer with weights:
//           ResNet-18 fp16 22.7 MiB, ResNet-50 fp32 98 MiB (gwonxhj/jetson-orin-nano-internal-lab; TensorRT's
//           engine explorer); in training (training.hpp) also what is held for each parameter
//   arena   batch x peak_activation_bytes; in training batch x training_activation_bytes
//   io      2 x batch x (input + output) in fp32: one batch runs and one waits (Chakraborty et al., ISPASS
//           2025)
[[nodiscard]] Footprint footprint(const Workload& workload, const gpu::Spec& gpu, double page_bytes);

// Additional memory of a training step compared with inference: what is kept of the forward pass for the
// backward pass, and what is kept for each parameter.
//
// For one image: every tensor that a gradient is computed from, kept until then, and the two largest tensors
// passed from one gradient to the next. As in PyTorch, kept are: the inputs of products, pools and
// normalisations; the results of softmax and of activations whose gradient follows from the result (these
// overwrite their inputs); the inputs of other activations. A max pool also keeps the positions of its
// maxima, 8 bytes each.
[[nodiscard]] double training_activation_bytes(const dnn::Network& network, double element_bytes);

}  // namespace jostle::memory
