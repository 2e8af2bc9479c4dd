#include "models/dnn/builders/layers.hpp"

#include <array>
#include <stdexcept>

namespace jostle::dnn {
namespace {

int slid(std::string_view name, int size, Sliding s) {
  const int reach = s.dilation * (s.window - 1);
  const int padding = s.padding < 0 ? reach / 2 : s.padding;
  const int room = size + 2 * padding - reach - 1;
  if (size < 1 || room < 0)
    throw std::invalid_argument("the input is too small for layer '" + std::string(name) + "'");
  return room / s.stride + 1;
}

Shape slid(std::string_view name, const Shape& in, int channels, Sliding s) {
  return {channels, slid(name, in.height, s), slid(name, in.width, s)};
}

}  // namespace

LayerBuilder::Node LayerBuilder::input(Shape shape) {
  return network_.add({.name = "input", .op = Op::input, .in = shape, .out = shape}, {});
}

LayerBuilder::Node LayerBuilder::conv(std::string_view name, Node from, int channels, Sliding sliding,
                                      int groups, bool bias) {
  const Shape in = shape(from);
  return network_.add({.name = std::string(name),
                       .op = Op::conv,
                       .in = in,
                       .out = slid(name, in, channels, sliding),
                       .window = sliding.window,
                       .groups = groups,
                       .bias = bias},
                      std::array{from});
}

LayerBuilder::Node LayerBuilder::linear(std::string_view name, Node from, int channels) {
  const Shape in = shape(from);
  return network_.add({.name = std::string(name),
                       .op = Op::linear,
                       .in = in,
                       .out = {channels, in.height, in.width},
                       .bias = true},
                      std::array{from});
}

LayerBuilder::Node LayerBuilder::same_shape(Op op, Node from) {
  const Layer& before = network_.layer(from);
  return network_.add(
      {.name = before.name + "." + to_string(op), .op = op, .in = before.out, .out = before.out},
      std::array{from});
}

LayerBuilder::Node LayerBuilder::batch_norm(Node from) {
  return same_shape(Op::batch_norm, from);
}
LayerBuilder::Node LayerBuilder::activation(Node from) {
  return same_shape(Op::activation, from);
}

LayerBuilder::Node LayerBuilder::add(Node a, Node b) {
  const Layer& before = network_.layer(a);
  if (before.out != shape(b)) throw std::invalid_argument("'" + before.name + "' is added to another shape");
  return network_.add({.name = before.name + ".add", .op = Op::add, .in = before.out, .out = before.out},
                      std::array{a, b});
}

LayerBuilder::Node LayerBuilder::max_pool(std::string_view name, Node from, Sliding sliding) {
  const Shape in = shape(from);
  return network_.add({.name = std::string(name),
                       .op = Op::max_pool,
                       .in = in,
                       .out = slid(name, in, in.channels, sliding),
                       .window = sliding.window},
                      std::array{from});
}

LayerBuilder::Node LayerBuilder::average_pool(Node from) {
  const Shape in = shape(from);
  return network_.add({.name = "average_pool",
                       .op = Op::average_pool,
                       .in = in,
                       .out = {in.channels, 1, 1},
                       .window = in.height},
                      std::array{from});
}

LayerBuilder::Node LayerBuilder::resize(std::string_view name, Node from, int height, int width) {
  const Shape in = shape(from);
  return network_.add(
      {.name = std::string(name), .op = Op::resize, .in = in, .out = {in.channels, height, width}},
      std::array{from});
}

LayerBuilder::Node LayerBuilder::conv_norm(std::string_view name, Node from, int channels, Sliding sliding,
                                           int groups) {
  return batch_norm(conv(name, from, channels, sliding, groups));
}

LayerBuilder::Node LayerBuilder::conv_norm_activation(std::string_view name, Node from, int channels,
                                                      Sliding sliding, int groups) {
  return activation(conv_norm(name, from, channels, sliding, groups));
}

}  // namespace jostle::dnn
