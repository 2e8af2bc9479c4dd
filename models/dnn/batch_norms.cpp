#include "models/dnn/batch_norms.hpp"

#include <vector>

namespace jostle::dnn {
namespace {

bool may_hold_norm(const Layer& layer) {
  return layer.op == Op::conv && layer.bias;
}

bool holds_named_norm(const Layer& layer) {
  return may_hold_norm(layer) && layer.folded_norm;
}

}  // namespace

bool has_named_norms(const Network& network) {
  for (Network::Node node = 0; node < network.size(); ++node)
    if (holds_named_norm(network.layer(node))) return true;
  return false;
}

bool may_have_folded_norms(const Network& network) {
  bool folded = false;
  for (Network::Node node = 0; node < network.size(); ++node) {
    if (network.layer(node).op == Op::batch_norm) return false;
    folded |= may_hold_norm(network.layer(node));
  }
  return folded;
}

Network with_batch_norms(const Network& network) {
  const auto holds_norm = has_named_norms(network) ? holds_named_norm : may_hold_norm;
  Network found;
  std::vector<Network::Node> now;  // for each layer: the layer that gives its result
  for (Network::Node node = 0; node < network.size(); ++node) {
    Layer layer = network.layer(node);
    std::vector<Network::Node> inputs = network.inputs(node);
    for (Network::Node& input : inputs) input = now[input];
    const bool norm = holds_norm(layer);
    layer.bias = layer.bias && !norm;
    now.push_back(found.add(layer, inputs));
    if (!norm) continue;
    Layer own;
    own.name = layer.name + ".norm";
    own.op = Op::batch_norm;
    own.in = own.out = layer.out;
    now.back() = found.add(own, std::vector{now.back()});
  }
  return found;
}

}  // namespace jostle::dnn
