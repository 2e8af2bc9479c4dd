// SSD (Liu et al., 2016), classes of COCO: on VGG-16 as torchvision defines it; on MobileNets as TensorFlow's
// object detection models do (ssd_mobilenet_v1_coco, ssd_mobilenet_v2_coco); on ResNet-34 as MLPerf does.
#include <array>
#include <span>
#include <vector>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/detection.hpp"
#include "models/dnn/builders/mobilenet.hpp"
#include "models/dnn/builders/resnet.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int coco_labels = 91;  // includes the background

// VGG-16 without its classifier; fc6 and fc7 are convolutions. Returns the first two sources.
std::array<BoxSource, 2> add_ssd_vgg16(LayerBuilder& layers, Node node) {
  constexpr Sliding half{.window = 2, .stride = 2}, half_rounded_up{.window = 2, .stride = 2, .ceil = true};
  for (int number = 1; number <= 3; ++number) {
    node = add_vgg16_stage(layers, number, node);
    node = layers.max_pool("pool" + std::to_string(number), node, number == 3 ? half_rounded_up : half);
  }
  node = add_vgg16_stage(layers, 4, node);
  const Node normalised =
      layers.scale_channels("l2_norm.scale", layers.other("l2_norm", {node}, layers.shape(node)));
  node = add_vgg16_stage(layers, 5, layers.max_pool("pool4", node, half));
  node = layers.max_pool("pool5", node, {.window = 3});
  node = layers.conv_bias_activation("fc6", node, 1024, {.window = 3, .dilation = 6});
  node = layers.conv_bias_activation("fc7", node, 1024, {.window = 1});
  return {{{normalised, 4}, {node, 6}}};
}

// Further sources, each from the last: a 1 x 1 convolution, then the convolution that makes the plane
// smaller.
struct SsdExtra {
  int narrow, channels;
  Sliding slide;
  int boxes;
  bool separable = false;  // the second is a depthwise convolution and one of 1 x 1
};
constexpr Sliding ssd_halve{.window = 3, .stride = 2}, ssd_shrink{.window = 3, .padding = 0};
constexpr std::array<SsdExtra, 4> ssd300_extras{{{256, 512, ssd_halve, 6},
                                                 {128, 256, ssd_halve, 6},
                                                 {128, 256, ssd_shrink, 4},
                                                 {128, 256, ssd_shrink, 4}}};

// Adds a further source with batch norm instead of biases, as on MobileNets.
Node add_ssd_extra(LayerBuilder& layers, const std::string& name, Node from, const SsdExtra& extra) {
  Node node = layers.conv_norm_activation(name + "_1", from, extra.narrow, {.window = 1});
  if (!extra.separable) return layers.conv_norm_activation(name + "_2", node, extra.channels, extra.slide);
  node = layers.conv_norm_activation(name + "_2.depthwise", node, extra.narrow, extra.slide, extra.narrow);
  return layers.conv_norm_activation(name + "_2", node, extra.channels, {.window = 1});
}

Network ssd_on_mobilenet(LayerBuilder& layers, const MobileNetFeatures& features, bool separable,
                         int window) {
  const std::array<SsdExtra, 4> extras{{{256, 512, ssd_halve, 6, separable},
                                        {128, 256, ssd_halve, 6, separable},
                                        {128, 256, ssd_halve, 6, separable},
                                        {64, 128, ssd_halve, 6, separable}}};
  std::vector<BoxSource> sources{{features.middle, 3}, {features.last, 6}};
  int number = 0;
  for (const SsdExtra& extra : extras)
    sources.push_back(
        {add_ssd_extra(layers, "extra" + std::to_string(number++), sources.back().node, extra), extra.boxes});
  add_boxes(layers, sources, {.classes = coco_labels, .slide = {.window = window}, .sigmoid = true});
  return layers.take();
}

void add_ssd_extras(LayerBuilder& layers, std::vector<BoxSource>& sources, int number,
                    std::span<const SsdExtra> extras) {
  for (const SsdExtra& extra : extras) {
    const std::string name = "conv" + std::to_string(number++);
    Node node = layers.conv_bias_activation(name + "_1", sources.back().node, extra.narrow, {.window = 1});
    node = layers.conv_bias_activation(name + "_2", node, extra.channels, extra.slide);
    sources.push_back({node, extra.boxes});
  }
}

}  // namespace

Network build_ssd300(int input) {
  LayerBuilder layers;
  const auto backbone = add_ssd_vgg16(layers, layers.input({3, input, input}));
  std::vector<BoxSource> sources(backbone.begin(), backbone.end());
  add_ssd_extras(layers, sources, 8, ssd300_extras);
  add_boxes(layers, sources, {.classes = coco_labels, .slide = {.window = 3}});
  return layers.take();
}
Network build_ssd_mobilenet_v1(int input) {
  LayerBuilder layers(Activation::relu6);
  const MobileNetFeatures features = add_mobilenet_v1(layers, layers.input({3, input, input}));
  return ssd_on_mobilenet(layers, features, false, 1);
}
Network build_ssd_mobilenet_v2(int input) {
  LayerBuilder layers(Activation::relu6);
  const MobileNetFeatures features = add_mobilenet_v2(layers, layers.input({3, input, input}), 1);
  return ssd_on_mobilenet(layers, features, true, 3);
}

// Three stages of ResNet-34, the third with stride 1; boxes are predicted with stride 3.
Network build_ssd_resnet34(int input) {
  constexpr Sliding smaller{.window = 3, .stride = 2, .padding = 0};
  constexpr std::array<SsdExtra, 5> extras{{{256, 512, ssd_halve, 6},
                                            {256, 512, ssd_halve, 6},
                                            {128, 256, ssd_halve, 6},
                                            {128, 256, smaller, 4},
                                            {128, 256, ssd_shrink, 4}}};
  ResNet backbone = resnet34;
  backbone.strides = {1, 2, 1, 1};
  LayerBuilder layers;
  const Node features = add_resnet(layers, layers.input({3, input, input}), backbone, 3)[2];
  std::vector<BoxSource> sources{{features, 4}};
  add_ssd_extras(layers, sources, 7, extras);
  add_boxes(layers, sources, {.classes = 81, .slide = {.window = 3, .stride = 3}});
  return layers.take();
}

}  // namespace jostle::dnn
