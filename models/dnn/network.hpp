// A network: a directed acyclic graph of layers with shapes, before anyone decides how to run it.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace jostle::dnn {

// A tensor of one image (or of one sequence: tokens are the height), without the batch.
struct Shape {
  int channels = 0, height = 1, width = 1;
  [[nodiscard]] std::int64_t positions() const { return std::int64_t{height} * width; }
  [[nodiscard]] std::int64_t elements() const { return channels * positions(); }
  bool operator==(const Shape&) const = default;
};

enum class Op {
  input,
  conv,    // groups == channels: depthwise
  linear,  // at every position
  batch_norm,
  activation,  // relu, relu6 and the like
  add,
  max_pool,
  average_pool,  // global
  resize,        // bilinear
};
[[nodiscard]] const char* to_string(Op op);

struct Layer {
  std::string name;
  Op op = Op::input;
  Shape in;  // of the first input
  Shape out;
  int window = 1;  // side of a convolution's or pool's window
  int groups = 1;
  bool bias = false;

  [[nodiscard]] bool depthwise() const { return op == Op::conv && groups > 1 && groups == in.channels; }
  // Of one image. A multiply and an add are one MAC.
  [[nodiscard]] std::int64_t macs() const;
  [[nodiscard]] std::int64_t weights() const;     // elements a kernel reads besides its inputs
  [[nodiscard]] std::int64_t parameters() const;  // what is published: weights, biases, scales and shifts
};

// Layers are numbered in the order they were added, which is topological: a layer's inputs must exist.
class Network {
 public:
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Layer>;
  using Node = Graph::vertex_descriptor;

  // Throws std::invalid_argument if the layer's `in` is not the shape its first input has.
  Node add(const Layer& layer, std::span<const Node> inputs);

  [[nodiscard]] std::size_t size() const { return boost::num_vertices(graph_); }
  [[nodiscard]] const Layer& layer(Node node) const { return graph_[node]; }
  [[nodiscard]] std::vector<Node> inputs(Node node) const;     // in the order given to add()
  [[nodiscard]] std::vector<Node> consumers(Node node) const;  // ascending
  [[nodiscard]] const Graph& graph() const { return graph_; }

  [[nodiscard]] std::int64_t macs() const;  // of one image
  [[nodiscard]] std::int64_t parameters() const;

 private:
  Graph graph_;
};

}  // namespace jostle::dnn
