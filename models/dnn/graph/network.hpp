// A network: a directed acyclic graph of layers with shapes, independent of how it will be run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/graph/layer.hpp"

namespace jostle::dnn {

// Layers are numbered in the order in which they were added. This is a topological order, since a layer's
// inputs must exist. boost_graph() (boost_graph.hpp) gives it to algorithms of Boost.Graph.
class Network {
 public:
  using Node = std::size_t;

  // Throws std::invalid_argument if the layer's `in` differs from the shape of its first input.
  Node add(const Layer& layer, std::span<const Node> inputs);

  [[nodiscard]] std::size_t size() const { return vertices_.size(); }
  [[nodiscard]] const Layer& layer(Node node) const { return vertices_[node].layer; }
  // In the order given to add(); and those that read the layer, ascending. Valid until the next add().
  [[nodiscard]] const std::vector<Node>& inputs(Node node) const { return vertices_[node].inputs; }
  [[nodiscard]] const std::vector<Node>& consumers(Node node) const { return vertices_[node].consumers; }

  [[nodiscard]] std::int64_t macs() const;  // multiply-accumulates for one image
  [[nodiscard]] std::int64_t parameters() const;

 private:
  struct Vertex {
    Layer layer;
    std::vector<Node> inputs, consumers;
  };
  std::vector<Vertex> vertices_;
};

}  // namespace jostle::dnn
