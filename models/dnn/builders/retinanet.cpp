// RetinaNet (Lin et al., 2017) on ResNeXt-50 as MLPerf runs it, with torchvision's parts: a feature pyramid
// of five levels, nine boxes at each position, 264 classes of Open Images.
#include <array>
#include <vector>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/detection.hpp"
#include "models/dnn/builders/resnet.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr int pyramid_width = 256, pyramid_boxes = 9, open_images_classes = 264;
constexpr std::size_t pyramid_levels = 5;

Node pyramid_conv(LayerBuilder& layers, const std::string& name, Node from, Sliding slide) {
  return layers.conv(name, from, pyramid_width, slide, {.bias = true});
}

// The levels are ordered from fine to coarse. Coarser maps are added to finer ones; two levels more come from
// the coarsest.
std::array<Node, pyramid_levels> add_pyramid(LayerBuilder& layers, const std::array<Node, 4>& stages) {
  constexpr Sliding one{.window = 1}, three{.window = 3}, halve{.window = 3, .stride = 2};
  std::array<Node, pyramid_levels> levels{};
  Node above = pyramid_conv(layers, "fpn.inner2", stages[3], one);
  levels[2] = pyramid_conv(layers, "fpn.layer2", above, three);
  for (const std::size_t level : {std::size_t{1}, std::size_t{0}}) {
    const std::string digit = std::to_string(level);
    const Node lateral = pyramid_conv(layers, "fpn.inner" + digit, stages.at(level + 1), one);
    const Shape shape = layers.shape(lateral);
    above = layers.add(lateral, layers.resize("fpn.up" + digit, above, shape.height, shape.width));
    levels.at(level) = pyramid_conv(layers, "fpn.layer" + digit, above, three);
  }
  levels[3] = pyramid_conv(layers, "fpn.p6", levels[2], halve);
  // P7 reads the rectified P6.
  levels[4] = pyramid_conv(layers, "fpn.p7", layers.activation(levels[3]), halve);
  return levels;
}

// Adds four convolutions and one that predicts; all levels have the same weights.
Node add_tower(LayerBuilder& layers, const std::string& name, Node node, int outputs, bool shared) {
  const Filter filter{.bias = true, .shared = shared};
  for (int i = 0; i < 4; ++i)
    node = layers.activation(
        layers.conv(name + ".conv" + std::to_string(i), node, pyramid_width, {.window = 3}, filter));
  const Node raw = layers.conv(name, node, pyramid_boxes * outputs, {.window = 3}, filter);
  return by_box(layers, name, raw, outputs);
}

}  // namespace

Network build_retinanet_resnext50(int input) {
  LayerBuilder layers;
  const auto stages = add_resnet(layers, layers.input({3, input, input}), resnext50);
  std::vector<Node> scores, places;
  std::size_t level = 0;
  for (const Node node : add_pyramid(layers, stages)) {
    const bool shared = level > 0;
    const std::string digit = std::to_string(level++);
    scores.push_back(add_tower(layers, "cls" + digit, node, open_images_classes, shared));
    places.push_back(add_tower(layers, "bbox" + digit, node, 4, shared));
  }
  const Node boxes = decode_boxes(layers, places);
  const Node likelihoods = layers.activation(layers.concat_positions("cls", scores), Activation::sigmoid);
  suppress_boxes(layers, likelihoods, boxes);
  return layers.take();
}

}  // namespace jostle::dnn
