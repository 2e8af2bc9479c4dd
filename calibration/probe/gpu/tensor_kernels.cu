// The probe's kernel for tensor cores, apart from kernels.cu since it needs compute capability 7.0.
// Parameters as there. scripts/probe-kernels makes tensor_kernels.ptx of this file.
#include <mma.h>

#include "stamps.cuh"

// The next of a row of random numbers between -1 and 1.
__device__ __forceinline__ __half number(u32& bits) {
  bits = bits * 1664525u + 1013904223u;
  return __float2half((float)(bits >> 8) / 8388608.0f - 1.0f);
}

// `amount` products of 16 x 16 x 16 in fp16 a warp, in two chains.
extern "C" __global__ void mma(u64 amount, Stamp* stamps, u32 capacity, u32* state, uint4* data, u64 words) {
  using namespace nvcuda::wmma;
  begin(stamps, capacity, state);
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> b;
  fragment<matrix_b, 16, 16, 16, __half, col_major> negative;
  fragment<accumulator, 16, 16, 16, __half> c, d;
  // Every element another number: power depends on the bits that change, and of equal products the compiler
  // makes one.
  u32 bits = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = number(bits);
  for (int i = 0; i < b.num_elements; ++i) {
    b.x[i] = number(bits);
    negative.x[i] = __hneg(b.x[i]);
  }
  for (int i = 0; i < c.num_elements; ++i) {
    c.x[i] = number(bits);
    d.x[i] = number(bits);
  }
  // A later product takes away what an earlier one adds, so that sums stay small.
  for (u64 i = 0; i < amount; i += 4) {
    mma_sync(c, a, b, c);
    mma_sync(d, a, negative, d);
    mma_sync(c, a, negative, c);
    mma_sync(d, a, b, d);
  }
  // Every sum is used, or the compiler drops the products that make the others.
  float sum = 0;
  for (int i = 0; i < c.num_elements; ++i) sum += __half2float(c.x[i]) + __half2float(d.x[i]);
  if (sum == 123.456f) data[0].x = 1;
  end(stamps, capacity, state);
}
