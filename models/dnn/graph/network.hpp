// A network: a directed acyclic graph of layers with shapes, independent of how it will be run.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/graph/layer.hpp"

namespace jostle::dnn {

// Layers are numbered in the order in which they were added. This is a topological order, since a layer's
// inputs must exist.
class Network {
 public:
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Layer>;
  using Node = Graph::vertex_descriptor;

  // Throws std::invalid_argument if the layer's `in` differs from the shape of its first input.
  Node add(const Layer& layer, std::span<const Node> inputs);

  [[nodiscard]] std::size_t size() const { return boost::num_vertices(graph_); }
  [[nodiscard]] const Layer& layer(Node node) const { return graph_[node]; }
  [[nodiscard]] std::vector<Node> inputs(Node node) const;     // same order as given to add()
  [[nodiscard]] std::vector<Node> consumers(Node node) const;  // ascending
  [[nodiscard]] const Graph& graph() const { return graph_; }

  [[nodiscard]] std::int64_t macs() const;  // number for one image
  [[nodiscard]] std::int64_t parameters() const;

 private:
  Graph graph_;
};

}  // namespace jostle::dnn
