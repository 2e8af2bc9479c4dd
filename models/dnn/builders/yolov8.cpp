// YOLOv8 as Ultralytics defines it: detection of COCO's 80 classes, segmentation (seg), and the 17 keypoints
// of people (pose). The numbers in the names of layers are Ultralytics' indices of modules.
#include <algorithm>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/yolo.hpp"

namespace jostle::dnn {
namespace {

class Yolov8 : YoloBuilder {
 public:
  using YoloBuilder::YoloBuilder;

  Network build() {
    (void)detect("22", features(), yolo_classes);
    return layers_.take();
  }

  Network build_with_masks() {
    constexpr int masks = 32;  // prototypes; each object has a weight for each
    const Levels levels = features();
    const int finest = layers_.shape(levels.front()).channels;
    const Node found = detect("22", levels, yolo_classes);
    const Node weights = branches("22.cv4", levels, std::max(finest / 4, masks), masks);
    (void)layers_.concat("22.masks", {found, weights});
    const int inside = channels(256);
    Node node = conv("22.proto.cv1", levels.front(), inside, {.window = 3});
    node =
        layers_.conv_transpose("22.proto.upsample", node, inside, {.window = 2, .stride = 2}, {.bias = true});
    (void)conv("22.proto.cv3", conv("22.proto.cv2", node, inside, {.window = 3}), masks, {.window = 1});
    return layers_.take();
  }

  Network build_with_keypoints() {
    constexpr int keypoints = 17, values_each = 3;  // x, y and visibility
    const Levels levels = features();
    const int finest = layers_.shape(levels.front()).channels;
    const Node found = detect("22", levels, 1);
    const Node raw =
        branches("22.cv4", levels, std::max(finest / 4, keypoints * values_each), keypoints * values_each);
    const Node places = layers_.channels("22.kpt.xy", raw, keypoints * (values_each - 1));
    const Node scaled = layers_.multiply_by_constant(
        "22.kpt.strides",
        layers_.add_constant("22.kpt.anchors", layers_.multiply_by_constant("22.kpt.double", places)));
    const Node seen =
        layers_.activation(layers_.channels("22.kpt.visible", raw, keypoints), Activation::sigmoid);
    (void)layers_.concat("22.kpt", {found, scaled, seen});
    return layers_.take();
  }

 private:
  // A c2f module; `full` and `full_repeats` are its channels and repeats at full scale.
  Node module(int index, Node from, int full, int full_repeats, bool shortcut) {
    return c2f(std::to_string(index), from,
               {.out = channels(full), .count = repeats(full_repeats), .shortcut = shortcut});
  }

  // Backbone and neck: feature maps at strides 8, 16 and 32.
  Levels features() {
    Node node = conv("0", image_, channels(64), {.window = 3, .stride = 2});
    node = module(2, down("1", node, 128), 128, 3, true);
    const Node p3 = node = module(4, down("3", node, 256), 256, 6, true);
    const Node p4 = node = module(6, down("5", node, 512), 512, 6, true);
    node = module(8, down("7", node, 1024), 1024, 3, true);
    const Node p5 = sppf("9", node, channels(1024));
    const Node n4 = module(12, layers_.concat("11", {up("10", p5), p4}), 512, 3, false);
    const Node d3 = module(15, layers_.concat("14", {up("13", n4), p3}), 256, 3, false);
    const Node d4 = module(18, layers_.concat("17", {down("16", d3, 256), n4}), 512, 3, false);
    const Node d5 = module(21, layers_.concat("20", {down("19", d4, 512), p5}), 1024, 3, false);
    return {d3, d4, d5};
  }
};

}  // namespace

// Each scale: name, factor on repeats, factor on channels, maximum number of channels.
Network build_yolov8n(int input) {
  return Yolov8({"yolov8n", 0.33, 0.25, 1024}, input).build();
}
Network build_yolov8s(int input) {
  return Yolov8({"yolov8s", 0.33, 0.50, 1024}, input).build();
}
Network build_yolov8m(int input) {
  return Yolov8({"yolov8m", 0.67, 0.75, 768}, input).build();
}
Network build_yolov8l(int input) {
  return Yolov8({"yolov8l", 1.00, 1.00, 512}, input).build();
}
Network build_yolov8x(int input) {
  return Yolov8({"yolov8x", 1.00, 1.25, 512}, input).build();
}
Network build_yolov8n_seg(int input) {
  return Yolov8({"yolov8n_seg", 0.33, 0.25, 1024}, input).build_with_masks();
}
Network build_yolov8n_pose(int input) {
  return Yolov8({"yolov8n_pose", 0.33, 0.25, 1024}, input).build_with_keypoints();
}

}  // namespace jostle::dnn
