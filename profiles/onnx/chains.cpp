// Operators that are several layers: attention and what ONNX Runtime fuses, recurrent layers, Einsum.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using dnn::Layer;
using dnn::Op;
using dnn::Shape;

// Makes the layers of one node.
class ChainMaker {
 public:
  ChainMaker(const Node& node, const std::vector<Value>& values, std::int64_t batch)
      : node_(node), values_(values), batch_(std::max<std::int64_t>(batch, 1)) {}

  std::vector<Layer> make() {
    if (const auto attention = attention_shape(node_, values_)) {
      attend(*attention);
    } else if (node_.type == "LSTM" || node_.type == "GRU" || node_.type == "RNN") {
      recur(node_.type == "LSTM" ? 4 : node_.type == "GRU" ? 3 : 1);
    } else if (node_.type == "Einsum") {
      contract();
    } else if (node_.type == "com.microsoft.EmbedLayerNormalization") {
      embed();
    } else {
      multiply_packed();
    }
    return std::move(layers_);
  }

 private:
  [[nodiscard]] const Value* value(std::size_t index) const {
    const ValueId id = node_.input(index);
    return id == none ? nullptr : &values_[id];
  }

  // A dimension of a layer; products of two dimensions of a file are within 64 bits.
  [[nodiscard]] int size(double dim) const {
    if (!(dim <= static_cast<double>(INT32_MAX)))
      throw OnnxError(fmt::format("node '{}' ({}) makes a tensor that is too large",
                                  input::printable(node_.name), input::printable(node_.type)));
    return static_cast<int>(std::max(dim, 1.0));
  }
  [[nodiscard]] int size(std::int64_t dim) const { return size(static_cast<double>(dim)); }
  [[nodiscard]] Shape shape(double channels, double positions) const {
    return {size(channels), size(positions), 1};
  }
  [[nodiscard]] std::int64_t per_image(std::int64_t count) const {
    return std::max<std::int64_t>(count / batch_, 1);
  }

  Layer& put(std::string_view part, Op op, Shape in, Shape out) {
    layers_.push_back({.name = part.empty() ? node_.name : fmt::format("{}.{}", node_.name, part),
                       .op = op,
                       .in = in,
                       .out = out});
    return layers_.back();
  }

  void attend(const AttentionShape& a) {
    const auto rows = static_cast<double>(per_image(a.batch * a.queries));
    const auto heads = static_cast<double>(a.heads);
    // Keys and values of one image; several of the file's sequences in one image count as more heads.
    const auto sequences = static_cast<double>(per_image(a.batch));
    const double queries = static_cast<double>(a.queries);
    Shape at = shape(static_cast<double>(a.heads * a.head), rows);
    if (a.hidden > 0) {
      const Shape out = shape(static_cast<double>(a.projected), rows);
      put("project", Op::linear, shape(static_cast<double>(a.hidden), rows), out).bias = value(2) != nullptr;
      at = out;
    }
    const Shape scores = shape(heads * sequences * static_cast<double>(a.keys), queries);
    Layer& first = put("scores", Op::matmul, at, scores);
    first.depth = size(a.head);
    first.groups = size(heads * sequences);
    put("softmax", Op::softmax, scores, scores).groups = size(heads * sequences);
    Layer& second =
        put("", Op::matmul, scores, shape(heads * sequences * static_cast<double>(a.value_head), queries));
    second.depth = size(a.keys);
    second.groups = size(heads * sequences);
  }

