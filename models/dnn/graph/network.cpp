#include "models/dnn/graph/network.hpp"

#include <array>
#include <stdexcept>

namespace jostle::dnn {

const char* to_string(Op op) {
  constexpr std::array names{"input",     "conv",       "conv_transpose", "linear",       "matmul",
                             "embedding", "batch_norm", "layer_norm",     "softmax",      "activation",
                             "add",       "multiply",   "max_pool",       "average_pool", "resize",
                             "concat",    "slice",      "reshape",        "transpose",    "other"};
  static_assert(names.size() == static_cast<std::size_t>(Op::other) + 1);
  return names.at(static_cast<std::size_t>(op));
}

const char* to_string(Activation activation) {
  constexpr std::array names{"none",    "relu", "relu6",      "leaky_relu",   "silu", "gelu",
                             "sigmoid", "tanh", "hard_swish", "hard_sigmoid", "other"};
  static_assert(names.size() == static_cast<std::size_t>(Activation::other) + 1);
  return names.at(static_cast<std::size_t>(activation));
}

std::int64_t Layer::macs() const {
  switch (op) {
    case Op::conv:
    case Op::linear:
      return out.positions() * weights();
    case Op::conv_transpose:
      return in.positions() * weights();
    case Op::matmul:
      return out.elements() * depth;
    default:
      return 0;
  }
}

std::int64_t Layer::weights() const {
  switch (op) {
    case Op::conv:
    case Op::conv_transpose:
      return std::int64_t{out.channels} * (in.channels / groups) * window_area();
    case Op::linear:
      return std::int64_t{out.channels} * (in.channels / groups);
    case Op::embedding:
      return out.elements();
    case Op::batch_norm:
    case Op::layer_norm:
      return 2 * std::int64_t{out.channels};
    default:
      return stored;
  }
}

std::int64_t Layer::parameters() const {
  if (shared) return 0;
  if (op == Op::embedding) return std::int64_t{depth} * out.channels;
  return weights() + (bias ? out.channels : 0);
}

Network::Node Network::add(const Layer& layer, std::span<const Node> inputs) {
  if (!inputs.empty()) {
    const Layer& first = this->layer(inputs.front());
    if (first.out != layer.in)
      throw std::invalid_argument("layer '" + layer.name + "' does not match the shape of its input '" +
                                  first.name + "'");
  }
  const Node node = vertices_.size();
  for (const Node input : inputs) vertices_.at(input).consumers.push_back(node);
  vertices_.push_back({layer, {inputs.begin(), inputs.end()}, {}});
  return node;
}

std::int64_t Network::macs() const {
  std::int64_t sum = 0;
  for (Node node = 0; node < size(); ++node) sum += layer(node).macs();
  return sum;
}

std::int64_t Network::parameters() const {
  std::int64_t sum = 0;
  for (Node node = 0; node < size(); ++node) sum += layer(node).parameters();
  return sum;
}

}  // namespace jostle::dnn
