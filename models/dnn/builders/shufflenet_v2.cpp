// ShuffleNet V2 (Ma et al., 2018) as torchvision defines it.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr std::array<int, 3> shuffle_units{4, 8, 4};  // numbers of units in stages 2 to 4

// Interleaves the channels of both halves.
Node shuffled(LayerBuilder& layers, const std::string& name, Node left, Node right) {
  const Node both = layers.concat(name + ".concat", {left, right});
  layers.next({.views = 3});
  return layers.transpose(name + ".shuffle", both, layers.shape(both));
}

Node add_shuffle_branch(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  Node node = layers.conv_norm_activation(name + ".0", from, channels, {.window = 1});
  node = layers.conv_norm(name + ".3", node, channels, {.window = 3, .stride = stride}, channels);
  return layers.conv_norm_activation(name + ".5", node, channels, {.window = 1});
}

Node add_shuffle_unit(LayerBuilder& layers, const std::string& name, Node from) {
  const int half = layers.shape(from).channels / 2;
  const Node kept = layers.channels(name + ".split0", from, half);
  const Node changed = layers.channels(name + ".split1", from, half);
  return shuffled(layers, name, kept, add_shuffle_branch(layers, name + ".branch2", changed, half, 1));
}

// Halves the plane; both branches read all channels.
Node add_smaller_shuffle_unit(LayerBuilder& layers, const std::string& name, Node from, int channels) {
  const int whole = layers.shape(from).channels, half = channels / 2;
  Node left = layers.conv_norm(name + ".branch1.0", from, whole, {.window = 3, .stride = 2}, whole);
  left = layers.conv_norm_activation(name + ".branch1.2", left, half, {.window = 1});
  return shuffled(layers, name, left, add_shuffle_branch(layers, name + ".branch2", from, half, 2));
}

Network shufflenet(int input, const std::array<int, 3>& channels) {
  LayerBuilder layers;
  Node node =
      layers.conv_norm_activation("conv1", layers.input({3, input, input}), 24, {.window = 3, .stride = 2});
  node = layers.max_pool("maxpool", node, {.window = 3, .stride = 2});
  for (std::size_t stage = 0; stage < shuffle_units.size(); ++stage) {
    const std::string name = "stage" + std::to_string(stage + 2) + ".";
    node = add_smaller_shuffle_unit(layers, name + "0", node, channels.at(stage));
    for (int i = 1; i < shuffle_units.at(stage); ++i)
      node = add_shuffle_unit(layers, name + std::to_string(i), node);
  }
  node = layers.conv_norm_activation("conv5", node, 1024, {.window = 1});
  (void)layers.linear("fc", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace

Network build_shufflenet_v2_x0_5(int input) {
  return shufflenet(input, {48, 96, 192});
}
Network build_shufflenet_v2_x1_0(int input) {
  return shufflenet(input, {116, 232, 464});
}

}  // namespace jostle::dnn
