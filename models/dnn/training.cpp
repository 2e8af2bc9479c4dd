#include "models/dnn/training.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jostle::dnn {
namespace {

constexpr Shape nothing{.channels = 0, .height = 0, .width = 0};
constexpr std::int64_t update_moves = 5, unscale_moves = 2;  // numbers of 4 bytes, of each parameter

bool is_product(Op op) {
  return op == Op::conv || op == Op::conv_transpose || op == Op::linear;
}
// Autocast keeps these in fp32.
bool is_sensitive(Op op) {
  return op == Op::layer_norm || op == Op::softmax;
}

class Step {
 public:
  Step(std::span<const FusedLayer> forward, Precision precision)
      : forward_(forward),
        mixed_(precision == Precision::fp16),
        learns_(forward.size()),
        readers_(forward.size()) {
    for (std::size_t i = 0; i < forward.size(); ++i) {
      parameters_ += forward[i].parameters;
      learns_[i] = forward[i].parameters > 0 || gradient_is_wanted(forward[i]);
      for (const std::size_t input : forward[i].inputs) ++readers_[input];
    }
    if (parameters_ == 0) throw std::invalid_argument("the network has no parameters to train");
  }

  std::vector<FusedLayer> run() {
    std::vector<std::size_t> index(forward_.size());  // in pieces_
    for (std::size_t i = 0; i < forward_.size(); ++i) {
      add_forward(forward_[i]);
      index[i] = pieces_.size() - 1;
      for (std::size_t& input : pieces_.back().inputs) input = index[input];
    }
    for (const FusedLayer& layer : forward_) {
      if (!layer.last) continue;
      for (const char* part : {".loss", ".loss_gradient"}) add_loss(layer, part);
    }
    for (std::size_t i = forward_.size(); i-- > 0;) {
      if (learns_[i]) add_backward(forward_[i], readers_[i]);
    }
    if (mixed_) add_states("unscale", unscale_moves * parameters_);
    add_states("update", update_moves * parameters_);
    return std::move(pieces_);
  }

 private:
  // Whether what it reads depends on parameters.
  [[nodiscard]] bool gradient_is_wanted(const FusedLayer& layer) const {
    return std::ranges::any_of(layer.inputs, [this](std::size_t input) { return learns_[input]; });
  }

  FusedLayer& add(const FusedLayer& of, const char* part, Op op, Shape in, Shape out) {
    FusedLayer& piece = pieces_.emplace_back();
    piece.name = of.name + part;
    piece.op = op;
    piece.in = in;
    piece.out = out;
    if (mixed_ && is_sensitive(of.op)) piece.precision = Precision::fp32;
    return piece;
  }

  // What is held in fp32 and moved once a batch.
  void add_states(std::string name, std::int64_t elements) {
    FusedLayer& piece = pieces_.emplace_back();
    piece.name = std::move(name);
    piece.op = Op::other;
    piece.in = piece.out = nothing;
    piece.once = elements;
    piece.precision = Precision::fp32;
  }
  // Between fp32 and fp16: 6 bytes a parameter, 1.5 numbers of 4.
  void add_cast(const FusedLayer& layer, const char* part) {
    if (mixed_ && is_product(layer.op)) add_states(layer.name + part, layer.parameters * 3 / 2);
  }

  void add_forward(const FusedLayer& layer) {
    add_cast(layer, ".cast");
    if (layer.op == Op::batch_norm) add_states(layer.name + ".count", 1);
    FusedLayer& piece = pieces_.emplace_back(layer);
    if (layer.op == Op::batch_norm) piece.other_elements += layer.in.elements();
    if (mixed_ && is_sensitive(layer.op)) piece.precision = Precision::fp32;
  }

  void add_loss(const FusedLayer& output, const char* part) {
    add(output, part, Op::softmax, output.out, output.out).precision = Precision::fp32;
  }

  void add_backward(const FusedLayer& layer, int readers) {
    for (int i = 1; i < readers; ++i)
      add(layer, ".gradient_sum", Op::add, layer.out, layer.out).other_elements = layer.out.elements();
    const bool wanted = gradient_is_wanted(layer);
    if (is_product(layer.op)) {
      if (wanted) add_data_gradient(layer);
      add_weight_gradient(layer);
    } else if (layer.op == Op::matmul) {
      add_matmul_gradients(layer);
    } else {
      add_other_gradients(layer, wanted);
    }
  }

