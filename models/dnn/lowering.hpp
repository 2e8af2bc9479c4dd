// The ways in which the operators of a network become kernels.
#pragma once

namespace jostle::dnn {

enum class Lowering {
  framework,  // operator by operator, as PyTorch does, whether launched eagerly or replayed as a CUDA graph
  optimised,  // fused ahead of time, as TensorRT does
  graph,      // fused where a library's kernel takes the next operator along, as ONNX Runtime does on CUDA
  cores,      // fused as libraries for CPU cores do: batch norms and rectifiers into products
};

[[nodiscard]] constexpr const char* to_string(Lowering lowering) {
  switch (lowering) {
    case Lowering::framework:
      return "framework";
    case Lowering::graph:
      return "graph";
    case Lowering::cores:
      return "cores";
    case Lowering::optimised:
      break;
  }
  return "optimised";
}

}  // namespace jostle::dnn
