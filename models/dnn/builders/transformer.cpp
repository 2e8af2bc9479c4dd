#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {

using Node = Network::Node;

Node attend(LayerBuilder& layers, const std::string& name, const Attention& of) {
  const Shape query = layers.shape(of.query), value = layers.shape(of.value);
  const int keys = value.height, depth = query.channels / of.heads;
  Node scores =
      layers.matmul(name + ".scores", of.query, of.key, {of.heads, depth}, {of.heads * keys, query.height});
  if (of.bias > 0) scores = layers.add_learned(name + ".bias", scores, of.bias);
  if (of.mask) scores = layers.add_constant(name + ".mask", scores);
  layers.next({.views = of.views});
  const Node shares = layers.softmax(scores);
  const Node mixed =
      layers.matmul(name + ".mix", shares, of.value, {of.heads, keys}, {value.channels, query.height});
  return layers.transpose(name + ".merge_heads", mixed, layers.shape(mixed));
}

}  // namespace jostle::dnn
