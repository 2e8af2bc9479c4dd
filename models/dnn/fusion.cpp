#include "models/dnn/fusion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {
FusedLayer alone(const Layer& layer) {
  FusedLayer fused{.name = layer.name,
                   .op = layer.op,
                   .depthwise = layer.depthwise(),
                   .volume = layer.volume,
                   .window_area = layer.window_area(),
                   .stride = layer.stride,
                   .dilation = layer.dilation,
                   .groups = layer.groups,
                   .depth = layer.depth,
                   .in = layer.in,
                   .out = layer.out,
                   .weights = layer.weights(),
                   .parameters = layer.parameters(),
                   .macs = layer.macs(),
                   .activation = layer.activation,
                   .inputs = {},
                   .precision = layer.eight_bit ? std::optional(Precision::int8) : std::nullopt};
  return fused;
}

namespace {

using Node = Network::Node;

bool is_product(Op op) {
  return op == Op::conv || op == Op::conv_transpose || op == Op::linear || op == Op::matmul;
}
bool is_pointwise(Op op) {
  return op == Op::activation || op == Op::add || op == Op::multiply || op == Op::batch_norm;
}
bool is_normalisation(Op op) {
  return op == Op::layer_norm || op == Op::softmax;
}
bool takes_two(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::matmul;
}
// Part of the epilogue of a convolution: it needs only comparisons.
bool is_rectifier(Activation activation) {
  return activation == Activation::relu || activation == Activation::relu6 ||
         activation == Activation::leaky_relu;
}
bool is_relu(const Layer& layer) {
  return layer.op == Op::activation && layer.activation == Activation::relu;
}
bool is_convolution(Op op) {
  return op == Op::conv || op == Op::conv_transpose;
}

class Folder {
 public:
  Folder(const Network& network, Lowering lowering)
      : network_(network), lowering_(lowering), owner_(network.size()) {}

  std::vector<FusedLayer> run() {
    for (Node node = 0; node < network_.size(); ++node) {
      if (owner_[node]) continue;
      if (lowering_ == Lowering::optimised && network_.layer(node).op == Op::concat) copy_operands(node);
      if (only_renames(node)) continue;
      owner_[node] = fused_layers_.size();
      fused_layers_.push_back(alone(network_.layer(node)));
      note_operands(node, true);
      if (lowering_ == Lowering::framework) continue;
      const Node last = fold_from(node);
      if (lowering_ == Lowering::graph && adds_bias_apart(node)) add_bias(last);
    }
    std::vector<bool> read(fused_layers_.size());
    for (FusedLayer& fused : fused_layers_) {
      std::ranges::sort(fused.inputs);
      const auto repeated = std::ranges::unique(fused.inputs);
      fused.inputs.erase(repeated.begin(), repeated.end());
      for (const std::size_t input : fused.inputs) read[input] = true;
    }
    for (std::size_t i = 0; i < fused_layers_.size(); ++i) fused_layers_[i].last = !read[i];
    return std::move(fused_layers_);
  }

 private:
  // True for layers without a kernel: their result is another view of bytes that other layers write.
  [[nodiscard]] bool only_renames(Node node) const {
    switch (network_.layer(node).op) {
      case Op::input:
      case Op::reshape:
        return true;
      case Op::slice:
        return lowering_ == Lowering::framework ||
               (lowering_ == Lowering::optimised && !feeds_a_concat(node));
      case Op::concat:
        return lowering_ == Lowering::optimised;
      case Op::transpose:
        return lowering_ == Lowering::optimised && beside_a_matmul(node);
      default:
        return false;
    }
  }

  // A tensor that is part of another one cannot be written in place as part of a second one: it is copied.
  [[nodiscard]] bool feeds_a_concat(Node node) const {
    return std::ranges::any_of(network_.consumers(node),
                               [this](Node next) { return network_.layer(next).op == Op::concat; });
  }

  [[nodiscard]] bool beside_a_matmul(Node node) const {
    const auto near = [this](Node other) {
      const Op op = network_.layer(other).op;
      return op == Op::matmul || op == Op::reshape;
    };
    return std::ranges::any_of(network_.inputs(node), near) ||
           std::ranges::any_of(network_.consumers(node), near);
  }

