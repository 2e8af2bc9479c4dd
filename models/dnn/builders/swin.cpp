// Swin Transformer (Liu et al., 2021), tiny, as torchvision defines it: attention within windows of 7 x 7
// positions, which are shifted by half a window in every second block.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr int window_side = 7, window_tokens = window_side * window_side;
// Pairs of positions in a window differ by one of this many offsets. A bias is learned for each offset and
// head.
constexpr int window_offsets = (2 * window_side - 1) * (2 * window_side - 1);

// The numbers of a mask's regions are written slice by slice, and compared.
constexpr int mask_views = 37;

struct SwinStage {
  int blocks, heads;
};
constexpr std::array<SwinStage, 4> swin_stages{{{2, 3}, {2, 6}, {6, 12}, {2, 24}}};

// Attention within the windows of a plane whose sides are multiples of the window's.
Node attend_in_windows(LayerBuilder& layers, const std::string& name, Node from, int heads, bool shifted) {
  const Shape plane = layers.shape(from);
  const int width = plane.channels, tokens = plane.height * plane.width, windows = tokens / window_tokens;
  Node node = from;
  if (shifted) node = layers.transpose(name + ".roll", node, plane);
  node = windows > 1 ? layers.transpose(name + ".partition", node, {width, tokens})
                     : layers.reshape(name + ".partition", node, {width, tokens});
  const Node all = layers.linear(name + ".qkv", node, 3 * width);
  const auto part = [&](const char* which) {
    const Node one = layers.channels(name + which, all, width);
    return layers.reshape(name + which + ".windows", one, {windows * width, window_tokens});
  };
  const Node query = part(".query"), key = part(".key"), value = part(".value");
  const Node mixed = attend(layers, name,
                            {.query = query,
                             .key = key,
                             .value = value,
                             .heads = windows * heads,
                             .bias = std::int64_t{window_offsets} * heads,
                             .mask = shifted,
                             .views = 14 + (shifted ? mask_views : 0)});
  node = layers.linear(name + ".attention", layers.reshape(name + ".tokens", mixed, {width, tokens}), width);
  node = windows > 1 ? layers.transpose(name + ".reverse", node, plane)
                     : layers.reshape(name + ".reverse", node, plane);
  return shifted ? layers.transpose(name + ".unroll", node, plane) : node;
}

Node add_swin_block(LayerBuilder& layers, const std::string& name, Node from, int heads, bool shifted) {
  const Shape plane = layers.shape(from);
  const int side = (plane.height + window_side - 1) / window_side * window_side;
  const bool padded = side != plane.height;
  Node node = layers.layer_norm(from);
  if (padded) node = layers.other(name + ".pad", {node}, {plane.channels, side, side});
  node = attend_in_windows(layers, name, node, heads, shifted && side > window_side);
  if (padded) node = layers.slice(name + ".crop", node, plane);
  const Node seen = layers.add(node, from);
  return layers.add(add_feed_forward(layers, name, layers.layer_norm(seen), 4 * plane.channels), seen);
}

// Four neighbours become one position of twice as many channels.
Node merge_patches(LayerBuilder& layers, const std::string& name, Node from) {
  const Shape plane = layers.shape(from);
  std::vector<Node> neighbours;
  for (int i = 0; i < 4; ++i)
    neighbours.push_back(layers.slice(name + ".slice" + std::to_string(i), from,
                                      {plane.channels, plane.height / 2, plane.width / 2}));
  const Node joined = layers.layer_norm(layers.concat(name + ".concat", neighbours));
  return layers.linear(name + ".reduction", joined, 2 * plane.channels, false);
}

}  // namespace

Network build_swin_t(int input) {
  require_multiple("swin_t", input, 32);
  LayerBuilder layers(Activation::gelu);
  Node node = layers.conv("patches", layers.input({3, input, input}), 96,
                          {.window = 4, .stride = 4, .padding = 0}, {.bias = true});
  node = layers.layer_norm(layers.transpose("tokens", node, layers.shape(node)));
  for (std::size_t stage = 0; stage < swin_stages.size(); ++stage) {
    const std::string name = "stage" + std::to_string(stage + 1);
    if (stage > 0) node = merge_patches(layers, name + ".merging", node);
    for (int i = 0; i < swin_stages.at(stage).blocks; ++i)
      node = add_swin_block(layers, name + ".block" + std::to_string(i), node, swin_stages.at(stage).heads,
                            i % 2 == 1);
  }
  node = layers.layer_norm(node);
  node = layers.average_pool(layers.transpose("planes", node, layers.shape(node)));
  (void)layers.linear("head", node, 1000);
  return layers.take();
}

}  // namespace jostle::dnn
