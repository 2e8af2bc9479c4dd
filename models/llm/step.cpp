#include "models/llm/step.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/dnn/builders/layers.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::llm {
namespace {

using dnn::LayerBuilder;
using dnn::Shape;
using Node = dnn::Network::Node;

constexpr std::string_view head_name = "lm_head", expert_name = ".expert";
constexpr int longest = 1 << 20;  // positions

class Decoder {
 public:
  Decoder(const Architecture& of, const Step& step, Operators operators)
      : of_(of),
        tokens_(step.tokens),
        positions_(step.context + step.tokens),
        scored_(step.scored),
        operators_(operators),
        queries_(of.heads * of.head_dim),
        keys_(of.kv_heads * of.head_dim) {}

  dnn::Network take() {
    Node node = layers_.embedding("embedding", layers_.input({1, tokens_}), of_.vocabulary, of_.hidden);
    const int streams = of_.extras.streams;
    if (of_.extras.width > 0)
      (void)layers_.linear("own_embeddings", node, of_.layers * of_.extras.width, false);
    if (streams > 1) (void)layers_.linear("streams", node, (streams - 1) * of_.hidden, false);
    for (int i = 0; i < of_.layers; ++i) node = block("block" + std::to_string(i), node, i);
    if (streams > 1)
      node = layers_.other("mean", {layers_.linear("join", node, (streams - 1) * of_.hidden, false), node},
                           {of_.hidden, tokens_});
    // Only the scores of the last positions are needed.
    const Node last = layers_.slice("last", layers_.layer_norm(node), {of_.hidden, scored_});
    const Node scores = layers_.linear(head_name, last, of_.vocabulary, false);
    (void)layers_.other("choose", {scores}, {1, scored_});
    return layers_.take();
  }

 private:
  struct Projected {
    Node query, key, value;
  };

  Projected project(const std::string& name, Node from) {
    if (operators_ == Operators::apart) {
      return {layers_.linear(name + ".query", from, queries_, of_.qkv_bias),
              layers_.linear(name + ".key", from, keys_, of_.qkv_bias),
              layers_.linear(name + ".value", from, keys_, of_.qkv_bias)};
    }
    const Node all = layers_.linear(name + ".qkv", from, queries_ + 2 * keys_, of_.qkv_bias);
    return {layers_.channels(name + ".query", all, queries_), layers_.channels(name + ".key", all, keys_),
            layers_.channels(name + ".value", all, keys_)};
  }

  // Applies rotary positions (Su et al., 2021), and stores the new keys and values in the cache.
  Node rotate_and_store(const std::string& name, const Projected& of) {
    if (operators_ == Operators::joined)
      return layers_.other(name + ".rotate", {of.query, of.key, of.value}, layers_.shape(of.query));
    const Node key = rotate(name + ".rotate_key", of.key);
    (void)layers_.other(name + ".store_key", {key}, layers_.shape(of.key));
    (void)layers_.other(name + ".store_value", {of.value}, layers_.shape(of.value));
    return rotate(name + ".rotate_query", of.query);
  }

  // The sum of the product with cosines, and of the product of the halves in the other order, one of them
  // negated, with sines.
  Node rotate(const std::string& name, Node from) {
    const Shape shape = layers_.shape(from);
    if (operators_ != Operators::operators) return layers_.other(name, {from}, shape);
    const Node cosines = layers_.other(name + ".cosines", {from}, shape);
    const Node negated = layers_.other(name + ".negated", {from}, {shape.channels / 2, shape.height});
    const Node halves = layers_.other(name + ".halves", {negated, from}, shape);
    return layers_.add(layers_.other(name + ".sines", {halves}, shape), cosines);
  }

