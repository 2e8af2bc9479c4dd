// BERT encoders (Devlin et al., 2018; Turc et al., 2019; Sanh et al., 2019) with a classifier of two classes,
// as Hugging Face's transformers define them for sequence classification.
//
// Sequences have no padding, so attention needs no mask. The factor 1/sqrt(depth) of the scores is part of
// the product.
#include <stdexcept>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct Encoder {
  const char* name;
  int layers, hidden, heads;
  bool types;              // a third embedding table, for pairs of sentences
  const char* pooler;      // the layer between the first token and the classes,
  Activation pooler_kind;  // and the activation after it
};
constexpr Encoder bert_tiny{"bert_tiny", 2, 128, 2, true, "pooler", Activation::tanh};
constexpr Encoder distilbert{"distilbert", 6, 768, 12, false, "pre_classifier", Activation::relu};
constexpr int words = 30'522, positions = 512, classes = 2;

Node add_embeddings(LayerBuilder& layers, const Encoder& encoder, int tokens) {
  const Node ids = layers.input({1, tokens});
  Node node = layers.embedding("word", ids, words, encoder.hidden);
  if (encoder.types) node = layers.add(node, layers.embedding("type", ids, 2, encoder.hidden));
  const Node position = layers.embedding("position", ids, positions, encoder.hidden);
  return layers.layer_norm(layers.add(position, node));
}

Node add_attention(LayerBuilder& layers, const Encoder& encoder, const std::string& name, Node from) {
  const int tokens = layers.shape(from).height, depth = encoder.hidden / encoder.heads;
  const Node query = layers.linear(name + ".query", from, encoder.hidden);
  const Node key = layers.linear(name + ".key", from, encoder.hidden);
  const Node value = layers.linear(name + ".value", from, encoder.hidden);
  const Node scores =
      layers.matmul(name + ".scores", query, key, {encoder.heads, depth}, {encoder.heads * tokens, tokens});
  const Node mixed = layers.matmul(name + ".mix", layers.softmax(scores), value, {encoder.heads, tokens},
                                   {encoder.hidden, tokens});
  const Node merged = layers.transpose(name + ".merge_heads", mixed, layers.shape(mixed));
  const Node out = layers.linear(name + ".attention", merged, encoder.hidden);
  return layers.layer_norm(layers.add(out, from));
}

Node add_feed_forward(LayerBuilder& layers, const std::string& name, Node from) {
  const int hidden = layers.shape(from).channels;
  const Node wide = layers.activation(layers.linear(name + ".wide", from, 4 * hidden));
  return layers.layer_norm(layers.add(layers.linear(name + ".narrow", wide, hidden), from));
}

Network build(const Encoder& encoder, int tokens) {
  if (tokens < 1 || tokens > positions) {
    throw std::invalid_argument("an input of " + std::to_string(tokens) + " tokens: " + encoder.name +
                                " takes 1 to " + std::to_string(positions));
  }
  LayerBuilder layers(Activation::gelu);
  Node node = add_embeddings(layers, encoder, tokens);
  for (int i = 0; i < encoder.layers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    node = add_feed_forward(layers, name, add_attention(layers, encoder, name, node));
  }
  node = layers.slice("first_token", node, {encoder.hidden});
  node = layers.activation(layers.linear(encoder.pooler, node, encoder.hidden), encoder.pooler_kind);
  (void)layers.linear("classifier", node, classes);
  return layers.take();
}

}  // namespace

Network build_bert_tiny(int tokens) {
  return build(bert_tiny, tokens);
}
Network build_distilbert(int tokens) {
  return build(distilbert, tokens);
}

}  // namespace jostle::dnn
