// 3-D U-Net (Cicek et al., 2016) as MLPerf defines it for KiTS19: volumes of one channel, three classes;
// steps of two instead of pools, instance norm. `input` is the side of a cube.
#include <algorithm>
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

// Channels of each level, and once more of the bottom.
constexpr std::array<int, 5> unet3d_widths{32, 64, 128, 256, 320};

Node convolve_volume(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  const Node node = layers.conv_volume(name, from, channels, {.window = 3, .stride = stride});
  return layers.activation(layers.layer_norm(node));
}

}  // namespace

Network build_unet3d(int input) {
  constexpr std::size_t levels = unet3d_widths.size();
  require_multiple("unet3d", input, 1 << levels);
  LayerBuilder layers;
  std::array<Node, levels> kept{};
  Node node = layers.input({1, input * input, input});
  for (std::size_t level = 0; level <= levels; ++level) {
    const std::string name = "down" + std::to_string(level);
    const int width = unet3d_widths.at(std::min(level, levels - 1));
    node = convolve_volume(layers, name + ".0", node, width, level == 0 ? 1 : 2);
    node = convolve_volume(layers, name + ".1", node, width, 1);
    if (level < levels) kept.at(level) = node;
  }
  for (std::size_t level = levels; level-- > 0;) {
    const std::string name = "up" + std::to_string(level);
    const int width = unet3d_widths.at(level);
    node =
        layers.conv_transpose_volume(name + ".up", node, width, {.window = 2, .stride = 2}, {.bias = true});
    node = layers.concat(name + ".concat", {node, kept.at(level)});
    node = convolve_volume(layers, name + ".0", node, width, 1);
    node = convolve_volume(layers, name + ".1", node, width, 1);
  }
  (void)layers.conv_volume("classes", node, 3, {.window = 1}, {.bias = true});
  return layers.take();
}

}  // namespace jostle::dnn
