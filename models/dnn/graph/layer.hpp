// The layers that networks are made of, with their shapes.
#pragma once

#include <cstdint>
#include <string>

namespace jostle::dnn {

// The shape of a tensor for one image (or one sequence: the height is the number of tokens), without the
// batch.
struct Shape {
  int channels = 0, height = 1, width = 1;
  [[nodiscard]] std::int64_t positions() const { return std::int64_t{height} * width; }
  [[nodiscard]] std::int64_t elements() const { return channels * positions(); }
  bool operator==(const Shape&) const = default;
};

enum class Op {
  input,
  conv,            // groups == channels: depthwise
  conv_transpose,  // upsampling convolution
  linear,          // applied at every position; `groups` of them, each on its part of the channels
  matmul,          // product of two tensors: `groups` heads (or matrices), sums over `depth`
  embedding,       // reads rows of a table of `depth` rows, selected by token
  batch_norm,
  layer_norm,  // includes other norms with a mean of their own: group, instance and RMS norm
  softmax,
  activation,    // see Activation
  add,           // elementwise of two tensors: sum, difference
  multiply,      // elementwise of two tensors: product, quotient
  max_pool,      // maximum over a window
  average_pool,  // mean over a window, or over the whole plane (global)
  resize,        // nearest or bilinear
  concat,        // along the channels or the positions
  slice,         // part of a tensor: views, splits and chunks
  reshape,       // another view of the same bytes
  transpose,     // the same bytes in another order
  other,         // an operator without its own cost model: bound by its bytes
};
[[nodiscard]] const char* to_string(Op op);
// True if the result is a view of the input's bytes.
[[nodiscard]] constexpr bool is_view(Op op) {
  return op == Op::reshape || op == Op::slice;
}

enum class Activation {
  none,
  relu,
  relu6,  // ReLU with an upper end: Clip in ONNX
  leaky_relu,
  silu,
  gelu,
  sigmoid,
  tanh,
  hard_swish,    // x times hard sigmoid
  hard_sigmoid,  // (x + 3) / 6, between 0 and 1
  other
};
[[nodiscard]] const char* to_string(Activation activation);

struct Layer {
  std::string name{};
  Op op = Op::input;
  Shape in{};  // shape of the first input
  Shape out{};
  int window = 1;        // height of a convolution's or pool's window
  int window_width = 0;  // 0: square
  // The window slides through a volume. Depth and height are one: `height` is their product in shapes;
  // `window` is the same in both.
  bool volume = false;
  int stride = 1;
  int dilation = 1;
  int groups = 1;
  int depth = 0;  // matmul: length of the axis that is summed over; embedding: rows of the table
  bool bias = false;
  bool eight_bit = false;  // stored in 8 bits, and computed so whatever the network's precision
  bool shared = false;     // its learned numbers are those of an earlier layer, and count there
  Activation activation = Activation::none;  // the kind of an Op::activation
  std::int64_t stored = 0;                   // learned numbers among the operands: positions, scales
  // What PyTorch's host is asked for differs from an operator a layer: the layer is part of another's
  // operator, or its definition has so many operators beside it that move nothing (views, dropout).
  bool inside = false;
  int views = 0;
  // Copies of operands that lie in another order, as PyTorch makes them before the layer; 0 of a
  // transposition or an extension: it moves nothing itself. A linear layer adds its bias apart if there is
  // one, and copies if there are two. Of an input: kernels on numbers that no input changes, which a
  // framework computes again for each batch. Negative: as in the networks that are built in.
  int copies = -1;
  bool folded_norm = false;  // a convolution whose bias is that of a batch norm, by the names in its file

  [[nodiscard]] std::int64_t window_area() const {
    return std::int64_t{window} * (window_width > 0 ? window_width : window);
  }
  [[nodiscard]] bool depthwise() const { return op == Op::conv && groups > 1 && groups == in.channels; }
  // Number for one image. A multiply and an add are one MAC.
  [[nodiscard]] std::int64_t macs() const;
  [[nodiscard]] std::int64_t weights() const;     // elements that a kernel reads in addition to its inputs
  [[nodiscard]] std::int64_t parameters() const;  // number as published: weights, biases, scales and shifts
};

}  // namespace jostle::dnn
