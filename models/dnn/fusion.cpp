#include "models/dnn/fusion.hpp"

#include <algorithm>
#include <optional>

namespace jostle::dnn {
namespace {

using Node = Network::Node;

FusedLayer alone(const Layer& layer) {
  return {.name = layer.name,
          .op = layer.op,
          .depthwise = layer.depthwise(),
          .window = layer.window,
          .groups = layer.groups,
          .in = layer.in,
          .out = layer.out,
          .weights = layer.weights(),
          .macs = layer.macs(),
          .residual_elements = layer.op == Op::add ? layer.in.elements() : 0};
}

bool takes_others(Op op) {
  return op == Op::conv || op == Op::linear;
}

// Folds forward from one convolution at a time; `owner` says which piece each layer ended in.
class Folder {
 public:
  explicit Folder(const Network& network) : network_(network), owner_(network.size()) {}

  std::vector<FusedLayer> run() {
    for (Node node = 0; node < network_.size(); ++node) {
      if (owner_[node] || network_.layer(node).op == Op::input) continue;
      owner_[node] = pieces_.size();
      pieces_.push_back(alone(network_.layer(node)));
      if (takes_others(network_.layer(node).op)) fold_from(node);
    }
    return std::move(pieces_);
  }

 private:
  void fold_from(Node node) {
    FusedLayer& piece = pieces_.back();
    for (auto next = foldable_after(node); next; next = foldable_after(*next)) {
      const Layer& layer = network_.layer(*next);
      owner_[*next] = pieces_.size() - 1;
      piece.out = layer.out;
      if (layer.op == Op::add) piece.residual_elements += layer.in.elements();
      ++piece.folded;
    }
  }

  // The only reader of a layer, if it can be computed where that layer's result is still in registers.
  [[nodiscard]] std::optional<Node> foldable_after(Node node) const {
    const std::vector<Node> consumers = network_.consumers(node);
    if (consumers.size() != 1) return std::nullopt;
    const Node next = consumers.front();
    const Op op = network_.layer(next).op;
    if (op == Op::batch_norm || op == Op::activation) return next;
    if (op == Op::add && operands_are_done(next)) return next;
    return std::nullopt;
  }

  // All operands were computed by this piece or earlier ones.
  [[nodiscard]] bool operands_are_done(Node sum) const {
    return std::ranges::all_of(network_.inputs(sum), [this](Node operand) {
      return owner_[operand].has_value() || network_.layer(operand).op == Op::input;
    });
  }

  const Network& network_;
  std::vector<std::optional<std::size_t>> owner_;
  std::vector<FusedLayer> pieces_;
};

}  // namespace

std::vector<FusedLayer> fuse(const Network& network, Lowering lowering) {
  if (lowering == Lowering::optimised) return Folder(network).run();
  std::vector<FusedLayer> pieces;
  for (Node node = 0; node < network.size(); ++node) {
    if (network.layer(node).op != Op::input) pieces.push_back(alone(network.layer(node)));
  }
  return pieces;
}

}  // namespace jostle::dnn
