// Shapes of results that the ONNX library has no rule for: operators that ONNX Runtime fuses others into
// (com.microsoft, contrib_ops/ContribOperators.md), and those whose result depends on what is found.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using Shapes = std::optional<std::vector<FusedShape>>;

// A node with the dimensions of its inputs.
class FusedInputs {
 public:
  FusedInputs(const Node& node, const std::vector<Value>& values) : node_(node), values_(values) {}
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const Value* value(std::size_t index) const {
    const ValueId id = node_.input(index);
    return id == none ? nullptr : &values_[id];
  }
  // The dimensions of an input; null if it is absent or has another number of them (0: any).
  [[nodiscard]] const Dims* dims(std::size_t index, std::size_t rank = 0) const {
    const Value* const found = value(index);
    return found != nullptr && (rank == 0 || found->dims.size() == rank) ? &found->dims : nullptr;
  }
  [[nodiscard]] std::int64_t number(std::size_t index, std::int64_t otherwise) const {
    const Value* const found = value(index);
    if (found == nullptr || !found->numbers || found->numbers->size() != 1) return otherwise;
    return static_cast<std::int64_t>(std::clamp(found->numbers->front(), -9e15, 9e15));
  }

 private:
  const Node& node_;
  const std::vector<Value>& values_;
};

constexpr std::int64_t largest_length = INT32_MAX;  // of a dimension

std::string_view plain(std::string_view type) {
  constexpr std::string_view domain = "com.microsoft.";
  return type.starts_with(domain) ? type.substr(domain.size()) : type;
}

bool is_any_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

// The shape of the first input; for norms also the means, and for those with a skip the sum.
Shapes same(const FusedInputs& inputs) {
  const Dims* const first = inputs.dims(0);
  if (first == nullptr || first->empty()) return std::nullopt;
  Dims mean = *first;
  mean.back() = 1;
  return std::vector<FusedShape>{{.dims = *first}, {.dims = mean}, {.dims = mean}, {.dims = *first}};
}

Shapes embedded(const FusedInputs& inputs) {
  const Dims* const ids = inputs.dims(0, 2);
  const Dims* const table = inputs.dims(2, 2);
  if (ids == nullptr || table == nullptr) return std::nullopt;
  const Dims out{(*ids)[0], (*ids)[1], (*table)[1]};
  return std::vector<FusedShape>{
      {.dims = out, .type_of = 2}, {.dims = {(*ids)[0]}, .is_position = true}, {.dims = out, .type_of = 2}};
}

Shapes with_last(const FusedInputs& inputs, std::int64_t last) {
  const Dims* const first = inputs.dims(0);
  if (first == nullptr || first->empty() || last < 1) return std::nullopt;
  Dims out = *first;
  out.back() = last;
  return std::vector<FusedShape>{{.dims = out}};
}

// The product of two stacks of matrices, either of which may be given transposed.
Shapes matrix_product(const FusedInputs& inputs) {
  const Dims* const left = inputs.dims(0);
  const Dims* const right = inputs.dims(1);
  if (left == nullptr || right == nullptr || left->size() < 2 || right->size() < 2) return std::nullopt;
  Dims a = *left, b = *right;
  if (inputs.node().integer("transA", 0) != 0) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (inputs.node().integer("transB", 0) != 0) std::swap(b[b.size() - 1], b[b.size() - 2]);
  if (a.back() != b[b.size() - 2]) return std::nullopt;
  Dims out(std::max(a.size(), b.size()), 1);
  for (const Dims* const one : {&a, &b})
    for (std::size_t i = 0; i + 2 < one->size(); ++i) {
      std::int64_t& dim = out[out.size() - one->size() + i];
      dim = std::max(dim, (*one)[i]);
    }
  out[out.size() - 2] = a[a.size() - 2];
  out.back() = b.back();
  return std::vector<FusedShape>{{.dims = out}};
}

// The maximum number of boxes that may be chosen: the requested number of each class.
Shapes chosen_boxes(const FusedInputs& inputs) {
  const Dims* const boxes = inputs.dims(0, 3);
  const Dims* const scores = inputs.dims(1, 3);
  if (boxes == nullptr || scores == nullptr) return std::nullopt;
  const std::int64_t most =
      std::clamp<std::int64_t>(inputs.number(2, (*boxes)[1]), 1, std::max<std::int64_t>((*boxes)[1], 1));
  return std::vector<FusedShape>{
      {.dims = {std::min((*scores)[0] * (*scores)[1], std::int64_t{1} << 20U) * most, 3},
       .is_position = true}};
}

// The library gives only the rank of an Einsum.
Shapes summed(const FusedInputs& inputs) {
  const auto found = inputs.node().attributes.find("equation");
  if (found == inputs.node().attributes.end()) return std::nullopt;
  std::string equation = found->second.text;
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos) return std::nullopt;
  std::map<char, std::int64_t> lengths;
  std::size_t operand = 0, axis = 0;
  for (const char index : equation.substr(0, arrow)) {
    if (index == ',') {
      ++operand;
      axis = 0;
      continue;
    }
    const Dims* const dims = inputs.dims(operand);
    if (dims == nullptr || axis >= dims->size()) return std::nullopt;
    lengths[index] = std::max(lengths[index], (*dims)[axis++]);
  }
  FusedShape out;
  for (const char index : equation.substr(arrow + 2)) {
    if (!lengths.contains(index)) return std::nullopt;
    out.dims.push_back(lengths[index]);
  }
  return std::vector<FusedShape>{out};
}

