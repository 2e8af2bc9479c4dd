// ConvNeXt (Liu et al., 2022) as torchvision defines it: depthwise convolutions of 7 x 7, norms over the
// channels of a position, and a feed-forward part whose result is scaled channel by channel.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct ConvNext {
  const char* name;
  int width;  // channels of the first stage; each stage has twice as many as the one before
  std::array<int, 4> blocks;
};

Node add_convnext_block(LayerBuilder& layers, const std::string& name, Node from) {
  const int channels = layers.shape(from).channels;
  Node node =
      layers.conv(name + ".depthwise", from, channels, {.window = 7}, {.groups = channels, .bias = true});
  node = add_feed_forward(layers, name, layers.layer_norm(node), 4 * channels);
  return layers.add(layers.scale_channels(name + ".scale", node), from);
}

Network convnext(int input, const ConvNext& of) {
  require_multiple(of.name, input, 32);
  LayerBuilder layers(Activation::gelu);
  Node node = layers.conv("patches", layers.input({3, input, input}), of.width,
                          {.window = 4, .stride = 4, .padding = 0}, {.bias = true});
  node = layers.layer_norm(node);
  for (std::size_t stage = 0; stage < of.blocks.size(); ++stage) {
    const std::string name = "stage" + std::to_string(stage + 1);
    if (stage > 0)
      node = layers.conv(name + ".downsample", layers.layer_norm(node), of.width << stage,
                         {.window = 2, .stride = 2, .padding = 0}, {.bias = true});
    for (int i = 0; i < of.blocks.at(stage); ++i)
      node = add_convnext_block(layers, name + ".block" + std::to_string(i), node);
  }
  (void)layers.linear("head", layers.layer_norm(layers.average_pool(node)), 1000);
  return layers.take();
}

}  // namespace

Network build_convnext_tiny(int input) {
  return convnext(input, {"convnext_tiny", 96, {3, 3, 9, 3}});
}
Network build_convnext_base(int input) {
  return convnext(input, {"convnext_base", 128, {3, 3, 27, 3}});
}

}  // namespace jostle::dnn
