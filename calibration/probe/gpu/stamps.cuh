// The stamps that each kernel of the probe writes (kernels.cu tells the parameters).
#pragma once

typedef unsigned long long u64;
typedef unsigned int u32;

struct Stamp {
  u64 start, end;
};

__device__ __forceinline__ u64 globaltimer() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ __forceinline__ void begin(Stamp* stamps, u32 capacity, u32* state) {
  if (blockIdx.x == 0 && threadIdx.x == 0) stamps[*(volatile u32*)state % capacity].start = globaltimer();
}

__device__ __forceinline__ void end(Stamp* stamps, u32 capacity, u32* state) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(&state[1], 1u) != gridDim.x - 1) return;
  const u32 launch = *(volatile u32*)state;
  stamps[launch % capacity].end = globaltimer();
  state[1] = 0;
  state[0] = launch + 1;
}

