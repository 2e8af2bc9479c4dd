// MobileNetV2 (Sandler et al., 2018), width 1, as torchvision defines it.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct Group {
  int expansion, channels, blocks, stride;
};
constexpr std::array<Group, 7> groups{{{1, 16, 1, 1},
                                       {6, 24, 2, 2},
                                       {6, 32, 3, 2},
                                       {6, 64, 4, 2},
                                       {6, 96, 3, 1},
                                       {6, 160, 3, 2},
                                       {6, 320, 1, 1}}};

struct Bottleneck {
  int expansion, channels, stride;
};

Node inverted_residual(LayerBuilder& layers, const std::string& name, Node from, const Bottleneck& to) {
  const auto [expansion, channels, stride] = to;
  const int narrow = layers.shape(from).channels;
  const int wide = narrow * expansion;
  Node node = from;
  if (expansion > 1) node = layers.conv_norm_activation(name + ".expand", node, wide, {.window = 1});
  node = layers.conv_norm_activation(name + ".depthwise", node, wide, {.window = 3, .stride = stride}, wide);
  node = layers.conv_norm(name + ".project", node, channels, {.window = 1});
  return stride == 1 && narrow == channels ? layers.add(node, from) : node;
}

}  // namespace

Network build_mobilenet_v2(int input) {
  LayerBuilder layers;
  Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 32, {.window = 3, .stride = 2});
  int block = 0;
  for (const Group& group : groups) {
    for (int i = 0; i < group.blocks; ++i) {
      node = inverted_residual(layers, "block" + std::to_string(block++), node,
                               {group.expansion, group.channels, i == 0 ? group.stride : 1});
    }
  }
  node = layers.conv_norm_activation("last", node, 1280, {.window = 1});
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
