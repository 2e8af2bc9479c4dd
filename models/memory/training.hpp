// What a step of training holds that inference does not: what is kept of the forward for the backward, and of
// each parameter more than itself.
#pragma once

#include "models/dnn/precision.hpp"

namespace jostle::dnn {
class Network;
}

namespace jostle::memory {

// Of one parameter: weight, gradient and momentum in fp32; in fp16 also the copy that autocast keeps.
[[nodiscard]] double training_parameter_bytes(dnn::Precision precision);

// Of one image: every tensor that a gradient is computed from, kept until then, and the two largest that pass
// from one gradient to the next. Kept are, as in PyTorch: the inputs of products, pools and normalisations,
// and the results of softmax and of activations whose gradient follows from them, which are written over
// their inputs; of other activations the inputs. A max pool also keeps where its largest were, 8 bytes each.
[[nodiscard]] double training_activation_bytes(const dnn::Network& network, double element_bytes);

}  // namespace jostle::memory
