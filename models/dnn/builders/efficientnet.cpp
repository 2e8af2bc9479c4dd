// EfficientNet (Tan and Le, 2019), and EfficientNetV2 (Tan and Le, 2021) small, as torchvision defines them.
#include <array>
#include <cmath>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

// A stage of B0.
struct EfficientNetStage {
  int expansion, window, stride, channels, blocks;
};
constexpr std::array<EfficientNetStage, 7> efficientnet_stages{{{1, 3, 1, 16, 1},
                                                                {6, 3, 2, 24, 2},
                                                                {6, 5, 2, 40, 2},
                                                                {6, 3, 2, 80, 3},
                                                                {6, 5, 1, 112, 3},
                                                                {6, 5, 2, 192, 4},
                                                                {6, 3, 1, 320, 1}}};

// A stage of V2-S. The first three fuse the widening and the depthwise convolution into one of 3 x 3.
struct EfficientNetV2Stage {
  bool fused;
  int expansion, stride, channels, blocks;
};
constexpr std::array<EfficientNetV2Stage, 6> efficientnet_v2_stages{{{true, 1, 1, 24, 2},
                                                                     {true, 4, 2, 48, 4},
                                                                     {true, 4, 2, 64, 4},
                                                                     {false, 4, 2, 128, 6},
                                                                     {false, 6, 1, 160, 9},
                                                                     {false, 6, 2, 256, 15}}};

Network::Node add_fused_block(LayerBuilder& layers, const std::string& name, Network::Node from,
                              const EfficientNetV2Stage& of, int stride) {
  const int before = layers.shape(from).channels;
  Network::Node node = layers.conv_norm_activation(name + ".expand", from,
                                                   of.expansion > 1 ? of.expansion * before : of.channels,
                                                   {.window = 3, .stride = stride});
  if (of.expansion > 1) node = layers.conv_norm(name + ".project", node, of.channels, {.window = 1});
  return stride == 1 && before == of.channels ? layers.add(node, from) : node;
}

Network efficientnet_v2_s(int input) {
  LayerBuilder layers(Activation::silu);
  Network::Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 24, {.window = 3, .stride = 2});
  int block = 0;
  for (const EfficientNetV2Stage& stage : efficientnet_v2_stages) {
    for (int i = 0; i < stage.blocks; ++i) {
      const std::string name = "block" + std::to_string(block++);
      const int before = layers.shape(node).channels, stride = i == 0 ? stage.stride : 1;
      node = stage.fused ? add_fused_block(layers, name, node, stage, stride)
                         : add_inverted_residual(layers, name, node,
                                                 {.inside = stage.expansion * before,
                                                  .channels = stage.channels,
                                                  .stride = stride,
                                                  .activation = Activation::silu,
                                                  .squeeze = before / 4,
                                                  .inner = Activation::silu})
                               .out;
    }
  }
  node = layers.conv_norm_activation("last", node, 1280, {.window = 1});
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

Network efficientnet(int input, double width, double depth) {
  LayerBuilder layers(Activation::silu);
  Network::Node node = layers.conv_norm_activation(
      "stem", layers.input({3, input, input}), divisible_channels(32 * width), {.window = 3, .stride = 2});
  int block = 0;
  for (const EfficientNetStage& stage : efficientnet_stages) {
    const int blocks = static_cast<int>(std::ceil(stage.blocks * depth));
    for (int i = 0; i < blocks; ++i) {
      const int before = layers.shape(node).channels;
      node = add_inverted_residual(layers, "block" + std::to_string(block++), node,
                                   {.inside = stage.expansion * before,
                                    .channels = divisible_channels(stage.channels * width),
                                    .window = stage.window,
                                    .stride = i == 0 ? stage.stride : 1,
                                    .activation = Activation::silu,
                                    .squeeze = before / 4,
                                    .inner = Activation::silu})
                 .out;
    }
  }
  node = layers.conv_norm_activation("last", node, 4 * layers.shape(node).channels, {.window = 1});
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace

Network build_efficientnet_b0(int input) {
  return efficientnet(input, 1.0, 1.0);
}
Network build_efficientnet_b1(int input) {
  return efficientnet(input, 1.0, 1.1);
}
Network build_efficientnet_b2(int input) {
  return efficientnet(input, 1.1, 1.2);
}
Network build_efficientnet_b3(int input) {
  return efficientnet(input, 1.2, 1.4);
}
Network build_efficientnet_b4(int input) {
  return efficientnet(input, 1.4, 1.8);
}
Network build_efficientnet_v2_s(int input) {
  return efficientnet_v2_s(input);
}

}  // namespace jostle::dnn
