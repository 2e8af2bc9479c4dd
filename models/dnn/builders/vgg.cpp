// VGG (Simonyan and Zisserman, 2014), configurations D and E without batch norm, as torchvision defines them.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

// Channels of each stage.
constexpr std::array<int, 5> vgg_channels{64, 128, 256, 512, 512};
using VggConvolutions = std::array<int, 5>;
constexpr VggConvolutions vgg16{2, 2, 3, 3, 3}, vgg19{2, 2, 4, 4, 4};

Node add_vgg_stage(LayerBuilder& layers, int number, Node from, const VggConvolutions& convolutions) {
  const auto stage = static_cast<std::size_t>(number - 1);
  for (int i = 1; i <= convolutions.at(stage); ++i) {
    const std::string name = "conv" + std::to_string(number) + "_" + std::to_string(i);
    from = layers.conv_bias_activation(name, from, vgg_channels.at(stage), {.window = 3});
  }
  return from;
}

Network vgg_classifier(int input, const VggConvolutions& convolutions) {
  constexpr int side = 7;  // side of the classifier's input
  LayerBuilder layers;
  auto node = layers.input({3, input, input});
  for (int number = 1; number <= static_cast<int>(vgg_channels.size()); ++number) {
    node = add_vgg_stage(layers, number, node, convolutions);
    node = layers.max_pool("pool" + std::to_string(number), node, {.window = 2, .stride = 2});
  }
  node = layers.average_pool_to(node, side);
  node = layers.reshape("flatten", node, {layers.shape(node).channels * side * side});
  node = layers.activation(layers.linear("fc6", node, 4096));
  node = layers.activation(layers.linear("fc7", node, 4096));
  (void)layers.linear("fc8", node, 1000);
  return layers.take();
}

}  // namespace

Node add_vgg16_stage(LayerBuilder& layers, int number, Node from) {
  return add_vgg_stage(layers, number, from, vgg16);
}

Network build_vgg16(int input) {
  return vgg_classifier(input, vgg16);
}
Network build_vgg19(int input) {
  return vgg_classifier(input, vgg19);
}

}  // namespace jostle::dnn
