// Times a product of one row of activations with weights in llama.cpp's block formats, as its kernel of one dot
// product a block of 128 threads does it (docs: ggml-common.h, mmvq.cu, vecdotq.cuh), with weights that stay in
// L1, L2 or DRAM. Prints SM cycles a row.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_fp16.h>
#include <vector>
#include <algorithm>

struct Activations { __half scale, sum; int8_t q[32]; };                    // q8_1
struct Q4_0 { __half d; uint8_t q[16]; };
struct Q8_0 { __half d; int8_t q[32]; };
struct Q5_0 { __half d; uint8_t high[4]; uint8_t q[16]; };
struct Q4_K { __half d, m; uint8_t scales[12]; uint8_t q[128]; };
struct Q6_K { uint8_t low[128]; uint8_t high[64]; int8_t scales[16]; __half d; };

__device__ int pair_of(const void* p, int i) {  // two loads of 16 bits: blocks are aligned to two bytes
  const uint16_t* h = static_cast<const uint16_t*>(p);
  return h[2 * i] | (h[2 * i + 1] << 16);
}
__device__ int word_of(const void* p, int i) { return static_cast<const int*>(p)[i]; }
constexpr int nibbles = 0x0F0F0F0F;

struct F4_0 {
  using Block = Q4_0;
  static constexpr int weights = 32, ints = 4, at_once = 2;
  static __device__ float dot(const Block* w, const Activations* a, int i) {
    int sum = 0;
    for (int k = 0; k < at_once; ++k) {
      const int v = pair_of(w->q, i + k);
      sum = __dp4a(v & nibbles, word_of(a->q, i + k), sum);
      sum = __dp4a((v >> 4) & nibbles, word_of(a->q, i + k + 4), sum);
    }
    return __half2float(w->d) * (sum * __half2float(a->scale) - 4 * __half2float(a->sum));
  }
};
struct F8_0 {
  using Block = Q8_0;
  static constexpr int weights = 32, ints = 8, at_once = 2;
  static __device__ float dot(const Block* w, const Activations* a, int i) {
    int sum = 0;
    for (int k = 0; k < at_once; ++k) sum = __dp4a(pair_of(w->q, i + k), word_of(a->q, i + k), sum);
    return __half2float(w->d) * __half2float(a->scale) * sum;
  }
};
struct F5_0 {
  using Block = Q5_0;
  static constexpr int weights = 32, ints = 4, at_once = 2;
  static __device__ float dot(const Block* w, const Activations* a, int i) {
    int sum = 0;
    const int all = pair_of(w->high, 0);
    for (int k = 0; k < at_once; ++k) {
      const int v = pair_of(w->q, i + k), high = all >> (4 * (i + k));
      int a0 = v & nibbles, a1 = (v >> 4) & nibbles;
      a0 |= (high << 4) & 0x10; a0 |= (high << 11) & 0x1000; a0 |= (high << 18) & 0x100000; a0 |= (high << 25) & 0x10000000;
      a1 |= (high >> 12) & 0x10; a1 |= (high >> 5) & 0x1000; a1 |= (high << 2) & 0x100000; a1 |= (high << 9) & 0x10000000;
      sum = __dp4a(a0, word_of(a->q, i + k), sum);
      sum = __dp4a(a1, word_of(a->q, i + k + 4), sum);
    }
    return __half2float(w->d) * (sum * __half2float(a->scale) - 8 * __half2float(a->sum));
  }
};
struct F4_K {
  using Block = Q4_K;
  static constexpr int weights = 256, ints = 32, at_once = 2;
  static __device__ float dot(const Block* w, const Activations* a, int i) {
    const int first = 2 * ((i / 2) / 4), j = (i / 2) % 4;
    const int* q = reinterpret_cast<const int*>(w->q + 16 * first + 4 * j);
    const int v0 = q[0], v1 = q[4];
    const uint16_t* s = reinterpret_cast<const uint16_t*>(w->scales);
    uint16_t packed[2];
    const int at = first / 2;
    if (at < 2) { packed[0] = s[at] & 0x3f3f; packed[1] = s[at + 2] & 0x3f3f; }
    else {
      packed[0] = (s[at + 2] & 0x0f0f) | ((s[at - 2] & 0xc0c0) >> 2);
      packed[1] = ((s[at + 2] >> 4) & 0x0f0f) | ((s[at] & 0xc0c0) >> 2);
    }
    const uint8_t* scale = reinterpret_cast<const uint8_t*>(packed);
    float d = 0, m = 0;
    for (int k = 0; k < 2; ++k) {
      const Activations* b = a + first + k;
      const int* u = reinterpret_cast<const int*>(b->q) + j;
      const int dots = __dp4a((v1 >> (4 * k)) & nibbles, u[4], __dp4a((v0 >> (4 * k)) & nibbles, u[0], 0));
      const int sums = __dp4a(0x01010101, u[4], __dp4a(0x01010101, u[0], 0));
      d += __half2float(b->scale) * (dots * scale[k]);
      m += __half2float(b->scale) * (sums * scale[k + 2]);
    }
    return __half2float(w->d) * d - __half2float(w->m) * m;
  }
};
struct F6_K {
  using Block = Q6_K;
  static constexpr int weights = 256, ints = 32, at_once = 1;
  static __device__ float dot(const Block* w, const Activations* a, int i) {
    const int first = 4 * (i / 16) + (i % 16) / 8, scale_at = 8 * (i / 16) + (i % 16) / 4, shift = 2 * ((i % 16) / 8);
    const int low = pair_of(w->low, i), high = pair_of(w->high, 8 * (i / 16) + i % 8) >> shift;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
      const Activations* b = a + first + 2 * k;
      const int v = __vsubss4(((low >> (4 * k)) & nibbles) | (((high >> (4 * k)) << 4) & 0x30303030), 0x20202020);
      sum += __half2float(b->scale) * (__dp4a(v, word_of(b->q, i % 8), 0) * w->scales[scale_at + 4 * k]);
    }
    return __half2float(w->d) * sum;
  }
};

