// The bound of a measured kernel, guessed from its name: profilers report a duration, but not its cause.
#pragma once

#include <string_view>

#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::dnn {

enum class KernelClass {
  compute,  // convolutions and matrix products: bound by arithmetic
  memory,   // pointwise, normalisation, pooling, layout changes, depthwise: bound by bytes
};

// Guesses the class by substrings of the names that cuDNN, cuBLAS, CUTLASS and PyTorch give their kernels. A
// memset, and a name without any known substring, is `memory`.
[[nodiscard]] KernelClass classify_kernel(std::string_view name);

// True if the name is that of a persistent kernel (gpu::Kernel::persistent), known from the grids that
// libraries launch on 12 to 132 SMs of an H100 (evidence/h100-shares/kernels.csv): cuBLAS's products and
// cuDNN's convolutions for Hopper, and cuDNN's copies to another layout. cuDNN's attention has 132 blocks for
// 384 tiles (evidence/h100-nets/launches.csv.gz).
[[nodiscard]] bool is_persistent(std::string_view name);

// The shortest useful kernel: start, one wave and drain, independent of clocks. Measured: pointwise kernels
// of one or a few blocks (evidence/h200/kernels.csv: clamp, copy, add at batch 1) take 1.05-1.06 us.
[[nodiscard]] inline sim::Duration kernel_floor() {
  return sim::nanoseconds(1060);
}

// Splits the duration of `kernel`: the part up to the floor is fixed, the rest is bound by arithmetic or
// bytes, as the class says.
void split_shares(gpu::Kernel& kernel, KernelClass kernel_class);

}  // namespace jostle::dnn
