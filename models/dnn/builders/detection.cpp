#include "models/dnn/builders/detection.hpp"

namespace jostle::dnn {
namespace {

constexpr int coordinates = 4, detections = 200;

}  // namespace

using Node = Network::Node;

Node by_box(LayerBuilder& layers, const std::string& name, Node raw, int outputs) {
  const Shape shape = layers.shape(raw);
  return layers.transpose(name + ".by_box", raw, {outputs, static_cast<int>(shape.elements() / outputs)});
}

Node decode_boxes(LayerBuilder& layers, const std::vector<Node>& places) {
  const Node all = layers.concat_positions("loc", places);
  return layers.other("decode", {all}, layers.shape(all));
}

void suppress_boxes(LayerBuilder& layers, Node scores, Node boxes) {
  (void)layers.other("nms", {scores, boxes}, {coordinates + 2, detections});
}

void add_boxes(LayerBuilder& layers, std::span<const BoxSource> sources, const BoxPredictors& of) {
  const auto predict = [&](const std::string& name, const BoxSource& source, int outputs) {
    const Node raw = layers.conv(name, source.node, source.boxes * outputs, of.slide, {.bias = true});
    return by_box(layers, name, raw, outputs);
  };
  std::vector<Node> places, scores;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string digit = std::to_string(i);
    places.push_back(predict("loc" + digit, sources[i], coordinates));
    scores.push_back(predict("conf" + digit, sources[i], of.classes));
  }
  const Node boxes = decode_boxes(layers, places);
  const Node all = layers.concat_positions("conf", scores);
  suppress_boxes(layers, of.sigmoid ? layers.activation(all, Activation::sigmoid) : layers.softmax(all),
                 boxes);
}

}  // namespace jostle::dnn
