#include "models/dnn/builders/layers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace jostle::dnn {
namespace {

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

// The number of window positions along an axis of `size` elements.
int slide_steps(std::string_view name, int size, Sliding s) {
  const int reach = s.dilation * (s.window - 1);
  const int padding = s.padding < 0 ? reach / 2 : s.padding;
  const int last_start = size + 2 * padding - reach - 1;
  if (size < 1 || last_start < 0)
    throw std::invalid_argument("the input is too small for layer '" + std::string(name) + "'");
  const int steps = last_start / s.stride + 1;
  // A partial step must still begin inside the input (or inside the padding before it), as in PyTorch.
  const bool partial = s.ceil && last_start % s.stride != 0 && steps * s.stride < size + padding;
  return partial ? steps + 1 : steps;
}

// The output shape of a convolution or pool.
Shape slid_shape(std::string_view name, const Shape& in, int channels, Sliding s) {
  Sliding across = s;
  if (s.width > 0) across.window = s.width;
  return {channels, slide_steps(name, in.height, s), slide_steps(name, in.width, across)};
}

// The output size of a transposed convolution along an axis: each input element becomes `stride` elements.
int transposed_size(int size, Sliding s) {
  return (size - 1) * s.stride + s.window - 2 * std::max(s.padding, 0);
}

// The shape of a cube of this side: its height is depth x height (Layer::volume).
Shape cube(int channels, int side) {
  return {channels, side * side, side};
}

[[noreturn]] void reject(std::string_view name, const char* problem) {
  throw std::invalid_argument("layer '" + std::string(name) + "' " + problem);
}

}  // namespace

void require_at_most(std::string_view network, int input, int most, std::string_view unit) {
  if (input >= 1 && input <= most) return;
  throw std::invalid_argument("an input of " + std::to_string(input) + " " + std::string(unit) + ": " +
                              std::string(network) + " takes 1 to " + std::to_string(most));
}

LayerBuilder::Node LayerBuilder::put(Layer layer, std::span<const Node> inputs) {
  if (!inputs.empty()) layer.in = shape(inputs.front());
  layer.views = host_.views;
  layer.inside = host_.inside;
  host_ = {};
  const Node node = network_.add(layer, inputs);
  named_after_.push_back(node);
  return node;
}

LayerBuilder::Node LayerBuilder::follow(Layer layer, std::span<const Node> inputs) {
  const Node leader = named_after_[inputs.front()];
  layer.name = network_.layer(leader).name + "." + to_string(layer.op);
  const int times = ++followers_[layer.name];
  if (times > 1) layer.name += std::to_string(times);
  layer.out = shape(inputs.front());
  const Node node = put(std::move(layer), inputs);
  named_after_[node] = leader;
  return node;
}

LayerBuilder::Node LayerBuilder::input(Shape shape) {
  return put({.name = "input", .op = Op::input, .in = shape, .out = shape}, {});
}

LayerBuilder::Node LayerBuilder::conv(std::string_view name, Node from, int channels, Sliding sliding,
                                      Filter filter) {
  const Shape in = shape(from);
  const Shape out = filter.volume ? cube(channels, slide_steps(name, in.width, sliding))
                                  : slid_shape(name, in, channels, sliding);
  return slide({.name = std::string(name), .op = Op::conv, .out = out}, from, sliding, filter);
}

LayerBuilder::Node LayerBuilder::conv_transpose(std::string_view name, Node from, int channels,
                                                Sliding sliding, Filter filter) {
  const int height = transposed_size(shape(from).height, sliding),
            width = transposed_size(shape(from).width, sliding);
  const Shape out = filter.volume ? cube(channels, width) : Shape{channels, height, width};
  return slide({.name = std::string(name), .op = Op::conv_transpose, .out = out}, from, sliding, filter);
}

