// A network: a directed acyclic graph of layers with shapes, independent of how it will be run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/dnn/graph/layer.hpp"

namespace jostle::dnn {

struct BoostGraph;  // models/dnn/graph/boost_graph.hpp

// Layers are numbered in the order in which they were added. This is a topological order, since a layer's
// inputs must exist. A copy is deep.
class Network {
 public:
  using Node = std::size_t;

  Network();
  Network(const Network& other);
  Network(Network&& other) noexcept;
  Network& operator=(Network other) noexcept;
  ~Network();

  // Throws std::invalid_argument if the layer's `in` differs from the shape of its first input.
  Node add(const Layer& layer, std::span<const Node> inputs);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const Layer& layer(Node node) const;
  [[nodiscard]] std::vector<Node> inputs(Node node) const;     // same order as given to add()
  [[nodiscard]] std::vector<Node> consumers(Node node) const;  // ascending
  [[nodiscard]] const BoostGraph& graph() const { return *graph_; }

  [[nodiscard]] std::int64_t macs() const;  // multiply-accumulates for one image
  [[nodiscard]] std::int64_t parameters() const;

 private:
  std::unique_ptr<BoostGraph> graph_;
};

}  // namespace jostle::dnn
