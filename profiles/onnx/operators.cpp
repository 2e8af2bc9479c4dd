#include "profiles/onnx/operators.hpp"

#include <algorithm>
#include <vector>

namespace jostle::profiles::onnx_reader {
namespace {

using dnn::Activation;
using dnn::Op;

// The table of known operators; its length follows from their number.
std::vector<Operator> table() {  // NOLINT(readability-function-size)
  std::vector<Operator> all{
#include "profiles/onnx/operators.inc"
  };
  const auto put = [&all](Kind kind, Op op, Activation activation, std::initializer_list<const char*> types) {
    for (const char* type : types) all.push_back({type, kind, op, activation});
  };
  put(Kind::elementwise, Op::add, Activation::none,
      {"Add", "Sub", "Sum", "Mean", "Min", "Max", "com.microsoft.BiasAdd", "com.microsoft.QLinearAdd"});
  put(Kind::elementwise, Op::multiply, Activation::none,
      {"Mul", "Div", "Pow", "Mod", "BitShift", "RotaryEmbedding", "com.microsoft.RotaryEmbedding",
       "com.microsoft.QLinearMul"});
  put(Kind::chain, Op::other, Activation::none,
      {"Attention", "com.microsoft.Attention", "com.microsoft.QAttention", "com.microsoft.MultiHeadAttention",
       "com.microsoft.GroupQueryAttention", "com.microsoft.EmbedLayerNormalization",
       "com.microsoft.MatMulNBits", "com.microsoft.MatMulBnb4", "LSTM", "GRU", "RNN", "Einsum"});
  put(Kind::elementwise, Op::other, Activation::none,
      {"Where", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"});
  put(Kind::elementwise, Op::activation, Activation::relu, {"Relu"});
  put(Kind::elementwise, Op::activation, Activation::leaky_relu,
      {"LeakyRelu", "PRelu", "com.microsoft.QLinearLeakyRelu"});
  put(Kind::elementwise, Op::activation, Activation::sigmoid, {"Sigmoid", "com.microsoft.QLinearSigmoid"});
  put(Kind::elementwise, Op::activation, Activation::tanh, {"Tanh"});
  put(Kind::elementwise, Op::activation, Activation::silu, {"Silu"});
  put(Kind::elementwise, Op::activation, Activation::gelu,
      {"Gelu", "com.microsoft.Gelu", "com.microsoft.FastGelu", "com.microsoft.BiasGelu",
       "com.microsoft.QuickGelu"});
  put(Kind::elementwise, Op::activation, Activation::hard_swish, {"HardSwish"});
  put(Kind::elementwise, Op::activation, Activation::hard_sigmoid, {"HardSigmoid"});
  put(Kind::elementwise, Op::activation, Activation::other,
      {"Clip",  "Elu",   "Selu",  "Celu",   "Softplus",   "Softsign", "Mish",           "Erf",   "Exp",
       "Log",   "Sqrt",  "Neg",   "Abs",    "Reciprocal", "Floor",    "Ceil",           "Round", "Sign",
       "Sin",   "Cos",   "Tan",   "Not",    "Acos",       "Asin",     "Atan",           "Sinh",  "Cosh",
       "Asinh", "Acosh", "Atanh", "Shrink", "IsNaN",      "IsInf",    "ThresholdedRelu"});
  put(Kind::view, Op::reshape, Activation::none, {"Reshape", "Flatten", "Squeeze", "Unsqueeze"});
  put(Kind::alias, Op::reshape, Activation::none,
      {"Identity", "Dropout", "QuantizeLinear", "DequantizeLinear", "com.microsoft.QuantizeLinear",
       "com.microsoft.DequantizeLinear"});
  put(Kind::bytes, Op::other, Activation::none,
      {"Cast",
       "CastLike",
       "Pad",
       "Tile",
       "Expand",
       "ArgMax",
       "ArgMin",
       "CumSum",
       "GatherND",
       "GatherElements",
       "ScatterND",
       "Scatter",
       "ScatterElements",
       "OneHot",
       "Trilu",
       "LRN",
       "ReduceSum",
       "ReduceProd",
       "ReduceMin",
       "ReduceL1",
       "ReduceL2",
       "ReduceSumSquare",
       "ReduceLogSum",
       "LpNormalization",
       "ReduceLogSumExp",
       "EyeLike",
       "ReverseSequence",
       "MeanVarianceNormalization",
       "Hardmax",
       "GridSample",
       "NonMaxSuppression",
       "TopK",
       "RoiAlign",
       "MaxRoiPool",
       "NonZero",
       "Unique",
       "Compress",
       "Range",
       "Shape",
       "DynamicQuantizeLinear"});
  // Sorting is stable, so the first of equal entries wins.
  std::ranges::stable_sort(all, {}, &Operator::type);
  return all;
}

}  // namespace

const Operator& operator_of(std::string_view type) {
  static const std::vector<Operator> sorted = table();
  static const Operator unknown;
  const auto found = std::ranges::lower_bound(sorted, type, {}, &Operator::type);
  return found != sorted.end() && found->type == type ? *found : unknown;
}

}  // namespace jostle::profiles::onnx_reader
