// YOLO11 detectors as Ultralytics defines them, 80 classes of COCO.
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"
#include "models/dnn/builders/yolo.hpp"

namespace jostle::dnn {
namespace {

class Yolo11 : YoloBuilder {
 public:
  // In the larger scales every module is made of c3 modules.
  Yolo11(const YoloScale& scale, int input, bool large) : YoloBuilder(scale, input), large_(large) {}

  Network build() {
    Node node = conv("0", image_, channels(64), {.window = 3, .stride = 2});
    node = module(2, down("1", node, 128), 256, {.inside = 0.25});
    const Node p3 = node = module(4, down("3", node, 256), 512, {.inside = 0.25});
    const Node p4 = node = module(6, down("5", node, 512), 512, {.nested = true});
    node = module(8, down("7", node, 1024), 1024, {.nested = true});
    const Node p5 = attention_module("10", sppf("9", node, channels(1024)));
    const Node n4 = module(13, layers_.concat("12", {up("11", p5), p4}), 512, {});
    const Node d3 = module(16, layers_.concat("15", {up("14", n4), p3}), 256, {});
    const Node d4 = module(19, layers_.concat("18", {down("17", d3, 256), n4}), 512, {});
    const Node d5 = module(22, layers_.concat("21", {down("20", d4, 512), p5}), 1024, {.nested = true});
    (void)detect("23", {d3, d4, d5}, yolo_classes, true);
    return layers_.take();
  }

 private:
  struct Variant {
    bool nested = false;
    double inside = 0.5;
  };
  Node module(int index, Node from, int full, const Variant& of) {
    return c2f(std::to_string(index), from,
               {.out = channels(full),
                .count = repeats(2),
                .shortcut = true,
                .nested = of.nested || large_,
                .inside = of.inside,
                .narrow = 0.5});
  }

  Node linear_conv(const std::string& name, Node from, int to) {
    return layers_.conv_norm(name, from, to, {.window = 1});
  }

  // Half of the channels passes through blocks of attention between positions.
  Node attention_module(const std::string& name, Node from) {
    const int out = layers_.shape(from).channels, half = out / 2;
    const Node both = conv(name + ".cv1", from, 2 * half, {.window = 1});
    const Node kept = layers_.channels(name + ".split0", both, half);
    Node node = layers_.channels(name + ".split1", both, half);
    for (int i = 0; i < repeats(2); ++i) {
      const std::string block = name + ".m" + std::to_string(i);
      node = layers_.add(attention(block + ".attn", node), node);
      const Node wide = conv(block + ".ffn0", node, 2 * half, {.window = 1});
      node = layers_.add(linear_conv(block + ".ffn1", wide, half), node);
    }
    return conv(name + ".cv2", layers_.concat(name + ".concat", {kept, node}), out, {.window = 1});
  }

  // Attention with keys of half the width of values; a depthwise convolution of the values adds their
  // positions.
  Node attention(const std::string& name, Node from) {
    const Shape shape = layers_.shape(from);
    const int width = shape.channels, heads = width / 64;
    const Node all = flat(name + ".flatten", linear_conv(name + ".qkv", from, 2 * width));
    const Node query = layers_.channels(name + ".query", all, width / 2);
    const Node key = layers_.channels(name + ".key", all, width / 2);
    const Node value = layers_.channels(name + ".value", all, width);
    const Node mixed = attend(layers_, name, {query, key, value, heads});
    const Node plane = layers_.reshape(name + ".plane", mixed, shape);
    const Node values = layers_.reshape(name + ".values", value, shape);
    return linear_conv(name + ".proj", layers_.add(depthwise(name + ".pe", values, 3), plane), width);
  }

  bool large_;
};

}  // namespace

Network build_yolo11n(int input) {
  return Yolo11({"yolo11n", 0.50, 0.25, 1024}, input, false).build();
}
Network build_yolo11s(int input) {
  return Yolo11({"yolo11s", 0.50, 0.50, 1024}, input, false).build();
}
Network build_yolo11m(int input) {
  return Yolo11({"yolo11m", 0.50, 1.00, 512}, input, true).build();
}
Network build_yolo11l(int input) {
  return Yolo11({"yolo11l", 1.00, 1.00, 512}, input, true).build();
}
Network build_yolo11x(int input) {
  return Yolo11({"yolo11x", 1.00, 1.50, 512}, input, true).build();
}

}  // namespace jostle::dnn
