// A GPU to lower networks for.
#pragma once

#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// Of an Orin Nano Super, by NVIDIA's data sheets and the CUDA guide's table per compute capability.
inline gpu::Spec orin() {
  gpu::Spec gpu;
  gpu.architecture = "sm_87";
  gpu.sm_count = 8;
  gpu.max_clock_hz = 1.02e9;
  gpu.max_threads_per_sm = 1536;
  gpu.max_blocks_per_sm = 16;
  gpu.shared_bytes_per_sm = 164 * 1024;
  gpu.cuda_cores = {.fp32 = 256, .tf32 = 0, .fp16 = 512, .int8 = 0};
  gpu.tensor_cores = {.fp32 = 0, .tf32 = 1024, .fp16 = 2048, .int8 = 4096};
  gpu.l2_bytes = 2e6;
  gpu.bandwidth_bytes_per_s = 102.4e9;
  gpu.kernel_fixed = sim::microseconds(4);
  return gpu;
}

}  // namespace jostle::dnn
