#include "models/dnn/arithmetic.hpp"

namespace jostle::dnn {
namespace {

double rate(const gpu::OpsPerClock& ops, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return ops.fp32;
    case Precision::tf32:
      return ops.tf32;
    case Precision::fp16:
      return ops.fp16;
    case Precision::int8:
      return ops.int8;
  }
  return 0;
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
  if (const double tensor = rate(gpu.tensor_cores, precision); tensor > 0) return {precision, true, tensor};
  if (const double plain = rate(gpu.cuda_cores, precision); plain > 0) return {precision, false, plain};
  return {Precision::fp32, false, gpu.cuda_cores.fp32};
}

ArithmeticPath path_for(const gpu::Spec& gpu, const FusedLayer& layer, Precision precision) {
  if (layer.precision) return path_for(gpu, *layer.precision);
  return path_for(gpu,
                  precision == Precision::int8 && !has_int8_kernels(layer.op) ? Precision::fp16 : precision);
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
