// MobileNetV3 (Howard et al., 2019), width 1, as torchvision defines it.
#include <span>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct MobileNetV3Block {
  int window, inside, channels;
  bool squeeze;
  Activation activation;
  int stride;
};
constexpr auto re = Activation::relu, hs = Activation::hard_swish;
constexpr std::array<MobileNetV3Block, 15> mobilenet_v3_large{{{3, 16, 16, false, re, 1},
                                                               {3, 64, 24, false, re, 2},
                                                               {3, 72, 24, false, re, 1},
                                                               {5, 72, 40, true, re, 2},
                                                               {5, 120, 40, true, re, 1},
                                                               {5, 120, 40, true, re, 1},
                                                               {3, 240, 80, false, hs, 2},
                                                               {3, 200, 80, false, hs, 1},
                                                               {3, 184, 80, false, hs, 1},
                                                               {3, 184, 80, false, hs, 1},
                                                               {3, 480, 112, true, hs, 1},
                                                               {3, 672, 112, true, hs, 1},
                                                               {5, 672, 160, true, hs, 2},
                                                               {5, 960, 160, true, hs, 1},
                                                               {5, 960, 160, true, hs, 1}}};
constexpr std::array<MobileNetV3Block, 11> mobilenet_v3_small{{{3, 16, 16, true, re, 2},
                                                               {3, 72, 24, false, re, 2},
                                                               {3, 88, 24, false, re, 1},
                                                               {5, 96, 40, true, hs, 2},
                                                               {5, 240, 40, true, hs, 1},
                                                               {5, 240, 40, true, hs, 1},
                                                               {5, 120, 48, true, hs, 1},
                                                               {5, 144, 48, true, hs, 1},
                                                               {5, 288, 96, true, hs, 2},
                                                               {5, 576, 96, true, hs, 1},
                                                               {5, 576, 96, true, hs, 1}}};

Network mobilenet_v3(int input, std::span<const MobileNetV3Block> blocks, int wide) {
  LayerBuilder layers(Activation::hard_swish);
  Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 16, {.window = 3, .stride = 2});
  int number = 0;
  for (const MobileNetV3Block& block : blocks) {
    const int quarter = block.inside / 4;
    node = add_inverted_residual(layers, "block" + std::to_string(number++), node,
                                 {.inside = block.inside,
                                  .channels = block.channels,
                                  .window = block.window,
                                  .stride = block.stride,
                                  .activation = block.activation,
                                  .squeeze = block.squeeze ? divisible_channels(quarter) : 0,
                                  .gate = Activation::hard_sigmoid})
               .out;
  }
  node = layers.conv_norm_activation("last", node, 6 * layers.shape(node).channels, {.window = 1});
  node = layers.activation(layers.linear("classifier0", layers.average_pool(node), wide));
  (void)layers.linear("classifier3", node, 1000);
  return layers.take();
}

}  // namespace

Network build_mobilenet_v3_small(int input) {
  return mobilenet_v3(input, mobilenet_v3_small, 1024);
}
Network build_mobilenet_v3_large(int input) {
  return mobilenet_v3(input, mobilenet_v3_large, 1280);
}

}  // namespace jostle::dnn
