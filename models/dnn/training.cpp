#include "models/dnn/training.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jostle::dnn {
namespace {

constexpr Shape nothing{.channels = 0, .height = 0, .width = 0};
constexpr std::int64_t update_moves = 5, unscale_moves = 2;  // numbers of 4 bytes for each parameter

bool is_product(Op op) {
  return op == Op::conv || op == Op::conv_transpose || op == Op::linear;
}
// Autocast keeps these layers in fp32.
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
    std::vector<std::size_t> index(forward_.size());  // place of each forward layer in fused_layers_
    for (std::size_t i = 0; i < forward_.size(); ++i) {
      add_forward(forward_[i]);
      index[i] = fused_layers_.size() - 1;
      for (std::size_t& input : fused_layers_.back().inputs) input = index[input];
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
    return std::move(fused_layers_);
  }

 private:
  // True if anything that the layer reads depends on parameters.
  [[nodiscard]] bool gradient_is_wanted(const FusedLayer& layer) const {
    return std::ranges::any_of(layer.inputs, [this](std::size_t input) { return learns_[input]; });
  }

  FusedLayer& add(const FusedLayer& of, const char* part, Op op, Shape in, Shape out) {
    FusedLayer& fused = fused_layers_.emplace_back();
    fused.name = of.name + part;
    fused.op = op;
    fused.in = in;
    fused.out = out;
    if (mixed_ && is_sensitive(of.op)) fused.precision = Precision::fp32;
    return fused;
  }

  // Adds numbers held in fp32 and moved once per batch.
  void add_states(std::string name, std::int64_t elements) {
    FusedLayer& fused = fused_layers_.emplace_back();
    fused.name = std::move(name);
    fused.op = Op::other;
    fused.in = fused.out = nothing;
    fused.once = elements;
    fused.precision = Precision::fp32;
  }
  // Adds a conversion between fp32 and fp16: 6 bytes per parameter, that is 1.5 numbers of 4.
  void add_cast(const FusedLayer& layer, const char* part) {
    if (mixed_ && is_product(layer.op)) add_states(layer.name + part, layer.parameters * 3 / 2);
  }

  void add_forward(const FusedLayer& layer) {
    add_cast(layer, ".cast");
    if (layer.op == Op::batch_norm) add_states(layer.name + ".count", 1);
    FusedLayer& fused = fused_layers_.emplace_back(layer);
    if (layer.op == Op::batch_norm) fused.other_elements += layer.in.elements();
    if (mixed_ && is_sensitive(layer.op)) fused.precision = Precision::fp32;
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

  // Adds the gradient with respect to the data. For a convolution of stride 1 it is a convolution in the
  // other direction, otherwise a transposed one. For a transposed convolution it is a convolution.
  void add_data_gradient(const FusedLayer& layer) {
    Op op = layer.op;
    if (op == Op::conv_transpose)
      op = Op::conv;
    else if (op == Op::conv && layer.in.positions() != layer.out.positions())
      op = Op::conv_transpose;
    FusedLayer& fused = add(layer, ".data_gradient", op, layer.out, layer.in);
    take_window(fused, layer);
    fused.weights = layer.weights;
  }

  void add_weight_gradient(const FusedLayer& layer) {
    FusedLayer& fused = add(layer, ".weight_gradient", layer.op, layer.in, layer.out);
    take_window(fused, layer);
    fused.weight_gradient = true;
    fused.once = layer.weights;
    if (layer.parameters > layer.weights)
      add(layer, ".bias_gradient", Op::other, layer.out, nothing).once = layer.parameters - layer.weights;
    add_cast(layer, ".gradient_cast");
  }

  static void take_window(FusedLayer& fused, const FusedLayer& layer) {
    fused.depthwise = layer.depthwise;
    fused.window_area = layer.window_area;
    fused.stride = layer.stride;
    fused.dilation = layer.dilation;
    fused.groups = layer.groups;
    fused.macs = layer.macs;
  }

  // Adds the gradients of rows x depth by depth x columns, with respect to either factor.
  void add_matmul_gradients(const FusedLayer& layer) {
    const int rows = layer.out.height, depth = std::max(layer.depth, 1);
    const auto columns = static_cast<int>(layer.macs / (std::int64_t{depth} * rows * layer.groups));
    const auto gradient = [&](const char* part, int height, int summed, std::int64_t elements,
                              std::int64_t other) {
      const auto channels = static_cast<int>(elements / std::max(height, 1));
      FusedLayer& fused = add(layer, part, Op::matmul, layer.out, {.channels = channels, .height = height});
      fused.groups = layer.groups;
      fused.depth = summed;
      fused.macs = layer.macs;
      fused.other_elements = other;
    };
    const std::int64_t first = layer.in.elements(), second = std::int64_t{depth} * columns * layer.groups;
    gradient(".first_gradient", rows, columns, first, second);
    gradient(".second_gradient", depth, rows, second, first);
  }

  // Adds gradients that are bound by bytes: they read the gradient and the tensors kept for it.
  void add_other_gradients(const FusedLayer& layer, bool wanted) {
    const std::int64_t in = layer.in.elements(), out = layer.out.elements();
    const auto data = [&](std::int64_t kept) {
      if (wanted) add(layer, ".gradient", layer.op, layer.out, layer.in).other_elements = kept;
    };
    const auto weights = [&](std::int64_t kept, std::int64_t parameters) {
      FusedLayer& fused = add(layer, ".weight_gradient", Op::other, layer.out, nothing);
      fused.other_elements = kept;
      fused.once = parameters;
    };
    switch (layer.op) {
      case Op::batch_norm:
        if (wanted) {
          data(in + out + in);
          fused_layers_.back().once = layer.parameters;
        } else {
          weights(in, layer.parameters);
        }
        return;
      case Op::layer_norm:
        data(in);
        weights(in, layer.parameters);
        return;
      case Op::embedding:  // the gradient is a table, mostly zeros
        weights(0, layer.parameters);
        return;
      case Op::add:
        if (layer.parameters > 0) weights(0, layer.parameters);
        return;
      case Op::multiply:  // gradients with respect to either factor
        data(layer.parameters > 0 ? 0 : in);
        if (layer.parameters > 0)
          weights(in, layer.parameters);
        else if (layer.inputs.size() > 1)
          data(in);
        return;
      case Op::activation:  // computed from its result or its input
      case Op::softmax:
      case Op::max_pool:  // computed from the positions of the maxima
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
  std::vector<bool> learns_;  // true: its result depends on parameters
  std::vector<int> readers_;
  std::vector<FusedLayer> fused_layers_;
};

}  // namespace

std::vector<FusedLayer> training_step(std::span<const FusedLayer> forward, Precision precision) {
  if (precision == Precision::int8)
    throw std::invalid_argument("training is not possible in int8, only in fp32, tf32 or fp16");
  return Step(forward, precision).run();
}

}  // namespace jostle::dnn
