// Memory for the tensors between a network's layers, when each tensor is kept from the layer that writes it
// to the last layer that reads it.
#pragma once

#include "models/dnn/lowering.hpp"

namespace jostle::dnn {
class Network;
}

namespace jostle::memory {

// Storage format of tensors.
struct Storage {
  double element_bytes = 4;
  int channel_multiple = 1;  // channels are padded to a multiple of this (tensor cores read them in groups)
  dnn::Lowering lowering = dnn::Lowering::optimised;
};

// Maximum number of bytes that are live at any time, for one image, with the layers run in order.
//
// A view (reshape, slice) shares the buffer of its operand. Lowering::optimised, as TensorRT: batch norm,
// activations and sums are computed in place if no other layer reads the operand, and the operands of a
// concatenation are written directly to their place in its result. The network's input and output are
// bindings of the caller and do not count. If the storage format differs from that of the bindings (fp32,
// unpadded), the copy of the input counts. Checked: TensorRT 10.3 reports 2.3 MiB for ResNet-18 in fp16 on an
// Orin Nano (gwonxhj/jetson-orin-nano-internal-lab). Lowering::framework, as PyTorch: only activations are
// computed in place, and the input counts like any other tensor.
[[nodiscard]] double peak_activation_bytes(const dnn::Network& network, const Storage& storage);

}  // namespace jostle::memory