  // All steps of the input's product at once, then those of the state's.
  void recur(std::int64_t gates) {
    const Value *const input = value(0), *const weights = value(1);
    if (input == nullptr || weights == nullptr || input->dims.size() != 3 || weights->dims.size() != 3)
      return;
    const std::int64_t directions = weights->dims[0];
    const std::int64_t hidden = node_.integer("hidden_size", weights->dims[1] / gates);
    const std::int64_t features = input->dims[2];
    if (directions < 1 || directions > 2 || hidden < 1 || features < 1) return;
    const auto steps = static_cast<double>(per_image(input->dims[0] * input->dims[1]));
    const double wide = static_cast<double>(directions * gates) * static_cast<double>(hidden);
    const Shape gated = shape(wide, steps);
    put("input", Op::linear, shape(static_cast<double>(features), steps), gated).bias = value(3) != nullptr;
    Layer& state = put("state", Op::matmul, gated, gated);
    state.depth = size(hidden);
    state.groups = size(directions);
    state.stored = static_cast<std::int64_t>(wide) * hidden;
    put("", Op::activation, gated,
        shape(static_cast<double>(directions) * static_cast<double>(hidden), steps))
        .activation = dnn::Activation::tanh;
  }

  // The operations are one for each combination of all indices.
  void contract() {
    const auto found = node_.attributes.find("equation");
    if (found == node_.attributes.end() || node_.outputs.empty() || node_.outputs.front() == none) return;
    std::string equation = found->second.text;
    std::erase(equation, ' ');
    if (equation.find('.') != std::string::npos) return;
    std::map<char, double> lengths;
    std::size_t operand = 0, axis = 0;
    for (const char index : equation.substr(0, equation.find("->"))) {
      if (index == ',') {
        ++operand;
        axis = 0;
        continue;
      }
      const Value* const from = value(operand);
      if (from == nullptr || axis >= from->dims.size()) return;
      lengths[index] = std::max(lengths[index], static_cast<double>(from->dims[axis++]));
    }
    const Value& out = values_[node_.outputs.front()];
    double all = 1;
    for (const auto& [index, length] : lengths) all *= std::max(length, 1.0);
    const auto results = static_cast<double>(std::max<std::int64_t>(out.elements(), 1));
    if (operand == 0 || all < results) return;  // a sum or an order of one operand
    const double columns = out.dims.empty() ? 1 : static_cast<double>(out.dims.back());
    const double rows = out.dims.size() < 2 ? 1 : static_cast<double>(out.dims[out.dims.size() - 2]);
    const double stacks = std::max(1.0, results / (columns * rows) / static_cast<double>(batch_));
    const Value* const left = value(0);
    const Shape in = shape(
        left->dims.empty() ? 1 : static_cast<double>(left->dims.back()),
        static_cast<double>(per_image(left->elements())) /
            (left->dims.empty() ? 1 : static_cast<double>(std::max<std::int64_t>(left->dims.back(), 1))));
    Layer& layer = put("", Op::matmul, in, shape(columns * stacks, rows));
    layer.depth = size(all / results);
    layer.groups = size(stacks);
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (const Value* const one = value(i); one != nullptr && one->constant) layer.stored += one->elements();
  }

  void embed() {
    const Value *const ids = value(0), *const table = value(2);
    if (ids == nullptr || table == nullptr || ids->dims.size() != 2 || table->dims.size() != 2) return;
    const auto tokens = static_cast<double>(per_image(ids->elements()));
    const Shape out = shape(static_cast<double>(table->dims[1]), tokens);
    put("words", Op::embedding, shape(1, tokens), out).depth = size(table->dims[0]);
    Layer& norm = put("", Op::layer_norm, out, out);
    for (const std::size_t other : {3U, 4U})  // positions, segments
      if (const Value* const one = value(other)) norm.stored += one->elements();
  }

  // Products with weights of a few bits each (MatMulNBits).
  void multiply_packed() {
    const Value* const input = value(0);
    const std::int64_t out = node_.integer("N", 0), in = node_.integer("K", 0);
    if (input == nullptr || input->dims.empty() || out < 1 || in < 1 || input->dims.back() != in) return;
    const auto rows = static_cast<double>(per_image(input->elements() / in));
    put("", Op::linear, shape(static_cast<double>(in), rows), shape(static_cast<double>(out), rows)).bias =
        value(5) != nullptr;
  }

  const Node& node_;
  const std::vector<Value>& values_;
  std::int64_t batch_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> chain_of(const Node& node, const std::vector<Value>& values, std::int64_t batch) {
  return ChainMaker(node, values, batch).make();
}

}  // namespace jostle::profiles::onnx_reader
