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

Node add_feed_forward(LayerBuilder& layers, const std::string& name, Node from, int wide) {
  const Node inside = layers.activation(layers.linear(name + ".wide", from, wide));
  return layers.linear(name + ".narrow", inside, layers.shape(from).channels);
}

namespace {

Attention projected(LayerBuilder& layers, const std::string& name, Node from, const EncoderBlock& of) {
  const int width = layers.shape(from).channels;
  if (of.projection == Projection::separate) {
    const Node query = layers.linear(name + ".query", from, width);
    const Node key = layers.linear(name + ".key", from, width, false);
    return {query, key, layers.linear(name + ".value", from, width), of.heads};
  }
  layers.next({.inside = of.module});
  const Node all = layers.linear(name + ".qkv", from, 3 * width);
  const Node query = layers.channels(name + ".query", all, width);
  const Node key = layers.channels(name + ".key", all, width);
  return {query, key, layers.channels(name + ".value", all, width), of.heads};
}

}  // namespace

Node add_encoder_block(LayerBuilder& layers, const std::string& name, Node from, const EncoderBlock& of) {
  constexpr int expansion = 4;
  const int width = layers.shape(from).channels;
  Attention attention = projected(layers, name, layers.layer_norm(from), of);
  if (of.module) attention.views = 1;
  const Node heads = attend(layers, name, attention);
  layers.next({.inside = of.module});
  const Node seen = layers.add(layers.linear(name + ".attention", heads, width), from);
  return layers.add(add_feed_forward(layers, name, layers.layer_norm(seen), expansion * width), seen);
}

}  // namespace jostle::dnn