  // The queries that share a head of keys are the rows of one product.
  Node attend(const std::string& name, Node query, int positions) {
    const int group = of_.heads / of_.kv_heads;
    const Node cache_key = layers_.input({keys_, positions}), cache_value = layers_.input({keys_, positions});
    const Node rows = layers_.reshape(name + ".rows", query, {keys_, tokens_ * group});
    const Node scores = layers_.matmul(name + ".scores", rows, cache_key, {of_.kv_heads, of_.head_dim},
                                       {of_.kv_heads * positions, tokens_ * group});
    const Node mixed = layers_.matmul(name + ".mix", layers_.softmax(scores), cache_value,
                                      {of_.kv_heads, positions}, {keys_, tokens_ * group});
    return layers_.reshape(name + ".heads", mixed, {queries_, tokens_});
  }

  // `count` gated feed-forwards of width `ffn` side by side, each on its part of the channels.
  Node gated_pair(const std::string& name, Node from, int ffn, int count) {
    const int wide = count * ffn;
    if (!of_.gated)
      return layers_.linear_groups(name + ".down",
                                   layers_.activation(layers_.linear_groups(name + ".up", from, wide, count)),
                                   count * of_.hidden, count);
    if (operators_ != Operators::apart) {
      const Node both = layers_.linear_groups(name + ".gate_up", from, 2 * wide, count);
      const Node inside =
          operators_ == Operators::joined
              ? layers_.other(name + ".gated", {both}, {wide, tokens_})
              : layers_.multiply(
                    layers_.activation(layers_.channels(name + ".gate", both, wide), dnn::Activation::silu),
                    layers_.channels(name + ".up", both, wide));
      return layers_.linear_groups(name + ".down", inside, count * of_.hidden, count);
    }
    const Node gate =
        layers_.activation(layers_.linear_groups(name + ".gate", from, wide, count), dnn::Activation::silu);
    const Node inside = layers_.multiply(gate, layers_.linear_groups(name + ".up", from, wide, count));
    return layers_.linear_groups(name + ".down", inside, count * of_.hidden, count);
  }

  // The scores of the router choose a token's experts, whose results are weighted and summed.
  Node feed_forward(const std::string& name, Node from) {
    const Experts& experts = of_.experts;
    if (experts.count == 0) return gated_pair(name, from, of_.ffn, 1);
    const Node scores = layers_.softmax(layers_.linear(name + ".router", from, experts.count, false));
    const Node chosen = layers_.other(name + ".choose", {scores}, {experts.per_token, tokens_});
    const Node given =
        layers_.other(name + ".give", {from, chosen}, {experts.per_token * of_.hidden, tokens_});
    const Node results = gated_pair(name + std::string(expert_name), given, of_.ffn, experts.per_token);
    Node sum = layers_.other(name + ".sum", {results, chosen}, {of_.hidden, tokens_});
    if (experts.shared_ffn == 0) return sum;
    if (!experts.shared_gate)
      return layers_.add(gated_pair(name + ".shared", from, experts.shared_ffn, 1), sum);
    const Node gate =
        layers_.activation(layers_.linear(name + ".shared_gate", from, 1, false), dnn::Activation::sigmoid);
    const Node all = gated_pair(name + ".shared", from, experts.shared_ffn, 1);
    return layers_.add(layers_.other(name + ".gate_shared", {all, gate}, {of_.hidden, tokens_}), sum);
  }

  // A layer of Mamba-2. The state of each head is read, moved on and written; a number of it in fp32 counts
  // as two of fp16. Over several tokens it is products: of values with keys, and of these with queries.
  Node state_space(const std::string& name, Node from) {
    const Mamba& mamba = of_.mamba;
    const int inner = mamba.inner();
    const Node all = layers_.linear(name + ".in", from, inner + mamba.mixed() + mamba.heads, false);
    const Node seen =
        layers_.other(name + ".convolve", {layers_.channels(name + ".mixed", all, mamba.mixed())},
                      {mamba.mixed(), tokens_});
    const Node moved = layers_.other(name + ".move", {layers_.input({2 * inner, mamba.state}), seen},
                                     {2 * inner, mamba.state});
    Node out = layers_.channels(name + ".values", seen, inner);
    if (tokens_ > 1) {
      const Node states = layers_.channels(name + ".states", moved, inner);
      out = layers_.matmul(name + ".keys", out, states, {mamba.heads, mamba.head_dim},
                           {mamba.heads * mamba.state, tokens_});
      out = layers_.matmul(name + ".scan", out, states, {mamba.heads, mamba.state}, {inner, tokens_});
    }
    const Node gated =
        layers_.other(name + ".gate", {out, layers_.channels(name + ".gates", all, inner)}, {inner, tokens_});
    return layers_.linear(name + ".out", gated, of_.hidden, false);
  }

