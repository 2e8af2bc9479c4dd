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
      {"Conv", Kind::convolution, Op::conv},
      {"ConvInteger", Kind::convolution, Op::conv, Activation::none, 1, -1, true},
      {"QLinearConv", Kind::convolution, Op::conv, Activation::none, 3, 8, true},
      {"ConvTranspose", Kind::convolution, Op::conv_transpose},
      {"Gemm", Kind::product, Op::linear},
      {"MatMul", Kind::product, Op::linear},
      {"MatMulInteger", Kind::product, Op::linear, Activation::none, 1, -1, true},
      {"QLinearMatMul", Kind::product, Op::linear, Activation::none, 3, -1, true},
      {"com.microsoft.FusedConv", Kind::convolution, Op::conv},
      {"com.microsoft.FusedGemm", Kind::product, Op::linear},
      {"com.microsoft.FusedMatMul", Kind::product, Op::linear, Activation::none, 1, -1},
      {"com.microsoft.TransposeMatMul", Kind::product, Op::linear, Activation::none, 1, -1},
      {"com.microsoft.DynamicQuantizeMatMul", Kind::product, Op::linear, Activation::none, 1, 4},
      {"com.microsoft.MatMulIntegerToFloat", Kind::product, Op::linear, Activation::none, 1, 6, true},
      {"BatchNormalization", Kind::norm, Op::batch_norm},
      {"InstanceNormalization", Kind::norm, Op::layer_norm},
      {"GroupNormalization", Kind::norm, Op::layer_norm},
      {"LayerNormalization", Kind::layer_norm, Op::layer_norm},
      {"SimplifiedLayerNormalization", Kind::layer_norm, Op::layer_norm},
      {"RMSNormalization", Kind::layer_norm, Op::layer_norm},
      {"com.microsoft.SkipLayerNormalization", Kind::layer_norm, Op::layer_norm},
      {"com.microsoft.SkipSimplifiedLayerNormalization", Kind::layer_norm, Op::layer_norm},
      {"MaxPool", Kind::pool, Op::max_pool},
      {"AveragePool", Kind::pool, Op::average_pool},
      {"LpPool", Kind::pool, Op::average_pool},
      {"GlobalAveragePool", Kind::global_pool, Op::average_pool},
      {"GlobalMaxPool", Kind::global_pool, Op::max_pool},
      {"ReduceMean", Kind::reduction, Op::average_pool},
      {"ReduceMax", Kind::reduction, Op::max_pool},
      {"Softmax", Kind::softmax, Op::softmax},
      {"LogSoftmax", Kind::softmax, Op::softmax},
      {"Resize", Kind::resize, Op::resize},
      {"Upsample", Kind::resize, Op::resize},
      {"Concat", Kind::concat, Op::concat},
      {"Slice", Kind::slice, Op::slice},
      {"Split", Kind::split, Op::slice},
      {"Gather", Kind::gather, Op::embedding},
      {"Transpose", Kind::transpose, Op::transpose},
      {"DepthToSpace", Kind::bytes, Op::transpose},
      {"SpaceToDepth", Kind::bytes, Op::transpose},
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
