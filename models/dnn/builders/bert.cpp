// BERT encoders (Devlin et al., 2018; Turc et al., 2019; Sanh et al., 2019) with a classifier of two classes,
// as Hugging Face's transformers define them for sequence classification.
#include <stdexcept>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct Encoder {
  const char* name;
  int layers, hidden, heads;
  bool types;              // a third embedding table, for pairs of sentences
  const char* pooler;      // the layer between the first token and the classes
  Activation pooler_kind;  // the activation after it
};
constexpr Encoder bert_tiny{"bert_tiny", 2, 128, 2, true, "pooler", Activation::tanh};
constexpr Encoder bert_base{"bert_base", 12, 768, 12, true, "pooler", Activation::tanh};
constexpr Encoder bert_large{"bert_large", 24, 1024, 16, true, "pooler", Activation::tanh};
constexpr Encoder distilbert{"distilbert", 6, 768, 12, false, "pre_classifier", Activation::relu};
constexpr int bert_words = 30'522, bert_positions = 512, bert_classes = 2;

Node add_embeddings(LayerBuilder& layers, const Encoder& encoder, int tokens) {
  const Node ids = layers.input({1, tokens});
  Node node = layers.embedding("word", ids, bert_words, encoder.hidden);
  if (encoder.types) node = layers.add(node, layers.embedding("type", ids, 2, encoder.hidden));
  const Node position = layers.embedding("position", ids, bert_positions, encoder.hidden);
  return layers.layer_norm(layers.add(position, node));
}

Node add_attention(LayerBuilder& layers, const Encoder& encoder, const std::string& name, Node from) {
  const Node query = layers.linear(name + ".query", from, encoder.hidden);
  const Node key = layers.linear(name + ".key", from, encoder.hidden);
  const Node value = layers.linear(name + ".value", from, encoder.hidden);
  const Node merged =
      attend(layers, name, {.query = query, .key = key, .value = value, .heads = encoder.heads, .views = 9});
  const Node out = layers.linear(name + ".attention", merged, encoder.hidden);
  return layers.layer_norm(layers.add(out, from));
}

Network build(const Encoder& encoder, int tokens) {
  if (tokens < 1 || tokens > bert_positions) {
    throw std::invalid_argument("an input of " + std::to_string(tokens) + " tokens: " + encoder.name +
                                " takes 1 to " + std::to_string(bert_positions));
  }
  LayerBuilder layers(Activation::gelu);
  Node node = add_embeddings(layers, encoder, tokens);
  for (int i = 0; i < encoder.layers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const Node seen = add_attention(layers, encoder, name, node);
    node = layers.layer_norm(layers.add(add_feed_forward(layers, name, seen, 4 * encoder.hidden), seen));
  }
  node = layers.slice("first_token", node, {encoder.hidden});
  node = layers.activation(layers.linear(encoder.pooler, node, encoder.hidden), encoder.pooler_kind);
  (void)layers.linear("classifier", node, bert_classes);
  return layers.take();
}

}  // namespace

Network build_bert_tiny(int tokens) {
  return build(bert_tiny, tokens);
}
Network build_bert_base(int tokens) {
  return build(bert_base, tokens);
}
Network build_bert_large(int tokens) {
  return build(bert_large, tokens);
}
Network build_distilbert(int tokens) {
  return build(distilbert, tokens);
}

}  // namespace jostle::dnn
