// EfficientViT-B1 (Cai et al., 2023) as timm defines it: blocks of MobileNetV2, and attention whose cost
// grows with the number of tokens instead of its square.
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/inverted_residual.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct EfficientVitStage {
  int channels, blocks;
  bool attention;
};
constexpr std::array<EfficientVitStage, 4> efficientvit_stages{
    {{32, 2, false}, {64, 3, false}, {128, 3, true}, {256, 4, true}}};
constexpr int efficientvit_head_width = 16, efficientvit_expansion = 4;

// An inverted residual block with biases instead of the first two norms, and the sum at stride 1.
Node add_biased_block(LayerBuilder& layers, const std::string& name, Node from, int channels, int stride) {
  const int inside = efficientvit_expansion * layers.shape(from).channels;
  Node node = layers.conv_bias_activation(name + ".expand", from, inside, {.window = 1});
  node = layers.activation(layers.conv(name + ".depthwise", node, inside, {.window = 3, .stride = stride},
                                       {.groups = inside, .bias = true}));
  node = layers.conv_norm(name + ".project", node, channels, {.window = 1});
  return stride == 1 ? layers.add(node, from) : node;
}

// Queries, keys and values of every head, from each position and, with other weights, from 5 x 5 around it;
// relu(q) (relu(k)' v) instead of a softmax, divided by the same product with ones for v.
Node add_linear_attention(LayerBuilder& layers, const std::string& name, Node from) {
  const Shape plane = layers.shape(from);
  const int width = plane.channels, tokens = plane.height * plane.width, head = efficientvit_head_width;
  const int both = 2 * width;  // channels of q, k or v at both scales
  const int heads = both / head, columns = heads * (head + 1);
  const Node near = layers.conv(name + ".qkv", from, 3 * width, {.window = 1});
  Node around = layers.conv(name + ".aggregate0", near, 3 * width, {.window = 5}, {.groups = 3 * width});
  around = layers.conv(name + ".aggregate1", around, 3 * width, {.window = 1}, {.groups = 3 * width / head});
  const Node all = layers.concat(name + ".scales", {near, around});
  const Node by_token = layers.transpose(name + ".tokens", all, {6 * width, tokens});
  const Node query = layers.activation(layers.channels(name + ".query", by_token, both), Activation::relu);
  const Node key = layers.activation(layers.channels(name + ".key", by_token, both), Activation::relu);
  const Node value =
      layers.other(name + ".pad", {layers.channels(name + ".value", by_token, both)}, {columns, tokens});
  const Node key_across = layers.reshape(name + ".key_columns", key, {heads * tokens, head});
  const Node mixed = layers.matmul(name + ".mix", key_across, value, {heads, tokens}, {columns, head});
  const Node sums = layers.matmul(name + ".sums", query, mixed, {heads, head}, {columns, tokens});
  // A divisor for each head and token.
  const Node part = layers.channels(name + ".sums_part", sums, both);
  const Node divisors = layers.channels(name + ".divisors", sums, heads);
  const Node divided = layers.multiply(part, layers.add_constant(name + ".epsilon", divisors));
  const Node again = layers.transpose(name + ".planes", divided, {both, plane.height, plane.width});
  return layers.add(layers.conv_norm(name + ".project", again, width, {.window = 1}), from);
}

}  // namespace

Network build_efficientvit_b1(int input) {
  LayerBuilder layers(Activation::hard_swish);
  Node node =
      layers.conv_norm_activation("stem", layers.input({3, input, input}), 16, {.window = 3, .stride = 2});
  node = add_inverted_residual(layers, "stem.block", node,
                               {.inside = 16, .channels = 16, .activation = Activation::hard_swish})
             .out;
  for (std::size_t i = 0; i < efficientvit_stages.size(); ++i) {
    const auto& [channels, blocks, attention] = efficientvit_stages.at(i);
    const std::string name = "stage" + std::to_string(i + 1) + ".";
    for (int block = 0; block < blocks; ++block) {
      const std::string here = name + std::to_string(block);
      if (!attention) {
        node = add_inverted_residual(layers, here, node,
                                     {.inside = efficientvit_expansion * layers.shape(node).channels,
                                      .channels = channels,
                                      .stride = block == 0 ? 2 : 1,
                                      .activation = Activation::hard_swish})
                   .out;
        continue;
      }
      if (block == 0) node = add_biased_block(layers, here + ".smaller", node, channels, 2);
      node = add_linear_attention(layers, here + ".attention", node);
      node = add_biased_block(layers, here + ".local", node, channels, 1);
    }
  }
  node = layers.conv_norm_activation("head", node, 1536, {.window = 1});
  node = layers.layer_norm(layers.linear("classifier0", layers.average_pool(node), 1600, false));
  (void)layers.linear("classifier3", layers.activation(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