  // Attention to the tower's result, whose keys and values are there.
  Node cross(const std::string& name, Node from) {
    const Node query =
        layers_.linear(name + ".cross_query", layers_.layer_norm(from), queries_, of_.qkv_bias);
    const Node key = layers_.input({queries_, of_.cross}), value = layers_.input({queries_, of_.cross});
    const Node scores = layers_.matmul(name + ".cross_scores", query, key, {of_.heads, of_.head_dim},
                                       {of_.heads * of_.cross, tokens_});
    const Node mixed = layers_.matmul(name + ".cross_mix", layers_.softmax(scores), value,
                                      {of_.heads, of_.cross}, {queries_, tokens_});
    return layers_.add(layers_.linear(name + ".cross_attention", mixed, of_.hidden, false), from);
  }

  // A token of block `i` attends to all positions, or to those of the window.
  Node attention(const std::string& name, Node from, int i) {
    const Node normed = layers_.layer_norm(from);
    const bool slides = share(of_.sliding.layers, i) > 0;
    const Node seen = attend(name, rotate_and_store(name, project(name, normed)),
                             slides ? std::min(positions_, of_.sliding.window) : positions_);
    Node attended = layers_.linear(name + ".attention", seen, of_.hidden, false);
    if (of_.norms > 2) attended = layers_.layer_norm(attended);
    const Node middle = layers_.add(attended, from);
    if (of_.extras.low_rank == 0) return middle;
    const Node low = layers_.linear(name + ".low_rank", normed, of_.extras.low_rank, false);
    return layers_.add(layers_.layer_norm(layers_.linear(name + ".low_rank_out", low, of_.hidden, false)),
                       middle);
  }

  // Mixes the streams before and behind the block (Baykal et al., 2023), and adds the block's own embedding.
  Node with_extras(const std::string& name, Node from) {
    const Extras& extras = of_.extras;
    if (extras.width == 0) return from;
    const Node streams = layers_.other(name + ".predict", {from}, {extras.streams * of_.hidden, tokens_});
    const Node node = layers_.other(name + ".correct", {streams, from}, {of_.hidden, tokens_});
    const Node own = layers_.activation(layers_.linear(name + ".own_gate", node, extras.width, false));
    return layers_.add(layers_.layer_norm(layers_.linear(name + ".own", own, of_.hidden, false)), node);
  }

  // Layers of which there are `count` in all, divided evenly: those of block `i`.
  [[nodiscard]] int share(int count, int i) const {
    return (i + 1) * count / of_.layers - i * count / of_.layers;
  }

  Node block(const std::string& name, Node from, int i) {
    Node middle = from;
    for (int k = 0; k < share(of_.mamba.layers, i); ++k)
      middle =
          layers_.add(state_space(name + ".state" + std::to_string(k), layers_.layer_norm(middle)), middle);
    if (share(of_.attention_layers(), i) > 0) middle = attention(name, middle, i);
    if (of_.cross > 0) middle = cross(name, middle);
    Node fed = feed_forward(name, layers_.layer_norm(middle));
    if (of_.norms > 2) fed = layers_.layer_norm(fed);
    return with_extras(name, layers_.add(fed, middle));
  }