  // TensorRT writes the operands of a concatenation in place only if the layer's kernel can write with a
  // stride, as convolutions do. Other operands (from SiLU, sums, pooling, slices) are copied, one by one.
  // A tensor in several concatenations is written into the last of them and copied to the others. This is the
  // case in densenet, where a layer reads all earlier ones. Without these copies it was 2 to 5 times too fast
  // on AGX Xavier (torch2trt), with them 1.7 to 1.8 times.
  // With these copies yolov8n's calls to enqueue, memory traffic and time are within 2, 11 and 8 % of the
  // measurements (evidence/boards/solo.csv); without them all three are 18 to 28 % too low.
  void copy_operands(Node concat) {
    for (const Node operand : network_.inputs(concat)) {
      if (!owner_[operand]) continue;  // it is a view
      const bool by_product = is_product(fused_layers_[*owner_[operand]].op);
      if (by_product && held_last_by(operand, concat)) {
        copies_[concat].push_back(*owner_[operand]);
        continue;
      }
      FusedLayer fused = alone(network_.layer(concat));
      fused.name += " copy";
      fused.in = fused.out = network_.layer(operand).out;
      fused.inputs = {*owner_[operand]};
      fused.shared_copy = by_product;
      copies_[concat].push_back(fused_layers_.size());
      fused_layers_.push_back(std::move(fused));
    }
  }

  [[nodiscard]] bool held_last_by(Node operand, Node concat) const {
    return std::ranges::none_of(network_.consumers(operand), [&](Node next) {
      return next > concat && network_.layer(next).op == Op::concat;
    });
  }

  // Adds the fused layers that write what `node` reads, followed through layers that only rename.
  void add_writers(Node node, std::vector<std::size_t>& writers) const {
    if (owner_[node]) {
      writers.push_back(*owner_[node]);
    } else if (const auto copied = copies_.find(node); copied != copies_.end()) {
      writers.insert(writers.end(), copied->second.begin(), copied->second.end());
      for (const Node input : network_.inputs(node))
        if (!owner_[input]) add_writers(input, writers);
    } else if (only_renames(node)) {
      for (const Node input : network_.inputs(node)) add_writers(input, writers);
    }
  }

  // True if the node is the network's input, or a view of part of it.
  [[nodiscard]] bool views_input(Node node) const {
    if (owner_[node]) return false;
    if (network_.layer(node).op == Op::input) return true;
    return std::ranges::any_of(network_.inputs(node), [this](Node from) { return views_input(from); });
  }

  // Records the tensors that the newest fused layer reads because of `node`; an operand that it already holds
  // costs nothing, nor does one that an elementwise kernel has read.
  void note_operands(Node node, bool first) {
    FusedLayer& fused = fused_layers_.back();
    const std::size_t self = fused_layers_.size() - 1;
    if (first) read_.clear();
    bool main = first;
    for (const Node operand : network_.inputs(node)) {
      const bool again = !read_.insert(operand).second && is_pointwise(fused.op);
      std::vector<std::size_t> writers;
      add_writers(operand, writers);
      const bool held = std::ranges::find(writers, self) != writers.end();
      if (!held) fused.inputs.insert(fused.inputs.end(), writers.begin(), writers.end());
      fused.reads_input = fused.reads_input || views_input(operand);
      const bool counted = std::exchange(main, false);  // its elements are counted in `in`
      const Op op = network_.layer(node).op;
      if (!held && !counted && !again &&
          (takes_two(op) || (op == Op::concat && lowering_ == Lowering::cores)))
        fused.other_elements += network_.layer(operand).out.elements();
    }
  }

  // Returns the last node in the newest fused layer.
  Node fold_from(Node node) {
    Node last = node;
    for (auto next = foldable_after(node); next; next = foldable_after(*next)) {
      last = *next;
      const Layer& layer = network_.layer(*next);
      owner_[*next] = fused_layers_.size() - 1;
      note_operands(*next, false);
      FusedLayer& fused = fused_layers_.back();
      fused.out = layer.out;
      fused.macs += layer.macs();
      if (layer.activation != Activation::none) fused.activation = layer.activation;
      if (is_normalisation(layer.op) && is_pointwise(fused.op)) fused.op = layer.op;
      ++fused.folded;
    }
    return last;
  }

  // For Lowering::graph. cuDNN's kernel with an epilogue (bias, then a branch, then ReLU) is called only if
  // ReLU ends it. Otherwise a kernel of its own adds the bias, into which batch norm has turned
  // (onnxruntime/core/providers/cuda/nn/conv.cc: cudnnAddTensor).
  [[nodiscard]] bool adds_bias_apart(Node node) const {
    const FusedLayer& fused = fused_layers_.back();
    return is_convolution(fused.op) && fused.activation == Activation::none &&
           (network_.layer(node).bias || fused.folded > 0);
  }
  void add_bias(Node last) {
    FusedLayer bias = alone(network_.layer(last));
    bias.name = fused_layers_.back().name + " bias";
    bias.op = Op::add;
    bias.depthwise = false;
    bias.macs = bias.weights = bias.parameters = 0;
    bias.in = bias.out = fused_layers_.back().out;
    bias.inputs = {fused_layers_.size() - 1};
    owner_[last] = fused_layers_.size();
    fused_layers_.push_back(std::move(bias));
  }

