// What bounds a measured kernel, guessed from its name: profilers give a duration, not a reason.
#pragma once

#include <string_view>

#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::dnn {

enum class KernelClass {
  compute,  // convolutions and matrix products: bound by arithmetic
  memory,   // pointwise, normalisation, pooling, layout changes, depthwise: bound by bytes
};

// By substrings of the names cuDNN, cuBLAS, CUTLASS and PyTorch give their kernels. A memset is memory;
// so is a name that says nothing.
[[nodiscard]] KernelClass classify_kernel(std::string_view name);

// The shortest useful kernel: start, one wave and drain, whatever the clocks. Measured: the pointwise kernels
// of one block or a few (evidence/h200/kernels.csv: clamp, copy, add at batch 1) take 1.05-1.06 us.
[[nodiscard]] inline sim::Duration kernel_floor() {
  return sim::nanoseconds(1060);
}

// Splits the duration of `kernel`: up to the floor it is fixed, the rest belongs to the class.
void split_shares(gpu::Kernel& kernel, KernelClass kernel_class);

}  // namespace jostle::dnn
