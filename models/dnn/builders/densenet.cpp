// DenseNet (Huang et al., 2017), growth rate 32, as torchvision defines it: a layer reads the results of all
// layers before it in its block, and each convolution comes after its norm.
#include <array>
#include <vector>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int growth_rate = 32, bottleneck_width = 4 * growth_rate;

Node norm_activation_conv(LayerBuilder& layers, const std::string& name, Node from, int channels,
                          int window) {
  return layers.conv(name, layers.activation(layers.batch_norm(from)), channels, {.window = window});
}

Node add_dense_block(LayerBuilder& layers, const std::string& name, Node from, int count) {
  std::vector<Node> kept{from};
  Node all = from;
  for (int i = 1; i <= count; ++i) {
    const std::string layer = name + ".layer" + std::to_string(i);
    const Node narrow = norm_activation_conv(layers, layer + ".conv1", all, bottleneck_width, 1);
    kept.push_back(norm_activation_conv(layers, layer + ".conv2", narrow, growth_rate, 3));
    all = layers.concat(layer, kept);
  }
  return all;
}

Network densenet(int input, const std::array<int, 4>& blocks) {
  LayerBuilder layers;
  Node node =
      layers.conv_norm_activation("conv0", layers.input({3, input, input}), 64, {.window = 7, .stride = 2});
  node = layers.max_pool("pool0", node, {.window = 3, .stride = 2});
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    node = add_dense_block(layers, "block" + number, node, blocks.at(i));
    if (i + 1 == blocks.size()) break;
    const std::string name = "transition" + number;
    node = norm_activation_conv(layers, name, node, layers.shape(node).channels / 2, 1);
    node = layers.average_pool(name + ".pool", node, {.window = 2, .stride = 2});
  }
  node = layers.activation(layers.batch_norm(node));
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace

Network build_densenet121(int input) {
  return densenet(input, {6, 12, 24, 16});
}
Network build_densenet169(int input) {
  return densenet(input, {6, 12, 32, 32});
}
Network build_densenet201(int input) {
  return densenet(input, {6, 12, 48, 32});
}

}  // namespace jostle::dnn
