#include "models/dnn/builders/inverted_residual.hpp"

#include <algorithm>

namespace jostle::dnn {

using Node = Network::Node;

Node add_squeeze_excitation(LayerBuilder& layers, const std::string& name, Node from,
                            const SqueezeExcitation& of) {
  const int channels = layers.shape(from).channels;
  const Node mean = layers.average_pool(name + ".pool", from);
  const Node narrow = layers.conv(name + ".fc1", mean, of.channels, {.window = 1}, {.bias = true});
  const Node wide = layers.conv(name + ".fc2", layers.activation(narrow, of.inner), channels, {.window = 1},
                                {.bias = true});
  return layers.multiply(from, layers.activation(wide, of.gate));
}

InvertedResidualNodes add_inverted_residual(LayerBuilder& layers, const std::string& name, Node from,
                                            const InvertedResidual& of) {
  const int before = layers.shape(from).channels;
  Node node = from;
  if (of.inside != before)
    node =
        layers.activation(layers.conv_norm(name + ".expand", node, of.inside, {.window = 1}), of.activation);
  const Node widened = node;
  node = layers.conv_norm(name + ".depthwise", node, of.inside, {.window = of.window, .stride = of.stride},
                          of.inside);
  node = layers.activation(node, of.activation);
  if (of.squeeze > 0)
    node = add_squeeze_excitation(layers, name + ".se", node, {of.squeeze, of.inner, of.gate});
  node = layers.conv_norm(name + ".project", node, of.channels, {.window = 1});
  const bool shortcut = of.stride == 1 && before == of.channels;
  return {widened, shortcut ? layers.add(node, from) : node};
}

int divisible_channels(double channels) {
  constexpr int step = 8;
  const int rounded = std::max(step, static_cast<int>(channels + step / 2.0) / step * step);
  return rounded < 0.9 * channels ? rounded + step : rounded;
}

}  // namespace jostle::dnn
