// The probe's kernels. All but two have the same parameters, so that one launch serves them all:
//   amount     cycles, iterations or words a thread, by the kernel
//   stamps     two times of each launch in order: first block's start, last block's end (globaltimer, ns)
//   capacity   launches that `stamps` holds
//   state      the launches so far, and the blocks of the present one that ended
//   data, words  a buffer of 16-byte words that the kernel may read and write
// One stream runs one such kernel at a time, so `state` needs no other order.
//
// scripts/probe-kernels makes kernels.ptx of this file.

#include "stamps.cuh"

#define PARAMETERS u64 amount, Stamp *stamps, u32 capacity, u32 *state, uint4 *data, u64 words

// Holds an SM's slots for `amount` cycles and does nothing.
extern "C" __global__ void spin(PARAMETERS) {
  begin(stamps, capacity, state);
  const long long from = clock64();
  while (clock64() - from < (long long)amount) {
  }
  end(stamps, capacity, state);
}

// Fused multiply-adds in one chain a thread: bound by their latency.
extern "C" __global__ void fma1(PARAMETERS) {
  begin(stamps, capacity, state);
  float a = threadIdx.x;
#pragma unroll 8
  for (u64 i = 0; i < amount; ++i) a = fmaf(a, 0.999f, 1.0f);
  if (a == 123.456f) data[0].x = 1;
  end(stamps, capacity, state);
}

// Fused multiply-adds in four chains a thread: bound by the pipe.
extern "C" __global__ void fma4(PARAMETERS) {
  begin(stamps, capacity, state);
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
  for (u64 i = 0; i < amount; ++i) {
    a = fmaf(a, 0.999f, 1.0f);
    b = fmaf(b, 0.999f, 1.0f);
    c = fmaf(c, 0.999f, 1.0f);
    d = fmaf(d, 0.999f, 1.0f);
  }
  if (a + b + c + d == 123.456f) data[0].x = 1;
  end(stamps, capacity, state);
}

// Reads `amount` words a thread, each word once by the whole grid; goes round in the buffer.
extern "C" __global__ void read(PARAMETERS) {
  begin(stamps, capacity, state);
  const u64 threads = (u64)gridDim.x * blockDim.x;
  // Each launch begins where the last one ended, so that no launch finds its lines in the cache.
  const u64 first = (u64)(*(volatile u32*)state) * threads * amount;
  u64 at = (first + (u64)blockIdx.x * blockDim.x + threadIdx.x) % words;
  uint4 sum = {0, 0, 0, 0};
  for (u64 i = 0; i < amount; ++i) {
    const uint4 word = data[at];
    sum.x ^= word.x;
    sum.y ^= word.y;
    sum.z ^= word.z;
    sum.w ^= word.w;
    at += threads;
    if (at >= words) at -= words;
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678u) data[0].x = 1;
  end(stamps, capacity, state);
}

// Writes `amount` words a thread, as `read` reads them.
extern "C" __global__ void write(PARAMETERS) {
  begin(stamps, capacity, state);
  const u64 threads = (u64)gridDim.x * blockDim.x;
  const u64 first = (u64)(*(volatile u32*)state) * threads * amount;
  u64 at = (first + (u64)blockIdx.x * blockDim.x + threadIdx.x) % words;
  for (u64 i = 0; i < amount; ++i) {
    data[at] = make_uint4(i, i, i, i);
    at += threads;
    if (at >= words) at -= words;
  }
  end(stamps, capacity, state);
}

// c = a * b + c elementwise on `amount` words a thread: two words read, one written.
extern "C" __global__ void elementwise(PARAMETERS) {
  begin(stamps, capacity, state);
  const u64 threads = (u64)gridDim.x * blockDim.x, third = words / 3;
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  for (u64 i = 0; i < amount && at < third; ++i, at += threads) {
    const uint4 a = data[at], b = data[at + third];
    uint4 c;
    c.x = __float_as_uint(fmaf(__uint_as_float(a.x), 0.5f, __uint_as_float(b.x)));
    c.y = __float_as_uint(fmaf(__uint_as_float(a.y), 0.5f, __uint_as_float(b.y)));
    c.z = __float_as_uint(fmaf(__uint_as_float(a.z), 0.5f, __uint_as_float(b.z)));
    c.w = __float_as_uint(fmaf(__uint_as_float(a.w), 0.5f, __uint_as_float(b.w)));
    data[at + 2 * third] = c;
  }
  end(stamps, capacity, state);
}

// Sums `amount` words a thread, then the block's sums through shared memory.
extern "C" __global__ void reduction(PARAMETERS) {
  __shared__ float sums[1024];
  begin(stamps, capacity, state);
  const u64 threads = (u64)gridDim.x * blockDim.x;
  u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) % words;
  float sum = 0;
  for (u64 i = 0; i < amount; ++i) {
    const uint4 word = data[at];
    sum += __uint_as_float(word.x) + __uint_as_float(word.y) + __uint_as_float(word.z) + __uint_as_float(word.w);
    at += threads;
    if (at >= words) at -= words;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0 && sums[0] == 123.456f) data[0].x = 1;
  end(stamps, capacity, state);
}

