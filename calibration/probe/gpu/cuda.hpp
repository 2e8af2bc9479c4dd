// NVIDIA's driver library, opened at run time: the functions that the probe calls, and no toolkit. Names,
// numbers and types are those of the CUDA driver API (https://docs.nvidia.com/cuda/cuda-driver-api), which
// keeps them for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace jostle::calibration::probe {

// A call of the driver failed, or its library is not there.
struct GpuError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace cuda {

using Result = int;  // 0: success
using Device = int;
using Pointer = std::uint64_t;  // the device's
struct ContextOf;
struct ModuleOf;
struct FunctionOf;
struct StreamOf;
struct EventOf;
struct GraphOf;
struct GraphExecOf;
using Context = ContextOf*;
using Module = ModuleOf*;
using Function = FunctionOf*;
using Stream = StreamOf*;
using Event = EventOf*;
using Graph = GraphOf*;
using GraphExec = GraphExecOf*;

inline constexpr Result not_ready = 600;
// Flags of cuCtxCreate.
inline constexpr unsigned wait_spinning = 1, wait_blocking = 4;
inline constexpr unsigned non_blocking_stream = 1;
inline constexpr unsigned event_blocking = 1, event_without_timing = 2;
inline constexpr unsigned host_memory_mapped = 2;
inline constexpr int capture_relaxed = 2;
inline constexpr int max_dynamic_shared_bytes = 8;  // attribute of a function

enum class Attribute {
  clock_khz = 13,
  sm_count = 16,
  integrated = 18,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  threads_per_sm = 39,
  copy_engines = 40,
  major = 75,
  minor = 76,
  shared_bytes_per_sm = 81,
  registers_per_sm = 82,
  preemption = 90,
  shared_bytes_per_block = 97,
  blocks_per_sm = 106,
};

}  // namespace cuda

// The functions of the library. A call: `cuda.check("cuInit", cuda.init(0))`.
struct Cuda {
#define ROW(member, name, parameters) cuda::Result(*member) parameters = nullptr;
#include "calibration/probe/gpu/cuda_functions.inc"
#undef ROW

  // Makes a graph that can be launched; the name and parameters of the driver's function changed with
  // CUDA 12.
  cuda::Result instantiate(cuda::GraphExec* exec, cuda::Graph graph) const;
  // Throws GpuError with the call and the driver's name of the error.
  void check(const char* call, cuda::Result result) const;

 private:
  friend const Cuda& cuda_library();
  cuda::Result (*instantiate_with_flags_)(cuda::GraphExec*, cuda::Graph, unsigned long long) = nullptr;
  cuda::Result (*instantiate_with_log_)(cuda::GraphExec*, cuda::Graph, void*, char*, std::size_t) = nullptr;
};

// libcuda.so.1, opened and initialised on the first call. Throws GpuError that says why it cannot be.
[[nodiscard]] const Cuda& cuda_library();

}  // namespace jostle::calibration::probe
