// MobileViT-S (Mehta and Rastegari, 2022) as timm defines it: blocks of MobileNetV2, and blocks in which a
// transformer mixes the positions that have the same place in patches of 2 x 2.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr int mobilevit_expansion = 4, mobilevit_heads = 4, mobilevit_patch = 2;

struct MobileVitStage {
  int channels, blocks, stride;  // of inverted residuals
  int width = 0, depth = 0;      // of the transformer after them; 0: none
};
constexpr std::array<MobileVitStage, 5> mobilevit_s{
    {{32, 1, 1}, {64, 3, 2}, {96, 1, 2, 144, 2}, {128, 1, 2, 192, 4}, {160, 1, 2, 240, 3}}};

// Attention of each place of a patch with the same place of all others; twice as wide inside.
Node add_mobilevit_encoder(LayerBuilder& layers, const std::string& name, Node from) {
  const Shape whole = layers.shape(from);
  constexpr int places = mobilevit_patch * mobilevit_patch;
  const int tokens = whole.height / places;
  const Node all = layers.linear(name + ".qkv", layers.layer_norm(from), 3 * whole.channels);
  const auto part = [&](const char* which) {
    const Node one = layers.channels(name + which, all, whole.channels);
    return layers.reshape(name + which + ".places", one, {places * whole.channels, tokens});
  };
  const Node query = part(".query"), key = part(".key"), value = part(".value");
  const Node mixed = attend(layers, name, {query, key, value, places * mobilevit_heads});
  const Node tokens_again = layers.reshape(name + ".tokens", mixed, whole);
  const Node seen = layers.add(layers.linear(name + ".attention", tokens_again, whole.channels), from);
  return layers.add(add_feed_forward(layers, name, layers.layer_norm(seen), 2 * whole.channels), seen);
}

Node add_mobilevit_block(LayerBuilder& layers, const std::string& name, Node from, const MobileVitStage& of) {
  const Shape plane = layers.shape(from);
  Node node = layers.conv_norm_activation(name + ".near", from, plane.channels, {.window = 3});
  node = layers.conv(name + ".widen", node, of.width, {.window = 1});
  node = layers.transpose(name + ".unfold", node, {of.width, plane.height * plane.width});
  for (int i = 0; i < of.depth; ++i)
    node = add_mobilevit_encoder(layers, name + ".transformer" + std::to_string(i), node);
  node = layers.layer_norm(node);
  node = layers.transpose(name + ".fold", node, {of.width, plane.height, plane.width});
  node = layers.conv_norm_activation(name + ".narrow", node, plane.channels, {.window = 1});
  node = layers.concat(name + ".concat", {from, node});
  return layers.conv_norm_activation(name + ".fuse", node, plane.channels, {.window = 3});
}

}  // namespace

Network build_mobilevit_s(int input) {
  require_multiple("mobilevit_s", input, 64);
  LayerBuilder layers(Activation::silu);
  Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 16, {.window = 3, .stride = 2});
  int number = 0;
  for (const MobileVitStage& stage : mobilevit_s) {
    const std::string name = "stage" + std::to_string(++number);
    for (int i = 0; i < stage.blocks; ++i)
      node = add_inverted_residual(layers, name + "." + std::to_string(i), node,
                                   {.inside = mobilevit_expansion * layers.shape(node).channels,
                                    .channels = stage.channels,
                                    .stride = i == 0 ? stage.stride : 1,
                                    .activation = Activation::silu})
                 .out;
    if (stage.width > 0) node = add_mobilevit_block(layers, name + ".vit", node, stage);
  }
  node = layers.conv_norm_activation("last", node, 640, {.window = 1});
  (void)layers.linear("classifier", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
