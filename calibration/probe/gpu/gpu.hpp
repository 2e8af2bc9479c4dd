// One process's GPU: its context, the probe's kernels, and queues that launch them. Used in the processes
// that children.hpp forks, never in the probe's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "calibration/probe/gpu/cuda.hpp"

namespace jostle::calibration::probe {

// A GPU by its driver.
struct GpuFacts {
  std::array<char, 128> name{};  // ends with 0
  int driver = 0;                // CUDA version, 12040 is 12.4
  int major = 0, minor = 0, sms = 0;
  double clock_mhz = 0, memory_mhz = 0;
  int memory_bits = 0;
  double memory_bytes = 0, l2_bytes = 0, shared_bytes_per_sm = 0;
  int shared_bytes_per_block = 0, registers_per_sm = 0, threads_per_sm = 0, blocks_per_sm = 0;
  bool integrated = false, preemption = false;

  // The bandwidth of a memory with two transfers a clock, in bytes a second.
  [[nodiscard]] double peak_bandwidth() const { return memory_mhz * 1e6 * 2 * memory_bits / 8; }
};
// The GPU that the driver lists first. Throws GpuError.
[[nodiscard]] GpuFacts gpu_facts();

// The kernels with the parameters that kernels.cu names.
enum class KernelKind : std::uint8_t {
  spin,
  fma1,
  fma4,
  mma,
  read,
  write,
  elementwise,
  reduction,
  depthwise,
  gemm
};
inline constexpr std::size_t kernel_kinds = 10;
[[nodiscard]] std::string_view name(KernelKind kind);

struct Launch {
  KernelKind kind = KernelKind::spin;
  unsigned blocks = 1, threads = 32;
  std::uint64_t amount = 0;
  unsigned shared_bytes = 0;
};

// Times of a launch on the GPU's clock, in nanoseconds: first block's start, last block's end.
struct Stamp {
  std::uint64_t start = 0, end = 0;
};

class Gpu {
 public:
  // Opens the GPU in this process. `wait_flag`: one of cuda::wait_*, how the process waits for the GPU.
  explicit Gpu(unsigned wait_flag = cuda::wait_spinning);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Cuda& cuda;
  [[nodiscard]] const GpuFacts& identity() const { return identity_; }
  // A kernel of the probe, by the name that kernels.cu gives it. Throws GpuError where the GPU cannot run it.
  [[nodiscard]] cuda::Function function(std::string_view name) const;
  [[nodiscard]] cuda::Function function(KernelKind kind) const {
    return functions_[static_cast<std::size_t>(kind)];
  }
  // Lets the calling thread use this GPU; the thread that made it may already.
  void make_current() const { cuda.check("cuCtxSetCurrent", cuda.context_set(context_)); }

 private:
  GpuFacts identity_;
  cuda::Context context_ = nullptr;
  cuda::Module module_ = nullptr, tensor_module_ = nullptr;
  cuda::Function functions_[kernel_kinds] = {};
};

// Memory of the device, set to zero.
class DeviceMemory {
 public:
  DeviceMemory(const Gpu& gpu, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] cuda::Pointer at() const { return pointer_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void copy_out(void* to, std::size_t bytes) const;

 private:
  const Gpu& gpu_;
  cuda::Pointer pointer_ = 0;
  std::size_t bytes_ = 0;
};

// Memory of the host that is locked, from and to which the GPU copies.
class HostMemory {
 public:
  HostMemory(const Gpu& gpu, std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] void* at() const { return host_; }

 private:
  const Gpu& gpu_;
  void* host_ = nullptr;
};

// A stream and what its kernels write: the stamps of its last launches.
class Queue {
 public:
  // `capacity`: launches whose stamps are kept. `data_bytes`: the buffer that its kernels read and write.
  Queue(const Gpu& gpu, std::size_t capacity, std::size_t data_bytes = 16, int priority = 0);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void launch(const Launch& launch);
  // Makes a graph of the launches, in order, which replay() launches at once.
  void capture(std::span<const Launch> launches);
  void replay();
  void synchronize() const;
  // The stamps in order of launch, after all have ended. Only the last `capacity` if there were more.
  [[nodiscard]] std::vector<Stamp> stamps() const;
  void forget_stamps();  // waits for what is launched
  [[nodiscard]] cuda::Stream stream() const { return stream_; }

 private:
  const Gpu& gpu_;
  std::size_t capacity_;
  cuda::Stream stream_ = nullptr;
  cuda::GraphExec graph_ = nullptr;
  DeviceMemory stamps_, state_, data_;
};

}  // namespace jostle::calibration::probe
