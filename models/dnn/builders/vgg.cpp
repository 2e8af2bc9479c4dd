// VGG (Simonyan and Zisserman, 2014), configuration D without batch norm, as torchvision defines it.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

struct VggStage {
  int convolutions, channels;
};
constexpr std::array<VggStage, 5> stages{{{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}}};

}  // namespace

Network::Node add_vgg16_stage(LayerBuilder& layers, int number, Network::Node from) {
  const VggStage& stage = stages.at(static_cast<std::size_t>(number - 1));
  for (int i = 1; i <= stage.convolutions; ++i) {
    const std::string name = "conv" + std::to_string(number) + "_" + std::to_string(i);
    from = layers.conv_bias_activation(name, from, stage.channels, {.window = 3});
  }
  return from;
}

Network build_vgg16(int input) {
  constexpr int side = 7;  // of the classifier's input
  LayerBuilder layers;
  auto node = layers.input({3, input, input});
  for (int number = 1; number <= static_cast<int>(stages.size()); ++number) {
    node = add_vgg16_stage(layers, number, node);
    node = layers.max_pool("pool" + std::to_string(number), node, {.window = 2, .stride = 2});
  }
  node = layers.average_pool_to(node, side);
  node = layers.reshape("flatten", node, {layers.shape(node).channels * side * side});
  node = layers.activation(layers.linear("fc6", node, 4096));
  node = layers.activation(layers.linear("fc7", node, 4096));
  (void)layers.linear("fc8", node, 1000);
  return layers.take();
}

}  // namespace jostle::dnn
