// Additional memory of a training step compared with inference: what is kept of the forward pass for the
// backward pass, and what is kept for each parameter.
#pragma once

#include "models/dnn/precision.hpp"

namespace jostle::dnn {
class Network;
}

namespace jostle::memory {

// For one parameter: weight, gradient and momentum in fp32; in fp16 also the copy that autocast keeps.
[[nodiscard]] double training_parameter_bytes(dnn::Precision precision);

// For one image: every tensor that a gradient is computed from, kept until then, and the two largest tensors
// passed from one gradient to the next. As in PyTorch, kept are: the inputs of products, pools and
// normalisations; the results of softmax and of activations whose gradient follows from the result (these
// overwrite their inputs); the inputs of other activations. A max pool also keeps the positions of its
// maxima, 8 bytes each.
[[nodiscard]] double training_activation_bytes(const dnn::Network& network, double element_bytes);

}  // namespace jostle::memory
