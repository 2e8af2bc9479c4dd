// The block of MobileNetV2 (Sandler et al., 2018) and of the networks after it: a 1 x 1 convolution that
// widens, a depthwise one, and a 1 x 1 convolution without activation that narrows.
#pragma once

#include <string>

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

// Squeeze and excitation (Hu et al., 2018): each channel is multiplied by a factor that depends on the means
// of all channels. `channels` inside, and the activations inside and after it.
struct SqueezeExcitation {
  int channels;
  Activation inner = Activation::relu, gate = Activation::sigmoid;
};
[[nodiscard]] Network::Node add_squeeze_excitation(LayerBuilder& layers, const std::string& name,
                                                   Network::Node from, const SqueezeExcitation& of);

struct InvertedResidual {
  // Channels after the first and after the last convolution. There is no first one if it would not widen.
  int inside, channels;
  int window = 3, stride = 1;
  Activation activation = Activation::relu;
  // Squeeze and excitation after the depthwise convolution: channels inside, 0: none; and the activations
  // inside and after it.
  int squeeze = 0;
  Activation inner = Activation::relu, gate = Activation::sigmoid;
};
struct InvertedResidualNodes {
  Network::Node widened, out;
};
[[nodiscard]] InvertedResidualNodes add_inverted_residual(LayerBuilder& layers, const std::string& name,
                                                          Network::Node from, const InvertedResidual& of);

// The multiple of eight next to `channels`, but not less than 90 % of it, as TensorFlow's and torchvision's
// definitions round scaled widths.
[[nodiscard]] int divisible_channels(double channels);

}  // namespace jostle::dnn
