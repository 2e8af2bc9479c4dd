// DETR (Carion et al., 2020) on ResNet-50 as Hugging Face's transformers define it: 100 boxes, each of one of
// 91 classes or none.
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/resnet.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr int detr_width = 256, detr_heads = 8, detr_layers = 6, detr_queries = 100;

// The tensors from which attention makes its queries, its keys and its values.
struct Asked {
  Node query, key, value;
};

// Attention and the norm of its sum with `from`.
Node add_detr_attention(LayerBuilder& layers, const std::string& name, Node from, const Asked& of) {
  const Node query = layers.linear(name + ".query", of.query, detr_width);
  const Node key = layers.linear(name + ".key", of.key, detr_width);
  const Node value = layers.linear(name + ".value", of.value, detr_width);
  const Node merged = attend(layers, name, {query, key, value, detr_heads});
  return layers.layer_norm(layers.add(layers.linear(name + ".attention", merged, detr_width), from));
}

Node add_detr_feed_forward(LayerBuilder& layers, const std::string& name, Node from) {
  return layers.layer_norm(layers.add(add_feed_forward(layers, name, from, 2048), from));
}

Node add_encoder(LayerBuilder& layers, Node node) {
  for (int i = 0; i < detr_layers; ++i) {
    const std::string name = "encoder" + std::to_string(i);
    const Node placed = layers.add_constant(name + ".positions", node);
    node = add_detr_attention(layers, name, node, {placed, placed, node});
    node = add_detr_feed_forward(layers, name, node);
  }
  return node;
}

// The first target is zeros, so that its sum with the queries is the queries. Everything else that reads it
// costs as much as for any target.
Node add_decoder(LayerBuilder& layers, Node queries, Node memory) {
  const Node placed_memory = layers.add_constant("memory.positions", memory);
  Node node = queries;
  for (int i = 0; i < detr_layers; ++i) {
    const std::string name = "decoder" + std::to_string(i);
    const Node placed = i == 0 ? node : layers.add(node, queries);
    const Node own = add_detr_attention(layers, name + ".self", node, {placed, placed, node});
    const Node asking = layers.add(own, queries);
    node = add_detr_attention(layers, name + ".cross", own, {asking, placed_memory, memory});
    node = add_detr_feed_forward(layers, name, node);
  }
  return layers.layer_norm(node);
}

}  // namespace

Network build_detr_resnet50(int input) {
  constexpr int labels = 92, sides = 4;
  LayerBuilder layers;
  const Node image = layers.input({3, input, input});
  const Node features = add_resnet(layers, image, resnet50).back();
  const Node narrow = layers.conv("input_projection", features, detr_width, {.window = 1}, {.bias = true});
  const Shape shape = layers.shape(narrow);
  const Node tokens = layers.transpose("tokens", narrow, {detr_width, shape.height * shape.width});
  const Node memory = add_encoder(layers, tokens);
  // A table that is read whole, whatever the image.
  const Node index = layers.slice("queries.index", image, {1, detr_queries});
  const Node queries = layers.embedding("queries", index, detr_queries, detr_width);
  const Node found = add_decoder(layers, queries, memory);
  const Node scores = layers.softmax(layers.linear("class_labels_classifier", found, labels));
  Node box = layers.activation(layers.linear("bbox_predictor0", found, detr_width));
  box = layers.activation(layers.linear("bbox_predictor1", box, detr_width));
  box = layers.activation(layers.linear("bbox_predictor2", box, sides), Activation::sigmoid);
  (void)layers.concat("detections", {scores, box});
  return layers.take();
}

}  // namespace jostle::dnn