  // A convolution of stride 1 the other way around, or else one transposed; for that one, a convolution.
  void add_data_gradient(const FusedLayer& layer) {
    Op op = layer.op;
    if (op == Op::conv_transpose)
      op = Op::conv;
    else if (op == Op::conv && layer.in.positions() != layer.out.positions())
      op = Op::conv_transpose;
    FusedLayer& piece = add(layer, ".data_gradient", op, layer.out, layer.in);
    take_window(piece, layer);
    piece.weights = layer.weights;
  }

  void add_weight_gradient(const FusedLayer& layer) {
    FusedLayer& piece = add(layer, ".weight_gradient", layer.op, layer.in, layer.out);
    take_window(piece, layer);
    piece.weight_gradient = true;
    piece.once = layer.weights;
    if (layer.parameters > layer.weights)
      add(layer, ".bias_gradient", Op::other, layer.out, nothing).once = layer.parameters - layer.weights;
    add_cast(layer, ".gradient_cast");
  }

  static void take_window(FusedLayer& piece, const FusedLayer& layer) {
    piece.depthwise = layer.depthwise;
    piece.window_area = layer.window_area;
    piece.stride = layer.stride;
    piece.dilation = layer.dilation;
    piece.groups = layer.groups;
    piece.macs = layer.macs;
  }

  // Of rows x depth by depth x columns, with respect to either.
  void add_matmul_gradients(const FusedLayer& layer) {
    const int rows = layer.out.height, depth = std::max(layer.depth, 1);
    const auto columns = static_cast<int>(layer.macs / (std::int64_t{depth} * rows * layer.groups));
    const auto gradient = [&](const char* part, int height, int summed, std::int64_t elements,
                              std::int64_t other) {
      const auto channels = static_cast<int>(elements / std::max(height, 1));
      FusedLayer& piece = add(layer, part, Op::matmul, layer.out, {.channels = channels, .height = height});
      piece.groups = layer.groups;
      piece.depth = summed;
      piece.macs = layer.macs;
      piece.other_elements = other;
    };
    const std::int64_t first = layer.in.elements(), second = std::int64_t{depth} * columns * layer.groups;
    gradient(".first_gradient", rows, columns, first, second);
    gradient(".second_gradient", depth, rows, second, first);
  }

  // Bound by bytes: the gradient is read, with what was kept for it.
  void add_other_gradients(const FusedLayer& layer, bool wanted) {
    const std::int64_t in = layer.in.elements(), out = layer.out.elements();
    const auto data = [&](std::int64_t kept) {
      if (wanted) add(layer, ".gradient", layer.op, layer.out, layer.in).other_elements = kept;
    };
    const auto weights = [&](std::int64_t kept, std::int64_t parameters) {
      FusedLayer& piece = add(layer, ".weight_gradient", Op::other, layer.out, nothing);
      piece.other_elements = kept;
      piece.once = parameters;
    };
    switch (layer.op) {
      case Op::batch_norm:
        if (wanted) {
          data(in + out + in);
          pieces_.back().once = layer.parameters;
        } else {
          weights(in, layer.parameters);
        }
        return;
      case Op::layer_norm:
        data(in);
        weights(in, layer.parameters);
        return;
      case Op::embedding:  // the gradient is a table, mostly of zeros
        weights(0, layer.parameters);
        return;
      case Op::add:
        if (layer.parameters > 0) weights(0, layer.parameters);
        return;
      case Op::multiply:  // with respect to either
        data(layer.parameters > 0 ? 0 : in);
        if (layer.parameters > 0)
          weights(in, layer.parameters);
        else if (layer.inputs.size() > 1)
          data(in);
        return;
      case Op::activation:  // by what it gave, or had
      case Op::softmax:
      case Op::max_pool:  // by where the largest were
        data(out);
        break;
      case Op::concat:
        add(layer, ".gradient", Op::concat, layer.out, layer.out);
        return;
      case Op::other:
        data(in);
        break;
      default:
        data(0);
        break;
    }
    if (layer.parameters > 0) weights(in, layer.parameters);
  }

  std::span<const FusedLayer> forward_;
  bool mixed_;
  std::int64_t parameters_ = 0;
  std::vector<bool> learns_;  // whether its result depends on parameters
  std::vector<int> readers_;
  std::vector<FusedLayer> pieces_;
};

}  // namespace

std::vector<FusedLayer> training_step(std::span<const FusedLayer> forward, Precision precision) {
  if (precision == Precision::int8) throw std::invalid_argument("int8 does not train: fp32, tf32 or fp16 do");
  return Step(forward, precision).run();
}

}  // namespace jostle::dnn