Shapes attended(const FusedInputs& inputs, const AttentionShape& shape) {
  const std::string_view type = plain(inputs.node().type);
  const Dims cache{shape.batch, shape.key_heads, shape.keys, shape.head};
  const Dims values{shape.batch, shape.key_heads, shape.keys, shape.value_head};
  const Dims* const first = inputs.dims(0);
  FusedShape out{.dims = {shape.batch, shape.queries, shape.heads * shape.value_head}};
  if (inputs.node().type == "Attention" && first->size() == 4)
    out.dims = {shape.batch, shape.heads, shape.queries, shape.value_head};
  if (is_any_of(type, {"Attention", "QAttention"}) && inputs.node().type != "Attention") {
    Dims both = cache;
    both.insert(both.begin(), 2);
    return std::vector<FusedShape>{out, {.dims = both}};
  }
  return std::vector<FusedShape>{out, {.dims = cache}, {.dims = values}};
}

}  // namespace

std::optional<AttentionShape> attention_shape(const Node& node, const std::vector<Value>& values) {
  const FusedInputs inputs(node, values);
  const std::string_view type = plain(node.type);
  const bool own = node.type == "Attention";  // ONNX's, since opset 23
  const bool projects = !own && is_any_of(type, {"Attention", "QAttention"});
  const bool grouped = type == "GroupQueryAttention";
  if (!own && !projects && !grouped && type != "MultiHeadAttention") return std::nullopt;
  const Dims* const query = inputs.dims(0);
  if (query == nullptr || query->size() < 3) return std::nullopt;
  AttentionShape shape;
  shape.batch = (*query)[0];
  shape.queries = shape.keys = (*query)[1];
  shape.heads = node.integer(own ? "q_num_heads" : "num_heads", own && query->size() == 4 ? (*query)[1] : 0);
  shape.key_heads = node.integer("kv_num_heads", shape.heads);
  if (shape.heads > largest_length || shape.key_heads > largest_length) return std::nullopt;
  std::int64_t channels = query->back(), value_channels = 0, past = 0;
  if (projects) {
    const Dims* const weights = inputs.dims(1, 2);
    if (weights == nullptr) return std::nullopt;
    shape.hidden = (*weights)[0];
    shape.projected = (*weights)[1];
    const std::vector<std::int64_t> sizes = node.integers("qkv_hidden_sizes");
    channels = sizes.size() == 3 ? sizes[0] : shape.projected / 3;
    value_channels = sizes.size() == 3 ? sizes[2] : channels;
    if (const Dims* const before = inputs.dims(4, 5)) past = (*before)[3];
  } else if (query->size() == 5) {  // queries, keys and values in one tensor
    shape.heads = (*query)[2];
    channels = (*query)[2] * (*query)[4];
  } else if (own && query->size() == 4) {
    shape.queries = (*query)[2];
    channels = (*query)[1] * (*query)[3];
    if (const Dims* const key = inputs.dims(1, 4)) {
      shape.key_heads = (*key)[1];
      shape.keys = (*key)[2];
    }
  } else {
    const Dims* const key = inputs.dims(1);
    if (key == nullptr && grouped && shape.heads > 0)
      channels = channels / (shape.heads + 2 * std::max<std::int64_t>(shape.key_heads, 1)) * shape.heads;
    if (key != nullptr && key->size() == 3) shape.keys = (*key)[1];
    if (key != nullptr && key->size() == 4) shape.keys = (*key)[2];
    if (const Dims* const before = inputs.dims(grouped ? 3 : own ? 4 : 6, 4)) past = (*before)[2];
  }
  if (shape.heads < 1 || shape.key_heads < 1 || channels < shape.heads) return std::nullopt;
  shape.keys += past;
  shape.head = channels / shape.heads;
  shape.value_head = value_channels >= shape.heads ? value_channels / shape.heads : shape.head;
  return shape;
}

std::optional<std::vector<FusedShape>> fused_shapes(const Node& node, const std::vector<Value>& values) {
  const FusedInputs inputs(node, values);
  if (const auto attention = attention_shape(node, values)) return attended(inputs, *attention);
  const std::string_view type = plain(node.type);
  if (type == "Einsum") return summed(inputs);
  if (type == "NonMaxSuppression") return chosen_boxes(inputs);
  if (type == "EmbedLayerNormalization") return embedded(inputs);
  if (is_any_of(type, {"MatMulNBits", "MatMulBnb4"})) return with_last(inputs, node.integer("N", 0));
  if (is_any_of(type, {"FusedMatMul", "TransposeMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"}))
    return matrix_product(inputs);
  if (is_any_of(type, {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
                       "SimplifiedLayerNormalization", "LayerNormalization", "RMSNormalization", "BiasGelu",
                       "FastGelu", "QuickGelu", "Gelu", "RotaryEmbedding", "BiasAdd", "QLinearSigmoid",
                       "QLinearLeakyRelu", "QLinearAdd", "QLinearMul", "QuantizeLinear", "DequantizeLinear"}))
    return same(inputs);
  return std::nullopt;
}

}  // namespace jostle::profiles::onnx_reader
