#include "models/dnn/network.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::dnn {

const char* to_string(Op op) {
  switch (op) {
    case Op::input:
      return "input";
    case Op::conv:
      return "conv";
    case Op::linear:
      return "linear";
    case Op::batch_norm:
      return "batch_norm";
    case Op::activation:
      return "activation";
    case Op::add:
      return "add";
    case Op::max_pool:
      return "max_pool";
    case Op::average_pool:
      return "average_pool";
    case Op::resize:
      return "resize";
  }
  return "?";
}

std::int64_t Layer::macs() const {
  if (op == Op::conv || op == Op::linear) return out.positions() * weights();
  return 0;
}

std::int64_t Layer::weights() const {
  if (op == Op::conv) return std::int64_t{out.channels} * (in.channels / groups) * window * window;
  if (op == Op::linear) return std::int64_t{out.channels} * in.channels;
  return op == Op::batch_norm ? 2 * std::int64_t{out.channels} : 0;
}

std::int64_t Layer::parameters() const {
  return weights() + (bias ? out.channels : 0);
}

Network::Node Network::add(const Layer& layer, std::span<const Node> inputs) {
  if (!inputs.empty() && graph_[inputs.front()].out != layer.in) {
    throw std::invalid_argument("layer '" + layer.name + "' does not fit its input '" +
                                graph_[inputs.front()].name + "'");
  }
  const Node node = boost::add_vertex(layer, graph_);
  for (const Node input : inputs) boost::add_edge(input, node, graph_);
  return node;
}

std::vector<Network::Node> Network::inputs(Node node) const {
  std::vector<Node> found;
  for (const auto& edge : boost::make_iterator_range(boost::in_edges(node, graph_))) {
    found.push_back(boost::source(edge, graph_));
  }
  return found;
}

std::vector<Network::Node> Network::consumers(Node node) const {
  std::vector<Node> found;
  for (const auto& edge : boost::make_iterator_range(boost::out_edges(node, graph_))) {
    found.push_back(boost::target(edge, graph_));
  }
  std::ranges::sort(found);
  return found;
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