template <class F>
__global__ void dots(const typename F::Block* w, const Activations* a, float* out, int blocks, int resident) {
  constexpr int warps = 4, each = F::ints / F::at_once, step = warps * 32 / each;
  const int t = 32 * threadIdx.y + threadIdx.x;
  const typename F::Block* row = w + static_cast<size_t>(blockIdx.x % resident) * blocks;
  float sum = 0;
  for (int b = t / each; b < blocks; b += step)
    sum += F::dot(row + b, a + b * (F::weights / 32), F::at_once * (t % each));
  __shared__ float parts[warps - 1][32];
  if (threadIdx.y > 0) parts[threadIdx.y - 1][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int k = 0; k < warps - 1; ++k) sum += parts[k][threadIdx.x];
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, k);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void clocks(unsigned long long* c) {
  unsigned long long t0, t1; const unsigned long long c0 = clock64();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t0));
  do { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t1)); } while (t1 - t0 < 5000000);
  c[0] = clock64() - c0; c[1] = t1 - t0;
}
int sms;
cudaStream_t stream;
double hz() {
  unsigned long long *c, h[2]; cudaMalloc(&c, 16); clocks<<<1, 1>>>(c); cudaMemcpy(h, c, 16, cudaMemcpyDeviceToHost); cudaFree(c);
  return 1e9 * h[0] / h[1];
}
template <class F> void measure(const char* name, const char* where, long long bytes_kept) {
  for (const int columns : {256, 512, 576, 768, 896, 1024, 1152, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384}) {
    if (columns % F::weights != 0) continue;
    const int blocks = columns / F::weights; const size_t row_bytes = blocks * sizeof(typename F::Block);
    const int resident = std::max<long long>(1, bytes_kept / row_bytes);
    const int rows = sms * 16 * 40;
    typename F::Block* w; Activations* a; float* out;
    cudaMalloc(&w, resident * row_bytes); cudaMalloc(&a, columns / 32 * sizeof(Activations)); cudaMalloc(&out, rows * 4);
    cudaMemset(w, 0x11, resident * row_bytes); cudaMemset(a, 0x11, columns / 32 * sizeof(Activations));
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    std::vector<float> ms;
    for (int r = 0; r < 24; ++r) {
      cudaEventRecord(e0, stream); dots<F><<<rows, dim3(32, 4), 0, stream>>>(w, a, out, blocks, resident); cudaEventRecord(e1, stream);
      cudaEventSynchronize(e1); float t; cudaEventElapsedTime(&t, e0, e1); if (r >= 4) ms.push_back(t);
    }
    std::sort(ms.begin(), ms.end());
    const double clock = hz(), t = ms[ms.size() / 2] * 1e-3;
    printf("%d,%s,%s,%d,%d,%.6g,%.1f,%.4f,%.1f\n", sms, name, where, columns, rows, t * 1e6, clock / 1e6, t * clock * sms / rows, rows * row_bytes / t / 1e9);
    cudaFree(w); cudaFree(a); cudaFree(out);
  }
  if (cudaGetLastError() != cudaSuccess) printf("error\n");
}
// A stream on so many SMs (a green context), which start their blocks without waiting for those of the others.
void on(CUdevice device, unsigned count) {
  CUdevResource all, part, rest; unsigned groups = 1; CUdevResourceDesc desc; CUgreenCtx green; CUstream made;
  cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM);
  CUresult r = cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, count);
  if (r == 0) r = cuDevResourceGenerateDesc(&desc, &part, 1);
  if (r == 0) r = cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM);
  if (r == 0) r = cuGreenCtxStreamCreate(&made, green, CU_STREAM_NON_BLOCKING, 0);
  if (r != 0) { printf("green context: error %d\n", r); exit(1); }
  sms = part.sm.smCount; stream = made;
}
int main() {
  cudaFree(nullptr); CUdevice device; cuDeviceGet(&device, 0);
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  printf("sms,format,weights_in,columns,rows,us,mhz,sm_cycles_a_row,gb_s\n");
  struct { const char* n; long long kept; } places[] = {{"L1", 64 << 10}, {"L2", 20 << 20}};
  for (const int count : {8, 16, 32, p.multiProcessorCount}) {
    if (count < p.multiProcessorCount) on(device, count); else { sms = count; stream = nullptr; }
    for (auto& at : places) {
      measure<F4_0>("q4_0", at.n, at.kept); measure<F8_0>("q8_0", at.n, at.kept); measure<F5_0>("q5_0", at.n, at.kept);
      measure<F4_K>("q4_K", at.n, at.kept); measure<F6_K>("q6_K", at.n, at.kept);
    }
  }
  sms = p.multiProcessorCount; stream = nullptr;
  measure<F4_0>("q4_0", "DRAM", 2LL << 30); measure<F8_0>("q8_0", "DRAM", 2LL << 30); measure<F5_0>("q5_0", "DRAM", 2LL << 30);
  measure<F4_K>("q4_K", "DRAM", 2LL << 30); measure<F6_K>("q6_K", "DRAM", 2LL << 30);
}
