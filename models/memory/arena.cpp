#include "models/memory/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::memory {
namespace {

using dnn::Layer;
using dnn::Network;
using dnn::Op;
using Node = Network::Node;

class Liveness {
 public:
  Liveness(const Network& network, const Storage& storage) : network_(network), storage_(storage) {
    for (Node node = 0; node < network_.size(); ++node) {
      buffers_.push_back({.bytes = own_bytes(node), .first = node, .last = last_reader(node)});
    }
    root_.resize(network_.size());
    std::iota(root_.begin(), root_.end(), Node{0});
    for (Node node = 0; node < network_.size(); ++node) place(node);
  }

  [[nodiscard]] double peak() const {
    std::vector<double> change(network_.size() + 2);
    for (Node node = 0; node < network_.size(); ++node) {
      if (root_[node] != node) continue;
      change[buffers_[node].first] += buffers_[node].bytes;
      change[buffers_[node].last + 1] -= buffers_[node].bytes;
    }
    double alive = 0, most = 0;
    for (const double step : change) most = std::max(most, alive += step);
    return most;
  }

 private:
  struct Buffer {
    double bytes = 0;
    std::size_t first = 0, last = 0;  // range of node indices during which the buffer must exist
    bool joined = false;              // is part of the output of a concatenation
  };

  [[nodiscard]] bool optimised() const { return storage_.lowering == dnn::Lowering::optimised; }

  [[nodiscard]] double tensor_bytes(const Layer& layer) const {
    const std::int64_t channels = layer.out.channels;
    // int8 images have their own layout of four channels (TensorRT's kCHW4).
    const std::int64_t multiple = storage_.channel_multiple > 4 && storage_.element_bytes < 2 && channels <= 4
                                      ? 4
                                      : storage_.channel_multiple;
    const std::int64_t padded = (channels + multiple - 1) / multiple * multiple;
    return storage_.element_bytes * static_cast<double>(padded * layer.out.positions());
  }

  // Size of a layer's output if it is written to a buffer of its own.
  [[nodiscard]] double own_bytes(Node node) const {
    const Layer& layer = network_.layer(node);
    const bool binding = layer.op == Op::input || network_.consumers(node).empty();
    const bool as_bound = storage_.element_bytes == 4 && storage_.channel_multiple == 1;
    return optimised() && binding && as_bound ? 0 : tensor_bytes(layer);
  }

  [[nodiscard]] std::size_t last_reader(Node node) const {
    const std::vector<Node> readers = network_.consumers(node);
    return readers.empty() ? network_.size() : readers.back();
  }

  [[nodiscard]] Node root(Node node) const {
    while (root_[node] != node) node = root_[node];
    return node;
  }

  // Merges the buffers of `from` and `into`.
  void unite(Node from, Node into, double bytes) {
    const Node kept = root(into), gone = root(from);
    Buffer& buffer = buffers_[kept];
    const Buffer& other = buffers_[gone];
    buffer = {.bytes = bytes,
              .first = std::min(buffer.first, other.first),
              .last = std::max(buffer.last, other.last),
              .joined = buffer.joined || other.joined};
    root_[gone] = kept;
  }

  void place(Node node) {
    const Op op = network_.layer(node).op;
    if (op == Op::concat && optimised()) {
      join(node);
    } else if (const auto operand = written_over(node)) {
      const double bytes = std::max(buffers_[root(*operand)].bytes, buffers_[node].bytes);
      unite(node, *operand, bytes);
    }
  }

  // The operand whose buffer a layer's output overwrites.
  [[nodiscard]] std::optional<Node> written_over(Node node) const {
    const Layer& layer = network_.layer(node);
    const std::vector<Node> operands = network_.inputs(node);
    if (operands.empty()) return std::nullopt;
    if (is_view(layer.op)) return operands.front();
    const bool sum = layer.op == Op::add || layer.op == Op::multiply;
    const bool in_place = layer.op == Op::activation || (optimised() && (sum || layer.op == Op::batch_norm));
    if (!in_place) return std::nullopt;
    std::optional<Node> found;
    for (const Node operand : operands) {
      const bool dies = network_.consumers(operand).size() == 1 && network_.layer(operand).op != Op::input;
      if (dies && network_.layer(operand).out == layer.out && (!found || operand > *found)) found = operand;
    }
    return found;
  }

  [[nodiscard]] bool joins_later(Node operand, Node node) const {
    return std::ranges::any_of(network_.consumers(operand), [&](Node reader) {
      return reader > node && network_.layer(reader).op == Op::concat;
    });
  }

  // Operands are written directly to their place in the result of the concatenation. If several
  // concatenations read an operand, it is written into the result of the last one, and copied for the others.
  // Otherwise all results would have to live as long as the operand: in a block of DenseNet, where every
  // layer concatenates, until its end. If an operand's buffer holds more than the operand, the rest is stored
  // separately.
  void join(Node node) {
    double bytes = buffers_[root(node)].bytes;
    for (const Node operand : network_.inputs(node)) {
      const Node from = root(operand);
      if (from == root(node) || buffers_[from].joined || network_.layer(from).op == Op::input) continue;
      if (joins_later(operand, node)) continue;
      double inside = 0;
      for (const Node other : network_.inputs(node)) {
        if (root(other) == from) inside += tensor_bytes(network_.layer(other));
      }
      bytes += std::max(0.0, buffers_[from].bytes - inside);
      unite(operand, node, bytes);
    }
    buffers_[root(node)].joined = true;
  }

  const Network& network_;
  const Storage& storage_;
  std::vector<Buffer> buffers_;  // one per node; valid if the node is its own root
  std::vector<Node> root_;       // the node whose buffer holds this node's output
};

}  // namespace

double peak_activation_bytes(const Network& network, const Storage& storage) {
  return network.size() == 0 ? 0 : Liveness(network, storage).peak();
}

}  // namespace jostle::memory
