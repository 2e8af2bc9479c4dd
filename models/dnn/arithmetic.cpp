#include "models/dnn/arithmetic.hpp"

namespace jostle::dnn {
namespace {

double of(const gpu::PerPrecision& rates, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return rates.fp32;
    case Precision::tf32:
      return rates.tf32;
    case Precision::fp16:
      return rates.fp16;
    case Precision::int8:
      return rates.int8;
  }
  return 0;
}

double own_or(const gpu::PerPrecision& own, Precision precision, double usual) {
  const double differs = of(own, precision);
  return differs > 0 ? differs : usual;
}

bool has_int8_kernels(Op op) {
  switch (op) {
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
  if (const double plain = of(gpu.cuda_cores, precision); plain > 0) return {precision, false, plain};
  return {Precision::fp32, false, gpu.cuda_cores.fp32};
}

ArithmeticPath path_for(const gpu::Spec& gpu, const FusedLayer& layer, Precision precision) {
  if (layer.precision) return path_for(gpu, *layer.precision);
  return path_for(gpu,
                  precision == Precision::int8 && !has_int8_kernels(layer.op) ? Precision::fp16 : precision);
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
  const std::int64_t group = path.precision == Precision::int8   ? 32
                             : path.precision == Precision::fp16 ? 8
                                                                 : 4;
  return (channels + group - 1) / group * group;
}

}  // namespace jostle::dnn
