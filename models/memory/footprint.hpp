// What a process holds in memory: its context, its engine, its activations and the batches it has bound.
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

// Bytes, each part in whole pages where the GPU's driver allocates it.
struct Footprint {
  double context = 0;      // CUDA, libraries, heap
  double gpu_context = 0;  // of which for the GPU
  double engine = 0;       // weights, and the kernels' code; in training also their gradients and momentum
  double arena = 0;        // activations
  double io = 0;           // inputs and outputs

  [[nodiscard]] double total() const { return context + engine + arena + io; }
  [[nodiscard]] double gpu() const { return gpu_context + engine + arena + io; }
};

// Elements that the caller binds to a network's inputs and outputs, for one image.
struct Bindings {
  std::int64_t inputs = 0, outputs = 0;
};
[[nodiscard]] Bindings bindings(const dnn::Network& network);

// Of some layers of a network: their share of its parameters, and what they bind for one image.
struct Portion {
  double parameters = 1;
  double read_bytes = 0, written_bytes = 0;
};

// A network as a process runs it.
struct Workload {
  const dnn::Network& network;
  dnn::Precision precision = dnn::Precision::fp16;  // as asked; layers fall back as the GPU must
  std::int64_t batch = 1;
  dnn::Lowering lowering = dnn::Lowering::optimised;
  bool training = false;
  std::optional<Portion> portion =
      {};  // of it alone; the arena is still the whole network's, at most too much
};

// Engine, arena and io of a workload.
//   engine  parameters in the precision that `gpu` computes in (fp32 where it has no path for the one asked);
//           TensorRT's also holds some 36 kB of code and tables a layer with weights: ResNet-18 fp16 22.7
//           MiB, ResNet-50 fp32 98 MiB (gwonxhj/jetson-orin-nano-internal-lab; TensorRT's engine explorer)
//           in training (training.hpp) with what is held of each parameter
//   arena   batch x peak_activation_bytes; in training batch x training_activation_bytes
//   io      2 x batch x (input + output) in fp32: one batch runs and one waits (Chakraborty et al., ISPASS
//           2025)
[[nodiscard]] Footprint footprint(const Workload& workload, const gpu::Spec& gpu, double page_bytes);

}  // namespace jostle::memory