// A depthwise convolution of 3 x 3 in fp32 on images of 112 x 112: a thread makes four neighbours, `amount` times.
extern "C" __global__ void depthwise(PARAMETERS) {
  begin(stamps, capacity, state);
  const float* in = (const float*)data;
  const u64 half = words * 2;
  float* out = (float*)data + half;
  const u64 threads = (u64)gridDim.x * blockDim.x;
  u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
  for (u64 i = 0; i < amount && at + 4 < half - 3 * 112; ++i, at += threads * 4) {
    float sum[4] = {0, 0, 0, 0};
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x)
        for (int k = 0; k < 4; ++k) sum[k] = fmaf(in[at + (u64)y * 112 + x + k], 0.1f * (x + y), sum[k]);
    for (int k = 0; k < 4; ++k) out[at + k] = sum[k];
  }
  end(stamps, capacity, state);
}

// A product of square matrices of fp32, side `amount` (a multiple of 64), in tiles of 64 x 64 with 256 threads,
// each of which makes 4 x 4 results. The grid has a block a tile.
extern "C" __global__ void __launch_bounds__(256) gemm(PARAMETERS) {
  __shared__ float left[16][64], right[16][64];
  begin(stamps, capacity, state);
  const u32 side = (u32)amount, tiles = side / 64;
  const float* a = (const float*)data;
  const float* b = a + (u64)side * side;
  float* c = (float*)b + (u64)side * side;
  const u32 row = blockIdx.x / tiles * 64, column = blockIdx.x % tiles * 64;
  const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum[4][4] = {};
  for (u32 k = 0; k < side; k += 16) {
    for (u32 i = threadIdx.x; i < 16 * 64; i += 256) {
      left[i % 16][i / 16] = a[(u64)(row + i / 16) * side + k + i % 16];
      right[i / 64][i % 64] = b[(u64)(k + i / 64) * side + column + i % 64];
    }
    __syncthreads();
    for (u32 j = 0; j < 16; ++j)
      for (u32 m = 0; m < 4; ++m)
        for (u32 n = 0; n < 4; ++n) sum[m][n] = fmaf(left[j][y * 4 + m], right[j][x * 4 + n], sum[m][n]);
    __syncthreads();
  }
  for (u32 m = 0; m < 4; ++m)
    for (u32 n = 0; n < 4; ++n) c[(u64)(row + y * 4 + m) * side + column + x * 4 + n] = sum[m][n];
  end(stamps, capacity, state);
}

// Follows a chain of `amount` pointers (element i holds the next index, in units of 16 bytes) with one thread;
// writes the cycles that it took to the last word.
extern "C" __global__ void chase(PARAMETERS) {
  begin(stamps, capacity, state);
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    u32 at = 0;
    const long long from = clock64();
    for (u64 i = 0; i < amount; ++i) at = ((volatile u32*)data)[(u64)at * 4];
    const long long took = clock64() - from;
    data[words - 1] = make_uint4((u32)took, (u32)(took >> 32), at, 0);
  }
  end(stamps, capacity, state);
}

// Makes the chain that `chase` follows: one ring over `words` - 1 elements, `amount` elements apart.
extern "C" __global__ void make_chain(PARAMETERS) {
  begin(stamps, capacity, state);
  const u64 length = words - 1, threads = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < length; i += threads)
    data[i] = make_uint4((u32)((i + amount) % length), 0, 0, 0);
  end(stamps, capacity, state);
}

struct Gap {
  u64 from_ns, to_ns;
  long long from_cycle, to_cycle;
};

// Watches both clocks for `for_ns` and writes the gaps in which it did not run, those of more than `least_ns`
// or `least_cycles`. found[0]: their number; gaps[0]: the first and last reading.
extern "C" __global__ void watch(u64 for_ns, u64 least_ns, long long least_cycles, Gap* gaps, u32 capacity, u32* found) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  u32 count = 1;
  const u64 begin_ns = globaltimer();
  const long long begin_cycle = clock64();
  u64 last_ns = begin_ns;
  long long last_cycle = begin_cycle;
  for (;;) {
    const u64 now_ns = globaltimer();
    const long long now_cycle = clock64();
    if ((now_ns - last_ns > least_ns || now_cycle - last_cycle > least_cycles) && count < capacity)
      gaps[count++] = {last_ns, now_ns, last_cycle, now_cycle};
    last_ns = now_ns;
    last_cycle = now_cycle;
    if (now_ns - begin_ns > for_ns) break;
  }
  gaps[0] = {begin_ns, last_ns, begin_cycle, last_cycle};
  *found = count;
}

// Watches globaltimer and clock64 for `for_ns` and writes both once every `every_ns`: the clock of the SMs.
extern "C" __global__ void watch_clock(u64 for_ns, u64 every_ns, u64* pairs, u32 capacity, u32* found) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  const u64 from = globaltimer();
  u64 due = from;
  u32 count = 0;
  for (;;) {
    const u64 now = globaltimer();
    if (now >= due && count < capacity) {
      pairs[2 * count] = now;
      pairs[2 * count + 1] = (u64)clock64();
      ++count;
      due = now + every_ns;
    }
    if (now - from > for_ns) break;
  }
  *found = count;
}

// Sets a word that the host sees: the end of a launch that nothing else shows.
extern "C" __global__ void flag(volatile u32* word, u32 value) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *word = value;
    __threadfence_system();
  }
}
