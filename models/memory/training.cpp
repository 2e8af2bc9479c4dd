#include "models/memory/training.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::memory {
namespace {

using dnn::Activation;
using dnn::Layer;
using dnn::Network;
using dnn::Op;
using Node = Network::Node;

constexpr double index_bytes = 8;
constexpr std::int64_t passing = 2;  // the gradient being read and the one being written

bool keeps_result(const Layer& layer) {
  if (layer.op == Op::softmax) return true;
  if (layer.op != Op::activation) return false;
  return layer.activation != Activation::silu && layer.activation != Activation::gelu &&
         layer.activation != Activation::hard_swish && layer.activation != Activation::other;
}

bool keeps_inputs(const Layer& layer) {
  switch (layer.op) {
    case Op::conv:
    case Op::conv_transpose:
    case Op::linear:
    case Op::matmul:
    case Op::embedding:
    case Op::batch_norm:
    case Op::layer_norm:
    case Op::multiply:
    case Op::max_pool:
    case Op::average_pool:
    case Op::other:
      return true;
    case Op::activation:
      return !keeps_result(layer);
    default:
      return false;
  }
}

}  // namespace

double training_parameter_bytes(dnn::Precision precision) {
  constexpr double states = 3 * 4;
  return precision == dnn::Precision::fp16 ? states + 2 : states;
}

double training_activation_bytes(const Network& network, double element_bytes) {
  std::vector<Node> whole(network.size());  // the node that a view refers to, or the node itself
  std::vector<bool> kept(network.size());
  std::int64_t largest = 0;
  double bytes = 0;
  for (Node node = 0; node < network.size(); ++node) {
    const Layer& layer = network.layer(node);
    const std::vector<Node>& inputs = network.inputs(node);
    whole[node] = is_view(layer.op) && !inputs.empty() ? whole[inputs.front()] : node;
    if (keeps_inputs(layer)) {
      for (const Node input : inputs) kept[whole[input]] = true;
    }
    if (keeps_result(layer)) kept[node] = true;
    if (layer.op == Op::max_pool) bytes += index_bytes * static_cast<double>(layer.out.elements());
    largest = std::max(largest, layer.out.elements());
  }
  std::int64_t elements = passing * largest;
  for (Node node = 0; node < network.size(); ++node) {
    if (kept[node]) elements += network.layer(node).out.elements();
  }
  return bytes + element_bytes * static_cast<double>(elements);
}

}  // namespace jostle::memory
