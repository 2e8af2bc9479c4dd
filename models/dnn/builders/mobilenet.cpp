// MobileNet (Howard et al., 2017) as Keras defines it, with 1000 classes; MobileNetV2 (Sandler et al., 2018)
// as torchvision does.
#include "models/dnn/builders/mobilenet.hpp"

#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

// A depthwise convolution of 3 x 3 and one of 1 x 1.
struct Separable {
  int channels, stride;
};
constexpr std::array<Separable, 13> separables{{{64, 1},
                                                {128, 2},
                                                {128, 1},
                                                {256, 2},
                                                {256, 1},
                                                {512, 2},
                                                {512, 1},
                                                {512, 1},
                                                {512, 1},
                                                {512, 1},
                                                {512, 1},
                                                {1024, 2},
                                                {1024, 1}}};
constexpr int separables_to_the_middle = 11;

// A group of blocks of MobileNetV2 at width 1.
struct InvertedGroup {
  int expansion, channels, blocks, stride;
};
constexpr std::array<InvertedGroup, 7> inverted_groups{{{1, 16, 1, 1},
                                                        {6, 24, 2, 2},
                                                        {6, 32, 3, 2},
                                                        {6, 64, 4, 2},
                                                        {6, 96, 3, 1},
                                                        {6, 160, 3, 2},
                                                        {6, 320, 1, 1}}};
constexpr int inverted_blocks_to_the_middle = 13;

Network mobilenet_v2(int input, double width) {
  LayerBuilder layers(Activation::relu6);
  const Node last = add_mobilenet_v2(layers, layers.input({3, input, input}), width).last;
  (void)layers.linear("classifier", layers.average_pool(last), 1000);
  return layers.take();
}

}  // namespace

MobileNetFeatures add_mobilenet_v1(LayerBuilder& layers, Node image) {
  Node node = layers.conv_norm_activation("stem", image, 32, {.window = 3, .stride = 2});
  MobileNetFeatures features{};
  int block = 0;
  for (const auto& [channels, stride] : separables) {
    const std::string name = "block" + std::to_string(block++);
    const int before = layers.shape(node).channels;
    node = layers.conv_norm_activation(name + ".depthwise", node, before, {.window = 3, .stride = stride},
                                       before);
    node = layers.conv_norm_activation(name + ".pointwise", node, channels, {.window = 1});
    if (block == separables_to_the_middle) features.middle = node;
  }
  features.last = node;
  return features;
}

MobileNetFeatures add_mobilenet_v2(LayerBuilder& layers, Node image, double width) {
  Node node =
      layers.conv_norm_activation("stem", image, divisible_channels(32 * width), {.window = 3, .stride = 2});
  MobileNetFeatures features{};
  int block = 0;
  for (const InvertedGroup& group : inverted_groups) {
    for (int i = 0; i < group.blocks; ++i) {
      const auto [widened, out] =
          add_inverted_residual(layers, "block" + std::to_string(block), node,
                                {.inside = layers.shape(node).channels * group.expansion,
                                 .channels = divisible_channels(group.channels * width),
                                 .stride = i == 0 ? group.stride : 1,
                                 .activation = Activation::relu6});
      if (block++ == inverted_blocks_to_the_middle) features.middle = widened;
      node = out;
    }
  }
  features.last = layers.conv_norm_activation("last", node, 1280, {.window = 1});
  return features;
}

Network build_mobilenet_v1(int input) {
  LayerBuilder layers(Activation::relu6);
  const Node last = add_mobilenet_v1(layers, layers.input({3, input, input})).last;
  (void)layers.linear("classifier", layers.average_pool(last), 1000);
  return layers.take();
}
Network build_mobilenet_v2(int input) {
  return mobilenet_v2(input, 1);
}
Network build_mobilenet_v2_050(int input) {
  return mobilenet_v2(input, 0.5);
}

}  // namespace jostle::dnn
