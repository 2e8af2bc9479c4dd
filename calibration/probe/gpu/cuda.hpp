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
inline constexpr unsigned wait_spinning = 1, wait_yielding = 2, wait_blocking = 4;
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

// Each function: its member here, its name in the library, its parameters.
#define JOSTLE_CUDA_FUNCTIONS(row)                                                                           \
  row(init, "cuInit", (unsigned flags)) row(driver_version, "cuDriverGetVersion", (int* version)) row(       \
      device_count, "cuDeviceGetCount", (int* count)) row(device_get, "cuDeviceGet",                         \
                                                          (cuda::Device * device, int ordinal))              \
      row(device_name, "cuDeviceGetName", (char* name, int length, cuda::Device device)) row(                \
          device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, cuda::Device device))        \
          row(device_memory, "cuDeviceTotalMem_v2", (std::size_t * bytes, cuda::Device device)) row(         \
              context_create, "cuCtxCreate_v2",                                                              \
              (cuda::Context * context, unsigned flags,                                                      \
               cuda::Device device)) row(context_destroy, "cuCtxDestroy_v2",                                 \
                                         (cuda::Context context)) row(context_synchronize,                   \
                                                                      "cuCtxSynchronize",                    \
                                                                      ()) row(context_set,                   \
                                                                              "cuCtxSetCurrent",             \
                                                                              (cuda::Context context))       \
              row(priority_range, "cuCtxGetStreamPriorityRange", (int* least, int* greatest)) row(           \
                  module_load, "cuModuleLoadData",                                                           \
                  (cuda::Module * module,                                                                    \
                   const void*                                                                               \
                       image)) row(module_function, "cuModuleGetFunction",                                   \
                                   (cuda::Function * function, cuda::Module module,                          \
                                    const char* name)) row(function_set, "cuFuncSetAttribute",               \
                                                           (cuda::Function function, int attribute,          \
                                                            int value))                                      \
                  row(memory_allocate, "cuMemAlloc_v2", (cuda::Pointer * pointer, std::size_t bytes)) row(   \
                      memory_free, "cuMemFree_v2",                                                           \
                      (cuda::Pointer pointer)) row(host_allocate, "cuMemHostAlloc",                          \
                                                   (void** pointer, std::size_t bytes, unsigned flags))      \
                      row(host_free, "cuMemFreeHost", (void* pointer)) row(                                  \
                          host_device_pointer, "cuMemHostGetDevicePointer_v2",                               \
                          (cuda::Pointer * pointer, void* host,                                              \
                           unsigned                                                                          \
                               flags)) row(memory_set, "cuMemsetD8_v2",                                      \
                                           (cuda::Pointer pointer, unsigned char value, std::size_t bytes))  \
                          row(copy_to_host, "cuMemcpyDtoH_v2",                                               \
                              (void* to, cuda::Pointer from,                                                 \
                               std::size_t                                                                   \
                                   bytes)) row(copy_from_host, "cuMemcpyHtoD_v2",                            \
                                               (cuda::Pointer to, const void* from, std::size_t bytes))      \
                              row(copy_to_host_async, "cuMemcpyDtoHAsync_v2",                                \
                                  (void* to, cuda::Pointer from, std::size_t bytes, cuda::Stream stream))    \
                                  row(copy_from_host_async, "cuMemcpyHtoDAsync_v2",                          \
                                      (cuda::Pointer to, const void* from, std::size_t bytes,                \
                                       cuda::Stream stream))                                                 \
                                      row(copy_on_device_async, "cuMemcpyDtoDAsync_v2",                      \
                                          (cuda::Pointer to, cuda::Pointer from, std::size_t bytes,          \
                                           cuda::Stream stream))                                             \
                                          row(launch_kernel, "cuLaunchKernel",                               \
                                              (cuda::Function function, unsigned grid_x, unsigned grid_y,    \
                                               unsigned grid_z, unsigned block_x, unsigned block_y,          \
                                               unsigned block_z,                                             \
                                               unsigned shared_bytes,                                        \
                                               cuda::Stream stream,                                          \
                                               void** parameters,                                            \
                                               void**                                                        \
                                                   extra)) row(stream_create, "cuStreamCreateWithPriority",  \
                                                               (cuda::Stream * stream, unsigned flags,       \
                                                                int priority)) row(stream_destroy,           \
                                                                                   "cuStreamDestroy_v2",     \
                                                                                   (cuda::Stream stream))    \
                                              row(stream_synchronize, "cuStreamSynchronize",                 \
                                                  (cuda::Stream stream)) row(stream_query, "cuStreamQuery",  \
                                                                             (cuda::Stream stream))          \
                                                  row(stream_begin_capture, "cuStreamBeginCapture_v2",       \
                                                      (cuda::Stream stream, int mode))                       \
                                                      row(stream_end_capture, "cuStreamEndCapture",          \
                                                          (cuda::Stream stream, cuda::Graph * graph))        \
                                                          row(event_create, "cuEventCreate",                 \
                                                              (cuda::Event * event,                          \
                                                               unsigned flags)) row(event_destroy,           \
                                                                                    "cuEventDestroy_v2",     \
                                                                                    (cuda::Event event))     \
                                                              row(event_record, "cuEventRecord",             \
                                                                  (cuda::Event event,                        \
                                                                   cuda::Stream                              \
                                                                       stream)) row(event_query,             \
                                                                                    "cuEventQuery",          \
                                                                                    (cuda::Event event))     \
                                                                  row(event_synchronize,                     \
                                                                      "cuEventSynchronize",                  \
                                                                      (cuda::Event                           \
                                                                           event)) row(event_elapsed,        \
                                                                                       "cuEventElapsedTime", \
                                                                                       (                     \
                                                                                           float* ms,        \
                                                                                           cuda::Event from, \
                                                                                           cuda::Event to))  \
                                                                      row(graph_launch, "cuGraphLaunch",     \
                                                                          (cuda::GraphExec graph,            \
                                                                           cuda::Stream stream))             \
                                                                          row(graph_destroy,                 \
                                                                              "cuGraphDestroy",              \
                                                                              (cuda::Graph graph))           \
                                                                              row(graph_exec_destroy,        \
                                                                                  "cuGraphExecDestroy",      \
                                                                                  (cuda::GraphExec graph))   \
                                                                                  row(error_name,            \
                                                                                      "cuGetErrorName",      \
                                                                                      (cuda::Result result,  \
                                                                                       const char** name))

// The functions of the library. A call: `cuda.check("cuInit", cuda.init(0))`.
struct Cuda {
#define JOSTLE_CUDA_MEMBER(member, name, parameters) cuda::Result(*member) parameters = nullptr;
  JOSTLE_CUDA_FUNCTIONS(JOSTLE_CUDA_MEMBER)
#undef JOSTLE_CUDA_MEMBER

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
