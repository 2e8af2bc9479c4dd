#include "models/dnn/builders/yolo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace jostle::dnn {
namespace {

constexpr int box_bins = 16;  // reg_max: a side of a box is a distribution over this number of distances
constexpr int box_sides = 4;  // number of sides of a box

int checked(const YoloScale& scale, int input) {
  require_multiple(scale.name, input, yolo_stride);
  return input;
}

}  // namespace

using Node = YoloBuilder::Node;

YoloBuilder::YoloBuilder(const YoloScale& scale, int input)
    : image_(layers_.input({3, checked(scale, input), input})), scale_(scale) {}

int YoloBuilder::channels(int full) const {
  return static_cast<int>(std::ceil(std::min(full, scale_.max_channels) * scale_.width / 8)) * 8;
}
int YoloBuilder::repeats(int full) const {
  return std::max(1, static_cast<int>(std::nearbyint(full * scale_.depth)));  // ties to even, as in Python
}

Node YoloBuilder::conv(const std::string& name, Node from, int to, Sliding slide) {
  return layers_.conv_norm_activation(name, from, to, slide);
}
Node YoloBuilder::down(const std::string& name, Node from, int full) {
  return conv(name, from, channels(full), {.window = 3, .stride = 2});
}
Node YoloBuilder::up(const std::string& name, Node from) {
  const Shape shape = layers_.shape(from);
  return layers_.resize(name, from, 2 * shape.height, 2 * shape.width);
}

Node YoloBuilder::bottleneck(const std::string& name, Node from, const Bottleneck& of) {
  const Node first = conv(name + ".cv1", from, of.inside, {.window = of.first_window});
  const Node second = conv(name + ".cv2", first, layers_.shape(from).channels, {.window = 3});
  return of.shortcut ? layers_.add(second, from) : second;
}

Node YoloBuilder::c2f(const std::string& name, Node from, const Csp& of) {
  const int half = of.out / 2;
  const Node both = conv(name + ".cv1", from, 2 * half, {.window = 1});
  std::vector<Node> kept{layers_.channels(name + ".split0", both, half),
                         layers_.channels(name + ".split1", both, half)};
  for (int i = 0; i < of.count; ++i) {
    const std::string part = name + ".m" + std::to_string(i);
    kept.push_back(bottleneck(part, kept.back(), {half, 3, of.shortcut}));
  }
  return conv(name + ".cv2", layers_.concat(name + ".concat", kept), of.out, {.window = 1});
}

Node YoloBuilder::c3(const std::string& name, Node from, const Csp& of) {
  const int half = of.out / 2;
  Node node = conv(name + ".cv1", from, half, {.window = 1});
  const Node other = conv(name + ".cv2", from, half, {.window = 1});
  for (int i = 0; i < of.count; ++i)
    node = bottleneck(name + ".m" + std::to_string(i), node, {half, 1, of.shortcut});
  return conv(name + ".cv3", layers_.concat(name + ".concat", {node, other}), of.out, {.window = 1});
}

Node YoloBuilder::sppf(const std::string& name, Node from, int out) {
  std::vector<Node> kept{conv(name + ".cv1", from, layers_.shape(from).channels / 2, {.window = 1})};
  for (int i = 0; i < 3; ++i)
    kept.push_back(layers_.max_pool(name + ".m" + std::to_string(i), kept.back(), {.window = 5}));
  return conv(name + ".cv2", layers_.concat(name + ".concat", kept), out, {.window = 1});
}

Node YoloBuilder::branch(const std::string& name, Node from, int inside, int outputs) {
  const Node first = conv(name + ".0", from, inside, {.window = 3});
  const Node second = conv(name + ".1", first, inside, {.window = 3});
  return layers_.conv(name + ".2", second, outputs, {.window = 1}, {.bias = true});
}

Node YoloBuilder::flat(const std::string& name, Node from) {
  const Shape shape = layers_.shape(from);
  return layers_.reshape(name, from, {shape.channels, shape.height * shape.width});
}

Node YoloBuilder::branches(const std::string& name, const Levels& levels, int inside, int outputs) {
  std::vector<Node> all;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string level = fmt::format(".{}", i);
    all.push_back(flat(name + ".flatten" + level, branch(name + level, levels.at(i), inside, outputs)));
  }
  return layers_.concat_positions(name + ".levels", all);
}

Node YoloBuilder::detect(const std::string& name, const Levels& levels, int classes) {
  const int finest = layers_.shape(levels.front()).channels;
  const int where = std::max({16, finest / 4, box_bins * box_sides}),
            what = std::max(finest, std::min(classes, 100));
  std::vector<Node> all;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string level = fmt::format(".{}", i);
    const Node box = branch(name + ".cv2" + level, levels.at(i), where, box_bins * box_sides);
    const std::string score_name = name + ".cv3" + level;
    const Node score = branch(score_name, levels.at(i), what, classes);
    all.push_back(flat(name + ".flatten" + level, layers_.concat(name + ".concat" + level, {box, score})));
  }
  const Node together = layers_.concat_positions(name + ".levels", all);
  const Node boxes = decode(name, layers_.channels(name + ".box", together, box_bins * box_sides));
  const Node scores =
      layers_.activation(layers_.channels(name + ".cls", together, classes), Activation::sigmoid);
  return layers_.concat(name + ".out", {boxes, scores});
}

// Takes the mean of each distribution (DFL, a convolution with fixed weights), then converts distances to the
// anchors to centre, width and height.
Node YoloBuilder::decode(const std::string& name, Node from) {
  const int anchors = layers_.shape(from).height;
  const Node bins_first = layers_.transpose(name + ".dfl", from, {box_bins, box_sides, anchors});
  const Node mean = layers_.conv(name + ".dfl.conv", layers_.softmax(bins_first), 1, {.window = 1});
  const Node distances = layers_.reshape(name + ".dfl.view", mean, {box_sides, anchors});
  const Node low =
      layers_.add_constant(name + ".low", layers_.channels(name + ".left_top", distances, box_sides / 2));
  const Node high = layers_.add_constant(name + ".high",
                                         layers_.channels(name + ".right_bottom", distances, box_sides / 2));
  const Node centre = layers_.multiply_by_constant(name + ".centre", layers_.add(low, high));
  const Node size = layers_.add(high, low);
  return layers_.multiply_by_constant(name + ".strides", layers_.concat(name + ".dbox", {centre, size}));
}

}  // namespace jostle::dnn
