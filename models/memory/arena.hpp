// How much memory the tensors between a network's layers need, when each is held from the layer that writes
// it to the last that reads it.
#pragma once

#include "models/dnn/lowering.hpp"

namespace jostle::dnn {
class Network;
}

namespace jostle::memory {

// How tensors are stored.
struct Storage {
  double element_bytes = 4;
  int channel_multiple = 1;  // channels are padded to it (tensor cores read them in groups)
  dnn::Lowering lowering = dnn::Lowering::optimised;
};

// Most bytes alive at any time, for one image, the layers run in their order.
//
// A view (reshape, slice) lies in what it views. Lowering::optimised, as TensorRT: batch norm, activations
// and sums are written in place where nobody else reads the operand, and what a concatenation joins is
// written where it is to stand. The network's input and output are bindings of the caller and not counted;
// where the storage is not that of the bindings (fp32, unpadded), the input's copy in it is. Checked:
// TensorRT 10.3 tells 2.3 MiB for ResNet-18 in fp16 on an Orin Nano (gwonxhj/jetson-orin-nano-internal-lab).
// Lowering::framework, as PyTorch: only activations are in place, and the input is a tensor like others.
[[nodiscard]] double peak_activation_bytes(const dnn::Network& network, const Storage& storage);

}  // namespace jostle::memory
