// Recognises groups of nodes that exporters write for a single layer: SiLU, GELU, layer norm, the bias of a
// linear layer.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "profiles/onnx/layout.hpp"
#include "profiles/onnx/operators.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

// Finds and replaces patterns in the graph. A group of nodes is replaced only if no other node reads its
// intermediate results.
class Matcher {
 public:
  explicit Matcher(Graph& graph)
      : graph_(graph), maker_(graph.values.size(), none), readers_(graph.values.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ValueId id : graph.nodes[i].outputs) {
        if (id != none) maker_[id] = i;
      }
      for (const ValueId id : graph.nodes[i].inputs) {
        if (id != none) readers_[id].push_back(i);
      }
    }
    for (const ValueId id : graph.outputs) readers_[id].push_back(none);
  }

  void run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string type = graph_.nodes[i].type;
      if (type == "Mul") match_silu(i);
      if (type == "Erf") match_gelu(i);
      if (type == "Sqrt") match_layer_norm(i);
      if (type == "Add") match_bias(i);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) note_host(i);
    std::erase_if(graph_.nodes, [](const Node& node) { return node.type.empty(); });
  }

 private:
  using Index = std::size_t;  // index of a node; `none` if no node was found
  using Types = std::initializer_list<std::string_view>;

  [[nodiscard]] Node& node(Index index) { return graph_.nodes[index]; }
  [[nodiscard]] ValueId output(Index index) { return index == none ? none : node(index).outputs.front(); }
  [[nodiscard]] ValueId input(Index index, std::size_t position) {
    return index == none ? none : node(index).input(position);
  }
  [[nodiscard]] bool is(Index index, Types types) {
    return index != none && std::ranges::find(types, node(index).type) != types.end();
  }

  // The node that makes a value, if it has one of these types.
  [[nodiscard]] Index maker(ValueId id, Types types) {
    return id != none && is(maker_[id], types) ? maker_[id] : none;
  }
  // The only node that reads the result of another, if it has one of these types.
  [[nodiscard]] Index next(Index index, Types types) {
    if (index == none) return none;
    const std::vector<Index>& all = readers_[output(index)];
    const bool only = !all.empty() && std::ranges::count(all, all.front()) == std::ssize(all);
    return only && is(all.front(), types) ? all.front() : none;
  }
  // The other one of two operands.
  [[nodiscard]] ValueId other(Index index, ValueId one) {
    if (index == none || one == none || node(index).inputs.size() != 2) return none;
    if (input(index, 0) == one) return input(index, 1);
    return input(index, 1) == one ? input(index, 0) : none;
  }
  [[nodiscard]] bool stored(ValueId id) const { return id != none && graph_.values[id].constant; }
  [[nodiscard]] bool single(ValueId id) const { return stored(id) && graph_.values[id].elements() == 1; }
  // The other operand of a node with two operands, one of which is a scalar.
  [[nodiscard]] ValueId scaled(Index index) {
    if (index == none || node(index).inputs.size() != 2) return none;
    if (single(input(index, 1))) return input(index, 0);
    return single(input(index, 0)) ? input(index, 1) : none;
  }

  void replace(Index last, std::string type, std::vector<ValueId> inputs,
               std::initializer_list<Index> others) {
    node(last).type = std::move(type);
    node(last).inputs = std::move(inputs);
    node(last).attributes.clear();
    for (const Index gone : others) node(gone).type.clear();
  }

  // Matches x sigmoid(x), and the same with a hard sigmoid.
  void match_silu(Index product) {
    for (const ValueId opened : std::array{input(product, 0), input(product, 1)}) {
      const Index gate = maker(opened, {"Sigmoid", "HardSigmoid"});
      const ValueId x = other(product, opened);
      if (gate == none || x == none || input(gate, 0) != x || next(gate, {"Mul"}) != product) continue;
      replace(product, node(gate).type == "Sigmoid" ? "Silu" : "HardSwish", {x}, {gate});
      return;
    }
  }

  // Matches x / sqrt(2) -> Erf -> + 1 -> times x and 0.5, in either order.
  void match_gelu(Index erf) {
    const Index scale = maker(input(erf, 0), {"Div", "Mul"});
    const Index plus = next(erf, {"Add"});
    const Index product = next(plus, {"Mul"});
    const ValueId x = scaled(scale);
    if (x == none || scaled(plus) == none || product == none || next(scale, {"Erf"}) != erf) return;
    const ValueId factor = other(product, output(plus));
    if (factor == x) {
      const Index half = next(product, {"Mul"});
      if (scaled(half) == output(product)) replace(half, "Gelu", {x}, {erf, scale, plus, product});
      return;
    }
    const Index half = maker(factor, {"Mul"});
    if (scaled(half) == x && next(half, {"Mul"}) == product)
      replace(product, "Gelu", {x}, {erf, scale, plus, half});
  }

  // Matches mean -> d = x - mean -> mean of d^2 -> + epsilon -> Sqrt -> d / root -> times scale -> plus
  // shift.
  void match_layer_norm(Index root) {
    const Index epsilon = maker(input(root, 0), {"Add"});
    const Index variance = maker(scaled(epsilon), {"ReduceMean"});
    const Index square = maker(input(variance, 0), {"Pow", "Mul"});
    const Index difference = maker(input(square, 0), {"Sub"});
    const Index mean = maker(input(difference, 1), {"ReduceMean"});
    const Index quotient = next(root, {"Div"});
    const Index above = maker(input(quotient, 0), {"Sub"});
    const ValueId x = input(mean, 0);
    if (x == none || above == none || input(difference, 0) != x) return;
    if (node(above).inputs != node(difference).inputs) return;
    if (!single(input(square, 1)) && input(square, 1) != output(difference)) return;
    const Index scale = next(quotient, {"Mul"}), shift = next(scale, {"Add"});
    const ValueId gamma = other(scale, output(quotient)), beta = other(shift, output(scale));
    if (!stored(gamma) || !stored(beta)) return;
    const auto axes = node(mean).integers("axes");
    const bool channels_first = axes == std::vector<std::int64_t>{1} && graph_.values[x].dims.size() == 4;
    replace(shift, channels_first ? "GroupNormalization" : "LayerNormalization", {x, gamma, beta},
            {root, epsilon, variance, square, difference, above, mean, quotient, scale});
  }

  // Matches a stored number for each channel that is added to the result of a linear layer or a convolution.
  void match_bias(Index sum) {
    for (const ValueId made : std::array{input(sum, 0), input(sum, 1)}) {
      const ValueId bias = other(sum, made);
      if (made == none || !stored(bias) || maker_[made] == none) continue;
      const Index index = maker_[made];
      Node& before = node(index);
      if (before.type != "Conv" && before.type != "MatMul" && before.type != "Gemm") continue;
      const bool linear = before.type != "Conv" && is_linear(graph_, before);
      if ((before.type != "Conv" && !linear) || before.input(2) != none || next(index, {"Add"}) != sum)
        continue;
      const Dims& out = graph_.values[made].dims;
      const Value& added = graph_.values[bias];
      if (out.size() < 2 || added.dims.empty()) continue;
      const bool fits = linear ? added.elements() == out.back() && added.dims.back() == out.back()
                               : added.elements() == out[1] && added.dims.size() + 1 >= out.size() &&
                                     added.dims.back() == 1;
      if (!fits) continue;
      before.inputs.resize(3, none);
      before.inputs[2] = bias;
      before.outputs.front() = output(sum);
      maker_[output(sum)] = index;
      node(sum).type.clear();
      return;
    }
  }

  // The operators that PyTorch's host is asked for, where they differ from a node.
  void note_host(Index index) {
    const std::string& type = node(index).type;
    if (type == "Softmax") note_attention(index);
    if (type == "Add") note_addcmul(index);
    // Parts that are squeezed are those of one call, unbind.
    if (type == "Squeeze" && maker(input(index, 0), {"Split"}) != none) node(index).inside = true;
    if (type == "Gelu" && is_within_positions(maker(input(index, 0), {"Conv", "MatMul", "Gemm"})))
      node(index).views = dropouts_of_feed_forward;
    const bool last = std::ranges::find(graph_.outputs, output(index)) != graph_.outputs.end();
    if (last && (type == "Gemm" || (type == "MatMul" && is_linear(graph_, node(index)))))
      node(index).views = 1;  // the dropout before a classifier
  }

  // True for a linear layer, or a convolution of single positions.
  [[nodiscard]] bool is_within_positions(Index index) {
    if (index == none || node(index).type != "Conv") return index != none && is_linear(graph_, node(index));
    const Dims& weights = graph_.values[input(index, 1)].dims;
    return weights.size() == 4 && weights[2] == 1 && weights[3] == 1;
  }

  // scaled_dot_product_attention, whose exporter scales q and k each by the root of the scale, is one
  // operator; other attention is its steps. Behind either is a dropout.
  void note_attention(Index softmax) {
    const Index scores = maker(input(softmax, 0), {"MatMul"}), mix = next(softmax, {"MatMul"});
    if (mix == none) return;
    node(mix).views = 1;
    if (scores == none || next(scores, {"Softmax"}) != softmax) return;
    const std::array<Index, 2> scales{maker(input(scores, 0), {"Mul"}), maker(input(scores, 1), {"Mul"})};
    if (scaled(scales[0]) == none || scaled(scales[1]) == none) return;
    for (const Index scale : scales) hide(scale);
    hide(maker(scaled(scales[1]), {"Transpose"}));
    node(scores).attends = node(mix).attends = node(mix).inside = node(softmax).inside = true;
  }

  // Matches a product -> times one -> plus another tensor.
  void note_addcmul(Index sum) {
    for (const ValueId made : std::array{input(sum, 0), input(sum, 1)}) {
      const Index one = maker(made, {"Mul"});
      const ValueId from = scaled(one);
      if (from == none) continue;
      const ValueId number = other(one, from);
      const Index product = maker(from, {"Mul"});
      if (graph_.values[number].numbers != Numbers{1} || product == none || next(product, {"Mul"}) != one)
        continue;
      hide(one);
      hide(product);
      node(sum).views = 2;  // of the learned factor and summand
    }
  }

  void hide(Index index) {
    if (index == none) return;
    node(index).inside = true;
    node(index).copies = 0;
  }

  static constexpr int dropouts_of_feed_forward = 2;

  Graph& graph_;
  std::vector<Index> maker_;                 // by value: the node that makes it
  std::vector<std::vector<Index>> readers_;  // by value: the nodes that read it; `none` stands for the caller
};

}  // namespace

void recognise_patterns(Graph& graph) {
  Matcher(graph).run();
}

}  // namespace jostle::profiles::onnx_reader
