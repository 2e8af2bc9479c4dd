// RegNetY (Radosavovic et al., 2020), 3.2 GFLOP, as torchvision defines it: bottlenecks with convolutions in
// groups of 24 channels, and squeeze and excitation.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct RegNetStage {
  int channels, blocks;
};
// The widths and depths that its linear rule gives: 21 blocks, w_0 = 80, w_a = 42.63, w_m = 2.66.
constexpr std::array<RegNetStage, 4> regnet_y_3_2gf{{{72, 2}, {216, 5}, {576, 13}, {1512, 1}}};
constexpr int regnet_group = 24, regnet_squeeze = 4;

Node add_regnet_block(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  const int before = layers.shape(from).channels;
  const bool changes = before != channels || stride > 1;
  const Node shortcut =
      changes ? layers.conv_norm(name + ".proj", from, channels, {.window = 1, .stride = stride}) : from;
  Node node = layers.conv_norm_activation(name + ".a", from, channels, {.window = 1});
  node = layers.conv_norm_activation(name + ".b", node, channels, {.window = 3, .stride = stride},
                                     channels / regnet_group);
  node = add_squeeze_excitation(layers, name + ".se", node, {.channels = before / regnet_squeeze});
  node = layers.conv_norm(name + ".c", node, channels, {.window = 1});
  return layers.activation(layers.add(shortcut, node));
}

}  // namespace

Network build_regnet_y_3_2gf(int input) {
  LayerBuilder layers;
  Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 32, {.window = 3, .stride = 2});
  for (std::size_t stage = 0; stage < regnet_y_3_2gf.size(); ++stage) {
    const auto [channels, blocks] = regnet_y_3_2gf.at(stage);
    for (int i = 0; i < blocks; ++i)
      node = add_regnet_block(layers, "block" + std::to_string(stage + 1) + "." + std::to_string(i), node,
                              channels, i == 0 ? 2 : 1);
  }
  (void)layers.linear("fc", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
