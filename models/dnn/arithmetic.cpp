#include "models/dnn/arithmetic.hpp"

#include <array>
#include <cstddef>

namespace jostle::dnn {
namespace {

double of(const gpu::PerPrecision& rates, Precision precision) {
  using Rates = gpu::PerPrecision;
  static constexpr std::array<double Rates::*, all_precisions.size()> members{
      &Rates::fp32, &Rates::tf32, &Rates::fp16, &Rates::int8, &Rates::fp8, &Rates::nvfp4};
  return rates.*members.at(static_cast<std::size_t>(precision));
}

double own_or(const gpu::PerPrecision& own, Precision precision, double usual) {
  const double differs = of(own, precision);
  return differs > 0 ? differs : usual;
}

// TensorRT has no fp8 kernels of convolutions in groups (release notes of 10.12), and multiplies nvfp4 in
// linear layers alone ("Working with Quantized Types").
bool has_kernels(const FusedLayer& layer, Precision precision) {
  if (precision < Precision::int8) return true;
  if (precision == Precision::nvfp4) return layer.op == Op::linear;
  if (precision == Precision::fp8 && layer.groups > 1) return false;
  switch (layer.op) {
    case Op::layer_norm:
    case Op::softmax:
    case Op::embedding:
    case Op::matmul:
    case Op::other:
      return false;
    default:
      return true;
  }
}

}  // namespace

ArithmeticPath path_for(const gpu::Spec& gpu, Precision precision) {
  if (const double tensor = of(gpu.tensor_cores, precision); tensor > 0) return {precision, true, tensor};
  if (is_short_float(precision)) return path_for(gpu, Precision::fp16);
  if (const double plain = of(gpu.cuda_cores, precision); plain > 0) return {precision, false, plain};
  return {Precision::fp32, false, gpu.cuda_cores.fp32};
}

ArithmeticPath path_for(const gpu::Spec& gpu, const FusedLayer& layer, Precision precision) {
  if (layer.precision) return path_for(gpu, *layer.precision);
  return path_for(gpu, has_kernels(layer, precision) ? precision : Precision::fp16);
}

double tensor_efficiency(const gpu::Spec& gpu, Precision precision) {
  return own_or(gpu.kernels.tensor_efficiency_of, precision, gpu.kernels.tensor_efficiency);
}
double cuda_efficiency(const gpu::Spec& gpu, Precision precision) {
  return own_or(gpu.kernels.cuda_efficiency_of, precision, gpu.kernels.cuda_efficiency);
}
double winograd_gain(const gpu::Spec& gpu, Precision precision) {
  return own_or(gpu.kernels.winograd_gain_of, precision, gpu.kernels.winograd_gain);
}

std::int64_t padded_channels(std::int64_t channels, const ArithmeticPath& path) {
  if (!path.tensor_cores) return channels;
  if (channels <= 4) return 4;
  static constexpr std::array<std::int64_t, all_precisions.size()> groups{4, 4, 8, 32, 16, 32};
  const std::int64_t group = groups.at(static_cast<std::size_t>(path.precision));
  return (channels + group - 1) / group * group;
}

}  // namespace jostle::dnn