  // The only reader of a layer, if it can be computed while that layer's result is still on the chip.
  [[nodiscard]] std::optional<Node> foldable_after(Node node) const {
    const std::vector<Node> consumers = network_.consumers(node);
    if (consumers.size() != 1) return std::nullopt;
    const Node next = consumers.front();
    const FusedLayer& fused = fused_layers_.back();
    const Layer& layer = network_.layer(next);
    if (!operands_are_done(next)) return beside(fused, next);
    const bool fits = lowering_ == Lowering::graph   ? kernel_takes(fused, next)
                      : lowering_ == Lowering::cores ? core_takes(fused, layer)
                                                     : takes(fused, layer);
    return fits ? std::optional(next) : std::nullopt;
  }

  // TensorRT computes neighbouring elementwise layers in one kernel whatever they read (developer guide,
  // PointWise fusion): the one operand of `next` that is not done yet is computed in the kernel that computes
  // the others.
  [[nodiscard]] std::optional<Node> beside(const FusedLayer& fused, Node next) const {
    if (lowering_ != Lowering::optimised || !is_pointwise(fused.op) || !is_pointwise(network_.layer(next).op))
      return std::nullopt;
    std::optional<Node> open;
    for (const Node operand : network_.inputs(next)) {
      if (is_done(operand)) continue;
      if (open || !is_pointwise(network_.layer(operand).op) || !operands_are_done(operand) ||
          network_.consumers(operand).size() != 1)
        return std::nullopt;
      open = operand;
    }
    return open;
  }

  // True if the loop of a library on cores computes `next` while it stores its result (Lowering::cores).
  [[nodiscard]] static bool core_takes(const FusedLayer& fused, const Layer& next) {
    if (fused.activation != Activation::none) return false;
    if (next.op == Op::batch_norm) return is_convolution(fused.op) || fused.op == Op::linear;
    return next.op == Op::activation && is_rectifier(next.activation) &&
           (is_product(fused.op) || fused.op == Op::add);
  }

  // True if the kernel of a library computes `next` beside its own operator (Lowering::graph).
  [[nodiscard]] bool kernel_takes(const FusedLayer& fused, Node next) const {
    const Layer& layer = network_.layer(next);
    if (layer.op == Op::batch_norm) return is_convolution(fused.op) || fused.op == Op::linear;
    if (!is_convolution(fused.op) || fused.activation != Activation::none) return false;
    return is_relu(layer) || (layer.op == Op::add && only_relu_reads(next));
  }
  [[nodiscard]] bool only_relu_reads(Node node) const {
    const std::vector<Node> consumers = network_.consumers(node);
    return consumers.size() == 1 && is_relu(network_.layer(consumers.front()));
  }

  [[nodiscard]] static bool takes(const FusedLayer& fused, const Layer& next) {
    if (is_pointwise(fused.op)) return is_pointwise(next.op) || is_normalisation(next.op);
    if (!is_product(fused.op)) return false;
    switch (next.op) {
      case Op::batch_norm:
      case Op::add:
        return true;
      case Op::activation:
        return fused.op == Op::linear || fused.op == Op::matmul || is_rectifier(next.activation);
      case Op::multiply:
      case Op::softmax:
      case Op::matmul:
        return fused.op == Op::matmul;
      default:
        return false;
    }
  }

  // True if all operands were computed by this fused layer or earlier ones.
  [[nodiscard]] bool operands_are_done(Node node) const {
    return std::ranges::all_of(network_.inputs(node), [this](Node operand) { return is_done(operand); });
  }
  [[nodiscard]] bool is_done(Node node) const {
    if (owner_[node] || network_.layer(node).op == Op::input) return true;
    return only_renames(node) && operands_are_done(node);
  }

  const Network& network_;
  Lowering lowering_;
  std::vector<std::optional<std::size_t>> owner_;
  // For each concatenation: the fused layers that write its owned operands.
  std::map<Node, std::vector<std::size_t>> copies_;
  std::vector<FusedLayer> fused_layers_;
  std::set<Node> read_;  // by the newest fused layer
};

}  // namespace

std::vector<FusedLayer> fuse(const Network& network, Lowering lowering) {
  return Folder(network, lowering).run();
}

}  // namespace jostle::dnn