LayerBuilder::Node LayerBuilder::slide(const Layer& as, Node from, Sliding sliding, Filter filter) {
  Layer layer = as;
  layer.volume = filter.volume;
  layer.window = layer.volume ? sliding.window * sliding.window : sliding.window;
  layer.window_width = layer.volume ? sliding.window : sliding.width;
  layer.stride = sliding.stride;
  layer.dilation = sliding.dilation;
  layer.groups = filter.groups;
  layer.bias = filter.bias;
  layer.shared = filter.shared;
  return put(std::move(layer), std::array{from});
}

LayerBuilder::Node LayerBuilder::linear(std::string_view name, Node from, int channels, bool bias) {
  const Shape in = shape(from);
  return put(
      {.name = std::string(name), .op = Op::linear, .out = {channels, in.height, in.width}, .bias = bias},
      std::array{from});
}

LayerBuilder::Node LayerBuilder::linear_groups(std::string_view name, Node from, int channels, int groups) {
  const Shape in = shape(from);
  if (groups < 1 || in.channels % groups != 0 || channels % groups != 0)
    reject(name, "does not divide its channels into groups");
  return put(
      {.name = std::string(name), .op = Op::linear, .out = {channels, in.height, in.width}, .groups = groups},
      std::array{from});
}

LayerBuilder::Node LayerBuilder::matmul(std::string_view name, Node a, Node b, Heads heads_of, Shape out) {
  const auto [heads, depth] = heads_of;
  if (shape(a).channels != heads * depth || out.channels % heads != 0 ||
      out.positions() != shape(a).positions() || shape(b).elements() != std::int64_t{depth} * out.channels) {
    reject(name, "multiplies incompatible shapes");
  }
  return put({.name = std::string(name), .op = Op::matmul, .out = out, .groups = heads, .depth = depth},
             std::array{a, b});
}

LayerBuilder::Node LayerBuilder::embedding(std::string_view name, Node tokens, int rows, int channels) {
  return put({.name = std::string(name),
              .op = Op::embedding,
              .out = {channels, shape(tokens).height, shape(tokens).width},
              .depth = rows},
             std::array{tokens});
}

LayerBuilder::Node LayerBuilder::batch_norm(Node from) {
  return follow({.op = Op::batch_norm}, std::array{from});
}

LayerBuilder::Node LayerBuilder::layer_norm(Node from) {
  return follow({.op = Op::layer_norm}, std::array{from});
}

LayerBuilder::Node LayerBuilder::activation(Node from, Activation kind) {
  return follow({.op = Op::activation, .activation = kind}, std::array{from});
}

LayerBuilder::Node LayerBuilder::softmax(Node from) {
  return follow({.op = Op::softmax}, std::array{from});
}

LayerBuilder::Node LayerBuilder::add(Node a, Node b) {
  if (shape(a) != shape(b)) reject(network_.layer(a).name, "is added to a tensor of another shape");
  return follow({.op = Op::add}, std::array{a, b});
}

LayerBuilder::Node LayerBuilder::multiply(Node a, Node b) {
  const Shape whole = shape(a), factor = shape(b);
  const bool same_plane = factor.height == whole.height && factor.width == whole.width;
  if (whole.channels % factor.channels != 0 || (!same_plane && factor.positions() != 1))
    reject(network_.layer(a).name, "is multiplied by a tensor of another shape");
  return follow({.op = Op::multiply}, std::array{a, b});
}

LayerBuilder::Node LayerBuilder::add_constant(std::string_view name, Node from) {
  return add_learned(name, from, 0);
}

LayerBuilder::Node LayerBuilder::add_learned(std::string_view name, Node from, std::int64_t numbers) {
  return put({.name = std::string(name), .op = Op::add, .out = shape(from), .stored = numbers},
             std::array{from});
}

LayerBuilder::Node LayerBuilder::multiply_by_constant(std::string_view name, Node from) {
  return put({.name = std::string(name), .op = Op::multiply, .out = shape(from)}, std::array{from});
}

LayerBuilder::Node LayerBuilder::scale_channels(std::string_view name, Node from) {
  const Shape whole = shape(from);
  return put({.name = std::string(name), .op = Op::multiply, .out = whole, .stored = whole.channels},
             std::array{from});
}

