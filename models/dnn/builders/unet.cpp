// U-Net (Ronneberger et al., 2015) for colour images and two classes, as Pytorch-UNet defines it: batch norm
// after every convolution, and padding, so that the map has the size of the image.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

Node convolve_twice(LayerBuilder& layers, const std::string& name, Node from, int channels) {
  const Node first = layers.conv_norm_activation(name + ".0", from, channels, {.window = 3});
  return layers.conv_norm_activation(name + ".1", first, channels, {.window = 3});
}

}  // namespace

Network build_unet(int input) {
  constexpr int levels = 4, widest = 1024;
  require_multiple("unet", input, 1 << levels);
  LayerBuilder layers;
  std::array<Node, levels> kept{};
  Node node = layers.input({3, input, input});
  int width = widest >> levels;
  for (int level = 0; level < levels; ++level, width *= 2) {
    const std::string name = "down" + std::to_string(level);
    node = convolve_twice(layers, name, node, width);
    kept.at(static_cast<std::size_t>(level)) = node;
    node = layers.max_pool(name + ".pool", node, {.window = 2, .stride = 2});
  }
  node = convolve_twice(layers, "bottom", node, width);
  for (int level = levels; level-- > 0;) {
    const std::string name = "up" + std::to_string(level);
    width /= 2;
    node = layers.conv_transpose(name + ".up", node, width, {.window = 2, .stride = 2}, {.bias = true});
    node = layers.concat(name + ".concat", {kept.at(static_cast<std::size_t>(level)), node});
    node = convolve_twice(layers, name, node, width);
  }
  (void)layers.conv("classes", node, 2, {.window = 1}, {.bias = true});
  return layers.take();
}

}  // namespace jostle::dnn
