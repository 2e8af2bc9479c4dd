// ResNet (He et al., 2015) as torchvision defines it: the stride of a bottleneck is in its 3 x 3 convolution.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

enum class Block { basic, bottleneck };
constexpr int expansion(Block block) {
  return block == Block::bottleneck ? 4 : 1;
}

// One stage: `width` is the channels inside a block; `stride` and, from the second block on, `dilation`
// apply.
struct Stage {
  int blocks;
  int width;
  int stride;
  int first_dilation = 1;
  int dilation = 1;
};

Node shortcut(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  if (layers.shape(from).channels == channels && stride == 1) return from;
  return layers.conv_norm(name + ".downsample", from, channels, {.window = 1, .stride = stride});
}

struct Widths {
  int width, stride, dilation;
};

Node residual(LayerBuilder& layers, const std::string& name, Node from, Block block, const Widths& of) {
  const auto [width, stride, dilation] = of;
  const int channels = width * expansion(block);
  const Sliding slide{.window = 3, .stride = stride, .dilation = dilation};
  Node branch = from;
  if (block == Block::bottleneck) {
    branch = layers.conv_norm_activation(name + ".conv1", branch, width, {.window = 1});
    branch = layers.conv_norm_activation(name + ".conv2", branch, width, slide);
    branch = layers.conv_norm(name + ".conv3", branch, channels, {.window = 1});
  } else {
    branch = layers.conv_norm_activation(name + ".conv1", branch, width, slide);
    branch = layers.conv_norm(name + ".conv2", branch, channels, {.window = 3});
  }
  return layers.activation(layers.add(branch, shortcut(layers, name, from, channels, stride)));
}

Node add_stage(LayerBuilder& layers, int number, Node from, Block block, const Stage& stage) {
  Node node = from;
  for (int i = 0; i < stage.blocks; ++i) {
    const std::string name = "layer" + std::to_string(number) + "." + std::to_string(i);
    node = residual(layers, name, node, block,
                    {stage.width, i == 0 ? stage.stride : 1, i == 0 ? stage.first_dilation : stage.dilation});
  }
  return node;
}

Node add_stem(LayerBuilder& layers, Node image) {
  const Node stem = layers.conv_norm_activation("conv1", image, 64, {.window = 7, .stride = 2});
  return layers.max_pool("maxpool", stem, {.window = 3, .stride = 2});
}

Network resnet(int input, Block block, const std::array<int, 4>& blocks) {
  LayerBuilder layers;
  Node node = add_stem(layers, layers.input({3, input, input}));
  for (int i = 0; i < 4; ++i) {
    node = add_stage(
        layers, i + 1, node, block,
        {.blocks = blocks.at(static_cast<std::size_t>(i)), .width = 64 << i, .stride = i == 0 ? 1 : 2});
  }
  (void)layers.linear("fc", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace

Network build_resnet18(int input) {
  return resnet(input, Block::basic, {2, 2, 2, 2});
}
Network build_resnet34(int input) {
  return resnet(input, Block::basic, {3, 4, 6, 3});
}
Network build_resnet50(int input) {
  return resnet(input, Block::bottleneck, {3, 4, 6, 3});
}
Network build_resnet101(int input) {
  return resnet(input, Block::bottleneck, {3, 4, 23, 3});
}
Network build_resnet152(int input) {
  return resnet(input, Block::bottleneck, {3, 8, 36, 3});
}

DilatedFeatures add_dilated_resnet50(LayerBuilder& layers, Node image) {
  Node node = add_stem(layers, image);
  node = add_stage(layers, 1, node, Block::bottleneck, {.blocks = 3, .width = 64, .stride = 1});
  node = add_stage(layers, 2, node, Block::bottleneck, {.blocks = 4, .width = 128, .stride = 2});
  const Node third = add_stage(layers, 3, node, Block::bottleneck,
                               {.blocks = 6, .width = 256, .stride = 1, .first_dilation = 1, .dilation = 2});
  const Node fourth = add_stage(layers, 4, third, Block::bottleneck,
                                {.blocks = 3, .width = 512, .stride = 1, .first_dilation = 2, .dilation = 4});
  return {third, fourth};
}

}  // namespace jostle::dnn
