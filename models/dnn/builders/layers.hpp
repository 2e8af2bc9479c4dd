// Adds one layer after another to a network and works out the shapes, so that a builder reads like the paper.
#pragma once

#include <string>
#include <string_view>

#include "models/dnn/network.hpp"

namespace jostle::dnn {

// How a convolution or pool slides. `padding` < 0: as much as keeps the size at stride 1.
struct Sliding {
  int window = 1;
  int stride = 1;
  int padding = -1;
  int dilation = 1;
};

class LayerBuilder {
 public:
  using Node = Network::Node;

  [[nodiscard]] Node input(Shape shape);
  [[nodiscard]] Node conv(std::string_view name, Node from, int channels, Sliding sliding, int groups = 1,
                          bool bias = false);
  [[nodiscard]] Node linear(std::string_view name, Node from, int channels);
  [[nodiscard]] Node batch_norm(Node from);
  [[nodiscard]] Node activation(Node from);
  [[nodiscard]] Node add(Node a, Node b);
  [[nodiscard]] Node max_pool(std::string_view name, Node from, Sliding sliding);
  [[nodiscard]] Node average_pool(Node from);
  [[nodiscard]] Node resize(std::string_view name, Node from, int height, int width);

  // What nearly every convolution is followed by.
  [[nodiscard]] Node conv_norm(std::string_view name, Node from, int channels, Sliding sliding,
                               int groups = 1);
  [[nodiscard]] Node conv_norm_activation(std::string_view name, Node from, int channels, Sliding sliding,
                                          int groups = 1);

  [[nodiscard]] const Shape& shape(Node node) const { return network_.layer(node).out; }
  [[nodiscard]] Network take() { return std::move(network_); }

 private:
  Node same_shape(Op op, Node from);
  Network network_;
};

}  // namespace jostle::dnn
