// YOLOv5, version 6, as Ultralytics defines it in the repository of that name: 80 classes, three anchors at
// each position.
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/yolo.hpp"

namespace jostle::dnn {
namespace {

class Yolov5 : YoloBuilder {
 public:
  using YoloBuilder::YoloBuilder;

  Network build() {
    const Levels levels = features();
    std::vector<Node> all;
    for (std::size_t i = 0; i < levels.size(); ++i)
      all.push_back(boxes("24." + std::to_string(i), levels.at(i)));
    (void)layers_.concat_positions("24.levels", all);
    return layers_.take();
  }

 private:
  Node module(int index, Node from, int full, int full_repeats, bool shortcut) {
    return c3(std::to_string(index), from,
              {.out = channels(full), .count = repeats(full_repeats), .shortcut = shortcut});
  }
  Node narrow(const std::string& name, Node from, int full) {
    return conv(name, from, channels(full), {.window = 1});
  }

  Levels features() {
    Node node = conv("0", image_, channels(64), {.window = 6, .stride = 2, .padding = 2});
    node = module(2, down("1", node, 128), 128, 3, true);
    const Node p3 = node = module(4, down("3", node, 256), 256, 6, true);
    const Node p4 = node = module(6, down("5", node, 512), 512, 9, true);
    node = module(8, down("7", node, 1024), 1024, 3, true);
    const Node n5 = narrow("10", sppf("9", node, channels(1024)), 512);
    node = module(13, layers_.concat("12", {up("11", n5), p4}), 512, 3, false);
    const Node n4 = narrow("14", node, 256);
    const Node d3 = module(17, layers_.concat("16", {up("15", n4), p3}), 256, 3, false);
    const Node d4 = module(20, layers_.concat("19", {down("18", d3, 256), n4}), 512, 3, false);
    const Node d5 = module(23, layers_.concat("22", {down("21", d4, 512), n5}), 1024, 3, false);
    return {d3, d4, d5};
  }

  // For each anchor: centre and size relative to its own, the score of there being a box, and scores of
  // classes.
  Node boxes(const std::string& name, Node from) {
    constexpr int anchors = 3, pair = 2, each = 2 * pair + 1 + yolo_classes;
    const Shape shape = layers_.shape(from);
    const Node raw = layers_.conv(name, from, anchors * each, {.window = 1}, {.bias = true});
    const Node by_anchor =
        layers_.transpose(name + ".by_anchor", raw, {each, anchors * shape.height * shape.width});
    const Node found = layers_.activation(by_anchor, Activation::sigmoid);
    const Node doubled =
        layers_.multiply_by_constant(name + ".double", layers_.channels(name + ".xy", found, pair));
    const Node centre =
        layers_.multiply_by_constant(name + ".strides", layers_.add_constant(name + ".grid", doubled));
    const Node wide =
        layers_.multiply_by_constant(name + ".square", layers_.channels(name + ".wh", found, pair));
    const Node size = layers_.multiply_by_constant(name + ".anchors", wide);
    const Node scores = layers_.channels(name + ".conf", found, each - 2 * pair);
    return layers_.concat(name + ".boxes", {centre, size, scores});
  }
};

}  // namespace

Network build_yolov5n(int input) {
  return Yolov5({"yolov5n", 0.33, 0.25, 1024}, input).build();
}
Network build_yolov5s(int input) {
  return Yolov5({"yolov5s", 0.33, 0.50, 1024}, input).build();
}
Network build_yolov5m(int input) {
  return Yolov5({"yolov5m", 0.67, 0.75, 1024}, input).build();
}

}  // namespace jostle::dnn
