// MnasNet-B1 (Tan et al., 2019), width 1, as torchvision defines it.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

struct MnasNetStack {
  int expansion, window, channels, blocks, stride;
};
constexpr std::array<MnasNetStack, 6> mnasnet_stacks{{{3, 3, 24, 3, 2},
                                                      {3, 5, 40, 3, 2},
                                                      {6, 5, 80, 3, 2},
                                                      {6, 3, 96, 2, 1},
                                                      {6, 5, 192, 4, 2},
                                                      {6, 3, 320, 1, 1}}};

}  // namespace

Network build_mnasnet1_0(int input) {
  LayerBuilder layers;
  Network::Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 32, {.window = 3, .stride = 2});
  node = layers.conv_norm_activation("separable.depthwise", node, 32, {.window = 3}, 32);
  node = layers.conv_norm("separable.project", node, 16, {.window = 1});
  int block = 0;
  for (const MnasNetStack& stack : mnasnet_stacks) {
    for (int i = 0; i < stack.blocks; ++i)
      node = add_inverted_residual(layers, "block" + std::to_string(block++), node,
                                   {.inside = stack.expansion * layers.shape(node).channels,
                                    .channels = stack.channels,
                                    .window = stack.window,
                                    .stride = i == 0 ? stack.stride : 1})
                 .out;
  }
  node = layers.conv_norm_activation("last", node, 1280, {.window = 1});
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
