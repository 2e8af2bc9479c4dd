// SSD300 (Liu et al., 2016) on VGG-16 as torchvision defines it, 91 classes of COCO.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int coco_labels = 91, coordinates = 4, detections = 200;

// A feature map that boxes are predicted from, and the number of boxes at each of its positions.
struct Source {
  Node node;
  int boxes;
};

// VGG-16 without its classifier; fc6 and fc7 are convolutions. Returns the first two sources.
std::array<Source, 2> add_backbone(LayerBuilder& layers, Node node) {
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

// One number for each box and output, box by box, as the loss and the decoder need it.
Node add_predictor(LayerBuilder& layers, const std::string& name, const Source& source, int outputs) {
  const Node raw = layers.conv(name, source.node, source.boxes * outputs, {.window = 3}, {.bias = true});
  const Shape shape = layers.shape(raw);
  return layers.transpose(name + ".by_box", raw, {outputs, shape.height * shape.width * source.boxes});
}

}  // namespace

Network build_ssd300(int input) {
  struct Extra {
    int narrow, channels;
    Sliding slide;
    int boxes;
  };
  constexpr Sliding halve{.window = 3, .stride = 2}, shrink{.window = 3, .padding = 0};
  constexpr std::array<Extra, 4> extras{
      {{256, 512, halve, 6}, {128, 256, halve, 6}, {128, 256, shrink, 4}, {128, 256, shrink, 4}}};

  LayerBuilder layers;
  const auto backbone = add_backbone(layers, layers.input({3, input, input}));
  std::vector<Source> sources(backbone.begin(), backbone.end());
  int number = 8;
  for (const Extra& extra : extras) {
    const std::string name = "conv" + std::to_string(number++);
    Node node = layers.conv_bias_activation(name + "_1", sources.back().node, extra.narrow, {.window = 1});
    node = layers.conv_bias_activation(name + "_2", node, extra.channels, extra.slide);
    sources.push_back({node, extra.boxes});
  }

  std::vector<Node> places, scores;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string digit = std::to_string(i);
    places.push_back(add_predictor(layers, "loc" + digit, sources[i], coordinates));
    scores.push_back(add_predictor(layers, "conf" + digit, sources[i], coco_labels));
  }
  const Node place = layers.concat_positions("loc", places);
  const Node boxes = layers.other("decode", {place}, layers.shape(place));
  const Node likelihoods = layers.softmax(layers.concat_positions("conf", scores));
  (void)layers.other("nms", {likelihoods, boxes}, {coordinates + 2, detections});
  return layers.take();
}

}  // namespace jostle::dnn
