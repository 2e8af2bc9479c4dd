// FCN (Long et al., 2015) and DeepLabv3 (Chen et al., 2017) on a dilated ResNet-50 as torchvision defines
// them, 21 classes.
#include <vector>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/resnet.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int voc_classes = 21;  // COCO with the labels of Pascal VOC

void add_class_maps(LayerBuilder& layers, const std::string& name, Node features, int input) {
  const Node scores = layers.conv(name + ".4", features, voc_classes, {.window = 1}, {.bias = true});
  (void)layers.resize(name + ".resize", scores, input, input);
}

void add_fcn_head(LayerBuilder& layers, const std::string& name, Node from, int input) {
  const int inner = layers.shape(from).channels / 4;
  add_class_maps(layers, name, layers.conv_norm_activation(name + ".0", from, inner, {.window = 3}), input);
}

// Atrous spatial pyramid pooling: the same features through windows of several widths, and their mean.
Node add_pyramid(LayerBuilder& layers, const std::string& name, Node from) {
  constexpr int inner = 256;
  const Shape shape = layers.shape(from);
  std::vector<Node> parts{layers.conv_norm_activation(name + ".convs.0", from, inner, {.window = 1})};
  int branch = 0;
  for (const int dilation : {12, 24, 36})
    parts.push_back(layers.conv_norm_activation(name + ".convs." + std::to_string(++branch), from, inner,
                                                {.window = 3, .dilation = dilation}));
  const Node mean = layers.average_pool(name + ".convs.4.pool", from);
  const Node reduced = layers.conv_norm_activation(name + ".convs.4", mean, inner, {.window = 1});
  parts.push_back(layers.resize(name + ".convs.4.resize", reduced, shape.height, shape.width));
  return layers.conv_norm_activation(name + ".project", layers.concat(name + ".concat", parts), inner,
                                     {.window = 1});
}

void add_deeplab_head(LayerBuilder& layers, const std::string& name, Node from, int input) {
  const Node pyramid = add_pyramid(layers, name + ".0", from);
  add_class_maps(layers, name, layers.conv_norm_activation(name + ".1", pyramid, 256, {.window = 3}), input);
}

using SegmentationHead = void (*)(LayerBuilder& layers, const std::string& name, Node from, int input);

Network segmentation(int input, SegmentationHead head, bool auxiliary) {
  LayerBuilder layers;
  const auto stages = add_resnet(layers, layers.input({3, input, input}), dilated_resnet50);
  head(layers, "head", stages[3], input);
  if (auxiliary) add_fcn_head(layers, "auxiliary", stages[2], input);
  return layers.take();
}

}  // namespace

Network build_fcn_resnet50(int input) {
  return segmentation(input, add_fcn_head, false);
}
Network build_fcn_resnet50_with_auxiliary(int input) {
  return segmentation(input, add_fcn_head, true);
}
Network build_deeplabv3_resnet50(int input) {
  return segmentation(input, add_deeplab_head, false);
}
Network build_deeplabv3_resnet50_with_auxiliary(int input) {
  return segmentation(input, add_deeplab_head, true);
}

}  // namespace jostle::dnn
