// YOLOv8 detectors as Ultralytics defines them, 80 classes of COCO. Layers are named as in Ultralytics: the
// index of a module, then its parts.
#include <algorithm>
#include <array>
#include <cmath>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int coco_classes = 80;
constexpr int bins = 16;    // reg_max: a side of a box is a distribution over this number of distances
constexpr int sides = 4;    // of a box
constexpr int stride = 32;  // of the coarsest level

struct Scale {
  const char* name;
  double depth, width;
  int max_channels;
};

std::string module(int index) {
  return std::to_string(index);
}

// Adds the modules of one scale.
class Yolov8 {
 public:
  explicit Yolov8(const Scale& scale) : scale_(scale) {}

  Network build(int input) {
    require_multiple(scale_.name, input, stride);
    Node node = conv(module(0), layers_.input({3, input, input}), channels(64), {.window = 3, .stride = 2});
    node = down(module(1), node, 128);
    node = c2f(module(2), node, 128, 3, true);
    const Node p3 = node = c2f(module(4), down(module(3), node, 256), 256, 6, true);
    const Node p4 = node = c2f(module(6), down(module(5), node, 512), 512, 6, true);
    node = c2f(module(8), down(module(7), node, 1024), 1024, 3, true);
    const Node p5 = sppf(module(9), node);

    const Node n4 = c2f(module(12), layers_.concat(module(11), {up(module(10), p5), p4}), 512, 3, false);
    const Node d3 = c2f(module(15), layers_.concat(module(14), {up(module(13), n4), p3}), 256, 3, false);
    const Node back4 = layers_.concat(module(17), {down(module(16), d3, 256), n4});
    const Node d4 = c2f(module(18), back4, 512, 3, false);
    const Node back5 = layers_.concat(module(20), {down(module(19), d4, 512), p5});
    detect(module(22), {d3, d4, c2f(module(21), back5, 1024, 3, false)});
    return layers_.take();
  }

 private:
  // Channels of this scale, a multiple of eight.
  [[nodiscard]] int channels(int full) const {
    return static_cast<int>(std::ceil(std::min(full, scale_.max_channels) * scale_.width / 8)) * 8;
  }
  [[nodiscard]] int repeats(int full) const {
    return std::max(1, static_cast<int>(std::nearbyint(full * scale_.depth)));  // ties to even, as in Python
  }

  Node conv(const std::string& name, Node from, int to, Sliding slide) {
    return layers_.conv_norm_activation(name, from, to, slide);
  }
  Node down(const std::string& name, Node from, int full) {
    return conv(name, from, channels(full), {.window = 3, .stride = 2});
  }
  Node up(const std::string& name, Node from) {
    const Shape shape = layers_.shape(from);
    return layers_.resize(name, from, 2 * shape.height, 2 * shape.width);
  }
  Node channels_of(const std::string& name, Node from, int count) {
    const Shape shape = layers_.shape(from);
    return layers_.slice(name, from, {count, shape.height, shape.width});
  }

  // Splits in two; one half passes through bottlenecks; all intermediate results are kept and concatenated at
  // the end.
  Node c2f(const std::string& name, Node from, int full, int full_repeats, bool shortcut) {
    const int out = channels(full), inner = out / 2;
    const Node both = conv(name + ".cv1", from, 2 * inner, {.window = 1});
    std::vector<Node> kept{channels_of(name + ".split0", both, inner),
                           channels_of(name + ".split1", both, inner)};
    for (int i = 0; i < repeats(full_repeats); ++i) {
      const std::string part = name + ".m" + std::to_string(i);
      const Node first = conv(part + ".cv1", kept.back(), inner, {.window = 3});
      const Node second = conv(part + ".cv2", first, inner, {.window = 3});
      kept.push_back(shortcut ? layers_.add(second, kept.back()) : second);
    }
    return conv(name + ".cv2", layers_.concat(name + ".concat", kept), out, {.window = 1});
  }

  // Spatial pyramid pooling by three successive pools.
  Node sppf(const std::string& name, Node from) {
    const int out = layers_.shape(from).channels;
    std::vector<Node> kept{conv(name + ".cv1", from, out / 2, {.window = 1})};
    for (int i = 0; i < 3; ++i)
      kept.push_back(layers_.max_pool(name + ".m" + std::to_string(i), kept.back(), {.window = 5}));
    return conv(name + ".cv2", layers_.concat(name + ".concat", kept), out, {.window = 1});
  }

  // Two branches per level: boxes (bins of four distances) and classes; then all levels are concatenated.
  void detect(const std::string& name, const std::array<Node, 3>& levels) {
    const int finest = layers_.shape(levels.front()).channels;
    const int where = std::max({16, finest / 4, bins * sides}), what = std::max(finest, coco_classes);
    std::vector<Node> flat;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string level = "." + std::to_string(i);
      const Node box = branch(name + ".cv2" + level, levels.at(i), where, bins * sides);
      const Node score = branch(name + ".cv3" + level, levels.at(i), what, coco_classes);
      const Node both = layers_.concat(name + ".concat" + level, {box, score});
      const Shape shape = layers_.shape(both);
      flat.push_back(
          layers_.reshape(name + ".flatten" + level, both, {shape.channels, shape.height * shape.width}));
    }
    const Node all = layers_.concat_positions(name + ".levels", flat);
    const Node boxes = decode(name, channels_of(name + ".box", all, bins * sides));
    const Node scores =
        layers_.activation(channels_of(name + ".cls", all, coco_classes), Activation::sigmoid);
    (void)layers_.concat(name + ".out", {boxes, scores});
  }

  Node branch(const std::string& name, Node from, int inner, int outputs) {
    const Node first = conv(name + ".0", from, inner, {.window = 3});
    const Node second = conv(name + ".1", first, inner, {.window = 3});
    return layers_.conv(name + ".2", second, outputs, {.window = 1}, {.bias = true});
  }

  // The mean of each distribution (DFL, a convolution with fixed weights), then from distances to the anchors
  // to centre, width and height.
  Node decode(const std::string& name, Node from) {
    const int anchors = layers_.shape(from).height;
    const Node bins_first = layers_.transpose(name + ".dfl", from, {bins, sides, anchors});
    const Node mean = layers_.conv(name + ".dfl.conv", layers_.softmax(bins_first), 1, {.window = 1});
    const Node distances = layers_.reshape(name + ".dfl.view", mean, {sides, anchors});
    const Node low =
        layers_.add_constant(name + ".low", channels_of(name + ".left_top", distances, sides / 2));
    const Node high =
        layers_.add_constant(name + ".high", channels_of(name + ".right_bottom", distances, sides / 2));
    const Node centre = layers_.multiply_by_constant(name + ".centre", layers_.add(low, high));
    const Node size = layers_.add(high, low);
    return layers_.multiply_by_constant(name + ".strides", layers_.concat(name + ".dbox", {centre, size}));
  }

  Scale scale_;
  LayerBuilder layers_{Activation::silu};
};

}  // namespace

Network build_yolov8n(int input) {
  return Yolov8({"yolov8n", 0.33, 0.25, 1024}).build(input);
}
Network build_yolov8s(int input) {
  return Yolov8({"yolov8s", 0.33, 0.50, 1024}).build(input);
}
Network build_yolov8m(int input) {
  return Yolov8({"yolov8m", 0.67, 0.75, 768}).build(input);
}
Network build_yolov8l(int input) {
  return Yolov8({"yolov8l", 1.00, 1.00, 512}).build(input);
}
Network build_yolov8x(int input) {
  return Yolov8({"yolov8x", 1.00, 1.25, 512}).build(input);
}

}  // namespace jostle::dnn
