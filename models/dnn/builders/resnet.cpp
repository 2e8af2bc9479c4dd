// ResNet (He et al., 2015), ResNeXt (Xie et al., 2017) and Wide ResNet (Zagoruyko and Komodakis, 2016) as
// torchvision defines them: the stride of a bottleneck is in its 3 x 3 convolution.
#include "models/dnn/builders/resnet.hpp"

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

Node shortcut(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  if (layers.shape(from).channels == channels && stride == 1) return from;
  return layers.conv_norm(name + ".downsample", from, channels, {.window = 1, .stride = stride});
}

struct ResidualWidths {
  int width, stride, dilation;
};

Node residual(LayerBuilder& layers, const std::string& name, Node from, const ResNet& of,
              const ResidualWidths& block) {
  const auto [width, stride, dilation] = block;
  const int channels = of.bottleneck ? 4 * width : width, inside = of.factor * width;
  const Sliding slide{.window = 3, .stride = stride, .dilation = dilation};
  Node branch = from;
  if (of.bottleneck) {
    branch = layers.conv_norm_activation(name + ".conv1", branch, inside, {.window = 1});
    branch = layers.conv_norm_activation(name + ".conv2", branch, inside, slide, of.groups);
    branch = layers.conv_norm(name + ".conv3", branch, channels, {.window = 1});
  } else {
    branch = layers.conv_norm_activation(name + ".conv1", branch, width, slide);
    branch = layers.conv_norm(name + ".conv2", branch, channels, {.window = 3});
  }
  return layers.activation(layers.add(branch, shortcut(layers, name, from, channels, stride)));
}

Network resnet_classifier(int input, const ResNet& of) {
  LayerBuilder layers;
  const Node features = add_resnet(layers, layers.input({3, input, input}), of).back();
  (void)layers.linear("fc", layers.average_pool(features), 1000);
  return layers.take();
}

}  // namespace

std::array<Node, 4> add_resnet(LayerBuilder& layers, Node image, const ResNet& of, int count) {
  const Node stem = layers.conv_norm_activation("conv1", image, 64, {.window = 7, .stride = 2});
  Node node = layers.max_pool("maxpool", stem, {.window = 3, .stride = 2});
  std::array<Node, 4> stages{};
  int dilation = 1;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(count); ++stage) {
    for (int block = 0; block < of.blocks.at(stage); ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      node = residual(layers, name, node, of, {64 << stage, block == 0 ? of.strides.at(stage) : 1, dilation});
      dilation = of.dilations.at(stage);
    }
    stages.at(stage) = node;
  }
  return stages;
}

Network build_resnet18(int input) {
  return resnet_classifier(input, {.bottleneck = false, .blocks = {2, 2, 2, 2}});
}
Network build_resnet34(int input) {
  return resnet_classifier(input, resnet34);
}
Network build_resnet50(int input) {
  return resnet_classifier(input, resnet50);
}
Network build_resnet101(int input) {
  return resnet_classifier(input, {.blocks = {3, 4, 23, 3}});
}
Network build_resnet152(int input) {
  return resnet_classifier(input, {.blocks = {3, 8, 36, 3}});
}
Network build_resnext50_32x4d(int input) {
  return resnet_classifier(input, resnext50);
}
Network build_wide_resnet50_2(int input) {
  return resnet_classifier(input, {.blocks = {3, 4, 6, 3}, .factor = 2});
}

}  // namespace jostle::dnn