LayerBuilder::Node LayerBuilder::pool(Op op, std::string_view name, Node from, Sliding sliding) {
  return slide({.name = std::string(name),
                .op = op,
                .out = slid_shape(name, shape(from), shape(from).channels, sliding)},
               from, sliding, {});
}

LayerBuilder::Node LayerBuilder::max_pool(std::string_view name, Node from, Sliding sliding) {
  return pool(Op::max_pool, name, from, sliding);
}

LayerBuilder::Node LayerBuilder::average_pool(std::string_view name, Node from, Sliding sliding) {
  return pool(Op::average_pool, name, from, sliding);
}

LayerBuilder::Node LayerBuilder::average_pool_to(std::string_view name, Node from, int size) {
  const Shape in = shape(from);
  return put({.name = std::string(name),
              .op = Op::average_pool,
              .out = {in.channels, size, size},
              .window = ceil_div(in.height, size),
              .window_width = ceil_div(in.width, size),
              .stride = std::max(1, in.height / size)},
             std::array{from});
}

LayerBuilder::Node LayerBuilder::resize(std::string_view name, Node from, int height, int width) {
  return put({.name = std::string(name), .op = Op::resize, .out = {shape(from).channels, height, width}},
             std::array{from});
}

LayerBuilder::Node LayerBuilder::concat(std::string_view name, const std::vector<Node>& parts) {
  Shape out = shape(parts.front());
  out.channels = 0;
  for (const Node part : parts) {
    const Shape one = shape(part);
    if (one.height != out.height || one.width != out.width)
      reject(name, "concatenates planes of different sizes");
    out.channels += one.channels;
  }
  return put({.name = std::string(name), .op = Op::concat, .out = out}, parts);
}

LayerBuilder::Node LayerBuilder::concat_positions(std::string_view name, const std::vector<Node>& parts) {
  Shape out = shape(parts.front());
  out.height = 0;
  for (const Node part : parts) {
    const Shape one = shape(part);
    if (one.channels != out.channels || one.width != out.width)
      reject(name, "concatenates tensors of different channels or widths");
    out.height += one.height;
  }
  return put({.name = std::string(name), .op = Op::concat, .out = out}, parts);
}

LayerBuilder::Node LayerBuilder::prepend_learned(std::string_view name, Node from, int positions) {
  const Shape in = shape(from);
  return put({.name = std::string(name),
              .op = Op::concat,
              .out = {in.channels, in.height + positions, in.width},
              .stored = std::int64_t{in.channels} * in.width * positions},
             std::array{from});
}

LayerBuilder::Node LayerBuilder::channels(std::string_view name, Node from, int count) {
  const Shape whole = shape(from);
  return slice(name, from, {count, whole.height, whole.width});
}

LayerBuilder::Node LayerBuilder::slice(std::string_view name, Node from, Shape part) {
  const Shape whole = shape(from);
  if (part.channels > whole.channels || part.height > whole.height || part.width > whole.width)
    reject(name, "takes more than its input has");
  return put({.name = std::string(name), .op = Op::slice, .out = part}, std::array{from});
}

LayerBuilder::Node LayerBuilder::rearrange(Op op, std::string_view name, Node from, Shape to) {
  if (to.elements() != shape(from).elements()) reject(name, "changes the number of elements");
  return put({.name = std::string(name), .op = op, .out = to}, std::array{from});
}

LayerBuilder::Node LayerBuilder::reshape(std::string_view name, Node from, Shape to) {
  return rearrange(Op::reshape, name, from, to);
}

LayerBuilder::Node LayerBuilder::transpose(std::string_view name, Node from, Shape to) {
  return rearrange(Op::transpose, name, from, to);
}

LayerBuilder::Node LayerBuilder::other(std::string_view name, std::initializer_list<Node> inputs, Shape out) {
  return put({.name = std::string(name), .op = Op::other, .out = out}, {inputs.begin(), inputs.size()});
}

}  // namespace jostle::dnn
