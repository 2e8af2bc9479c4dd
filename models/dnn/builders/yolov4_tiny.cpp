// YOLOv4-tiny (Wang et al., 2021) as darknet's yolov4-tiny.cfg defines it, 80 classes of COCO.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;
constexpr int boxes = 3, darknet_classes = 80;
constexpr int outputs = boxes * (4 + 1 + darknet_classes);

// A cross-stage partial block: half of the channels takes the long path.
struct Csp {
  Node joined;  // 1 x 1 convolution of the long path, which a head reads
  Node out;     // both paths joined, at half the size
};
Csp add_csp(LayerBuilder& layers, const std::string& name, Node from) {
  const int channels = layers.shape(from).channels;
  const Node whole = layers.conv_norm_activation(name + ".a", from, channels, {.window = 3});
  const Shape shape = layers.shape(whole);
  const Node half = layers.slice(name + ".group", whole, {channels / 2, shape.height, shape.width});
  const Node first = layers.conv_norm_activation(name + ".b", half, channels / 2, {.window = 3});
  const Node second = layers.conv_norm_activation(name + ".c", first, channels / 2, {.window = 3});
  const Node both = layers.concat(name + ".inner", {second, first});
  const Node joined = layers.conv_norm_activation(name + ".d", both, channels, {.window = 1});
  const Node out = layers.concat(name + ".outer", {whole, joined});
  return {joined, layers.max_pool(name + ".pool", out, {.window = 2, .stride = 2})};
}

void add_head(LayerBuilder& layers, const std::string& name, Node from, int channels) {
  const Node node = layers.conv_norm_activation(name + ".a", from, channels, {.window = 3});
  const Node raw = layers.conv(name + ".b", node, outputs, {.window = 1}, {.bias = true});
  (void)layers.activation(raw, Activation::sigmoid);
}

}  // namespace

Network build_yolov4_tiny(int input) {
  require_multiple("yolov4_tiny", input, 32);
  LayerBuilder layers(Activation::leaky_relu);
  Node node =
      layers.conv_norm_activation("conv0", layers.input({3, input, input}), 32, {.window = 3, .stride = 2});
  node = layers.conv_norm_activation("conv1", node, 64, {.window = 3, .stride = 2});
  Csp csp;
  for (int i = 0; i < 3; ++i) {
    csp = add_csp(layers, "csp" + std::to_string(i), node);
    node = csp.out;
  }
  node = layers.conv_norm_activation("conv26", node, 512, {.window = 3});
  const Node deep = layers.conv_norm_activation("conv27", node, 256, {.window = 1});
  add_head(layers, "coarse", deep, 512);

  const Shape fine = layers.shape(csp.joined);
  const Node narrow = layers.conv_norm_activation("conv32", deep, 128, {.window = 1});
  const Node raised = layers.resize("upsample", narrow, fine.height, fine.width);
  add_head(layers, "fine", layers.concat("route", {raised, csp.joined}), 256);
  return layers.take();
}

}  // namespace jostle::dnn
