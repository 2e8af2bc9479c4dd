// FCN (Long et al., 2015) on a dilated ResNet-50 as torchvision defines it, 21 classes.
#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int voc_classes = 21;  // COCO with the labels of Pascal VOC

void add_head(LayerBuilder& layers, const std::string& name, Node from, int input) {
  const int inner = layers.shape(from).channels / 4;
  const Node features = layers.conv_norm_activation(name + ".0", from, inner, {.window = 3});
  const Node scores = layers.conv(name + ".4", features, voc_classes, {.window = 1}, {.bias = true});
  (void)layers.resize(name + ".resize", scores, input, input);
}

Network fcn(int input, bool auxiliary) {
  LayerBuilder layers;
  const DilatedFeatures features = add_dilated_resnet50(layers, layers.input({3, input, input}));
  add_head(layers, "head", features.fourth, input);
  if (auxiliary) add_head(layers, "auxiliary", features.third, input);
  return layers.take();
}

}  // namespace

Network build_fcn_resnet50(int input) {
  return fcn(input, false);
}
Network build_fcn_resnet50_with_auxiliary(int input) {
  return fcn(input, true);
}

}  // namespace jostle::dnn