  const Architecture& of_;
  int tokens_, positions_, scored_;
  Operators operators_;
  int queries_, keys_;  // channels
  LayerBuilder layers_{dnn::Activation::silu};
};

// Sets what attention to keys and values in the cache costs.
void read_cache(const Architecture& of, const Step& step, const Computation& by, dnn::FusedLayer& layer) {
  if (step.context == 0) return;
  layer.cache_bits = 16;
  if (step.tokens > 1) return;
  layer.cache_cycles = by.cycles.cache;
  if (step.sequences == 1) return;
  layer.block_cycles = by.cycles.attention;
  layer.heads = of.heads;
}

// Two convolutions of Whisper, over windows of three frames of 80 bands, then of two frames each.
Node sound(LayerBuilder& layers, const VisionTower& tower) {
  const Node frames =
      layers.activation(layers.linear("sound0", layers.input({3 * 80, 2 * tower.patches}), tower.hidden));
  const Node windows = layers.other("windows", {frames}, {3 * tower.hidden, tower.patches});
  return layers.activation(layers.linear("sound1", windows, tower.hidden));
}

}  // namespace

dnn::Network network_of(const Architecture& of, const Step& step, Operators operators) {
  if (step.tokens < 1 || step.context < 0 || step.context > longest - step.tokens)
    throw std::invalid_argument("a step of " + std::to_string(step.tokens) + " tokens behind " +
                                std::to_string(step.context));
  return Decoder(of, step, operators).take();
}

std::vector<dnn::FusedLayer> layers_of(const Architecture& of, const Step& step, const Computation& by) {
  const bool compiled = by.lowering == dnn::Lowering::optimised;
  std::vector<dnn::FusedLayer> layers =
      dnn::fuse(network_of(of, step, compiled ? Operators::joined : Operators::apart), by.lowering);
  for (dnn::FusedLayer& layer : layers) {
    if (layer.op == dnn::Op::matmul) read_cache(of, step, by, layer);
    if (layer.op != dnn::Op::linear) continue;
    const std::int64_t columns = layer.in.channels / layer.groups;
    layer.weight_bits = bits_of(by.weights, layer.name == head_name, columns);
    const bool expert = layer.name.find(expert_name) != std::string::npos;
    if (keeps_others(of, by.weights) && !expert)
      layer.weight_bits = bits_of(WeightFormat::fp16, false, columns);
    if (layer.name != head_name) layer.precision = traits_of(by.weights).products;
    const RowCost cost = row_cost(by.weights, layer.name == head_name, columns);
    if (layer.weight_bits < 16)
      layer.unpack_cycles = cost.unpacking * by.cycles.unpack[static_cast<std::size_t>(cost.unpacked_as)];
    layer.row_cycles = cost.begun * by.cycles.row;
    if (expert)
      layer.experts =
          experts_read(of.experts, static_cast<double>(step.sequences) * static_cast<double>(step.tokens));
  }
  return layers;
}

std::vector<dnn::FusedLayer> vision_layers(const Architecture& of, dnn::Lowering lowering) {
  const VisionTower& tower = of.vision;
  if (tower.layers == 0) return {};
  LayerBuilder layers(dnn::Activation::gelu);
  Node node = of.cross > 0 ? sound(layers, tower) : layers.input({tower.hidden, tower.patches});
  for (int i = 0; i < tower.layers; ++i) {
    const std::string name = "vision" + std::to_string(i);
    const Node all = layers.linear(name + ".qkv", layers.layer_norm(node), 3 * tower.hidden);
    const Node mixed = dnn::attend(layers, name,
                                   {.query = layers.channels(name + ".query", all, tower.hidden),
                                    .key = layers.channels(name + ".key", all, tower.hidden),
                                    .value = layers.channels(name + ".value", all, tower.hidden),
                                    .heads = tower.heads});
    const Node seen = layers.add(layers.linear(name + ".attention", mixed, tower.hidden), node);
    const Node wide =
        layers.linear(name + ".wide", layers.layer_norm(seen), (tower.gated ? 2 : 1) * tower.ffn);
    const Node inside = tower.gated ? layers.other(name + ".gated", {wide}, {tower.ffn, tower.patches})
                                    : layers.activation(wide);
    node = layers.add(layers.linear(name + ".narrow", inside, tower.hidden), seen);
  }
  for (int i = 0; i < (of.cross > 0 ? of.layers : 0); ++i)
    (void)layers.linear("cross" + std::to_string(i), node, 2 * of.hidden);
  return dnn::fuse(layers.take(), lowering);
}

}  // namespace jostle::llm
