// libcuda.so.1 of a GPU that is not there: the functions that the probe calls. Memory of the device is memory
// of this process; kernels are known by name and take the time that timeline.cpp gives them. It refuses what
// a driver refuses: kernels that the image lacks or that the GPU cannot run, grids and blocks that are too
// large.
#include "calibration/probe/gpu/cuda.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/fakes/cuda/faults.hpp"
#include "tests/fakes/cuda/timeline.hpp"

namespace jostle::calibration::probe::cuda {

struct ModuleOf {
  std::string image;
};
struct FunctionOf {
  std::string name;
  unsigned most_shared = 48 << 10;
};
struct GraphOf {
  std::vector<fakes::Kernel> kernels;
};
struct GraphExecOf {
  std::vector<fakes::Kernel> kernels;
};
struct StreamOf {
  fakes::Stream timed;
  std::unique_ptr<GraphOf> captured;  // while it captures
};
struct EventOf {
  fakes::Ns time = 0;
};
struct ContextOf {
  fakes::Timeline timeline;
  std::map<std::uint64_t, std::size_t> memory;
  std::size_t allocated = 0;
  std::vector<StreamOf*> streams;
  std::vector<std::unique_ptr<ModuleOf>> modules;
  std::vector<std::unique_ptr<FunctionOf>> functions;
  StreamOf null_stream;
};

}  // namespace jostle::calibration::probe::cuda

namespace jostle::fakes {
namespace {

namespace cuda = calibration::probe::cuda;

constexpr Ns nap_ns = 20'000;                // of a host that asks again and again, to leave others the core
constexpr std::size_t few_bytes = 64 << 10;  // what a copy beside the host moves; the rest of it is time only
std::mutex guard;                            // of all below
std::unique_ptr<cuda::ContextOf> context;    // of this process, which has one at most

cuda::StreamOf& stream_of(cuda::Stream stream) {
  return stream != nullptr ? *stream : context->null_stream;
}

cuda::Result allocate(std::uint64_t* pointer, std::size_t bytes) {
  if (context->allocated + bytes > this_board().memory_bytes) return out_of_memory;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return out_of_memory;
  context->allocated += bytes;
  *pointer = reinterpret_cast<std::uint64_t>(memory);
  context->memory[*pointer] = bytes;
  return 0;
}
cuda::Result release(std::uint64_t pointer) {
  if (!context) return 0;  // freed with its context
  const auto found = context->memory.find(pointer);
  if (found == context->memory.end()) return invalid_value;
  munmap(reinterpret_cast<void*>(pointer), found->second);
  context->allocated -= found->second;
  context->memory.erase(found);
  return 0;
}

// A launch waits for a place in the queue of its stream, as with the driver.
void enter_queue(Stream& stream) {
  while (!stream.in_flight.empty() && stream.in_flight.front() <= now()) stream.in_flight.pop_front();
  if (stream.in_flight.size() < launches_in_flight) return;
  wait_until(stream.in_flight.front());
  stream.in_flight.pop_front();
}

cuda::Result asked(Ns end) {
  const Ns time = now();
  if (time >= end) return 0;
  wait_until(std::min(end, time + nap_ns));
  return cuda::not_ready;
}

// Waits for a time, and leaves the driver to other threads meanwhile.
template <class End>
cuda::Result wait(const char* call, const End& end_of) {
  Ns end = 0;
  {
    const std::lock_guard lock(guard);
    if (const int fault = fault_of_call(call); fault != 0) return fault;
    end = end_of();
  }
  wait_until(end);
  return 0;
}

int attribute(int which) {
  using Attribute = cuda::Attribute;
  const Board& board = this_board();
  const std::map<Attribute, int> values{{Attribute::clock_khz, board.clock_khz},
                                        {Attribute::sm_count, board.sms},
                                        {Attribute::integrated, board.integrated ? 1 : 0},
                                        {Attribute::memory_clock_khz, board.memory_khz},
                                        {Attribute::memory_bus_bits, board.bus_bits},
                                        {Attribute::l2_bytes, board.l2_bytes},
                                        {Attribute::threads_per_sm, board.threads_per_sm},
                                        {Attribute::copy_engines, 1},
                                        {Attribute::major, board.major},
                                        {Attribute::minor, board.minor},
                                        {Attribute::shared_bytes_per_sm, board.shared_per_sm},
                                        {Attribute::registers_per_sm, 65536},
                                        {Attribute::preemption, 1},
                                        {Attribute::shared_bytes_per_block, board.shared_per_block},
                                        {Attribute::blocks_per_sm, board.blocks_per_sm}};
  const auto found = values.find(static_cast<Attribute>(which));
  return found != values.end() ? found->second : -1;
}

// The compute capability that PTX asks for, as in ".target sm_53".
int target(const std::string& image) {
  const std::size_t at = image.find(".target sm_");
  return at != std::string::npos ? std::atoi(image.c_str() + at + 11) : 0;
}

}  // namespace
}  // namespace jostle::fakes

using namespace jostle::fakes;
namespace cuda = jostle::calibration::probe::cuda;

#define EXPORT(name, parameters) \
  extern "C" __attribute__((visibility("default"))) cuda::Result name parameters
// A function of the driver: it counts the call and gives the error that is asked for, or does its work.
#define WORK(name, parameters, arguments)                                 \
  static cuda::Result name##_works parameters;                            \
  EXPORT(name, parameters) {                                              \
    const std::lock_guard lock(guard);                                    \
    if (const int fault = fault_of_call(#name); fault != 0) return fault; \
    return name##_works arguments;                                        \
  }                                                                       \
  static cuda::Result name##_works parameters

WORK(cuInit, (unsigned), (0)) {
  return 0;
}
WORK(cuDriverGetVersion, (int* version), (version)) {
  *version = 12060;
  return 0;
}
WORK(cuDeviceGetCount, (int* count), (count)) {
  *count = 1;
  return 0;
}
WORK(cuDeviceGet, (cuda::Device * device, int ordinal), (device, ordinal)) {
  *device = 0;
  return ordinal == 0 ? 0 : invalid_value;
}
WORK(cuDeviceGetName, (char* name, int length, cuda::Device device), (name, length, device)) {
  std::strncpy(name, this_board().name, static_cast<std::size_t>(length));
  return device == 0 ? 0 : invalid_value;
}
WORK(cuDeviceGetAttribute, (int* value, int which, cuda::Device device), (value, which, device)) {
  *value = attribute(which);
  return device == 0 && *value >= 0 ? 0 : invalid_value;
}
WORK(cuDeviceTotalMem_v2, (std::size_t * bytes, cuda::Device device), (bytes, device)) {
  *bytes = this_board().memory_bytes;
  return device == 0 ? 0 : invalid_value;
}

WORK(cuCtxCreate_v2, (cuda::Context * made, unsigned flags, cuda::Device device), (made, flags, device)) {
  if (device != 0 || flags > 7 || context) return invalid_value;
  context = std::make_unique<cuda::ContextOf>();
  *made = context.get();
  take_place();
  return 0;
}
WORK(cuCtxDestroy_v2, (cuda::Context destroyed), (destroyed)) {
  if (destroyed != context.get()) return invalid_value;
  for (const auto& [pointer, bytes] : context->memory) munmap(reinterpret_cast<void*>(pointer), bytes);
  leave_place();
  context.reset();
  return 0;
}
WORK(cuCtxSetCurrent, (cuda::Context wanted), (wanted)) {
  return wanted == context.get() ? 0 : invalid_value;
}
WORK(cuCtxGetStreamPriorityRange, (int* least, int* greatest), (least, greatest)) {
  *least = 0;
  *greatest = -5;
  return 0;
}

WORK(cuModuleLoadData, (cuda::Module * module, const void* image), (module, image)) {
  auto made = std::make_unique<cuda::ModuleOf>(cuda::ModuleOf{static_cast<const char*>(image)});
  if (target(made->image) > 10 * this_board().major + this_board().minor) return no_binary_for_gpu;
  *module = made.get();
  context->modules.push_back(std::move(made));
  return 0;
}
WORK(cuModuleGetFunction, (cuda::Function * function, cuda::Module module, const char* name),
     (function, module, name)) {
  if (module->image.find(std::string(".entry ") + name + '(') == std::string::npos) return not_found;
  context->functions.push_back(std::make_unique<cuda::FunctionOf>(cuda::FunctionOf{name}));
  *function = context->functions.back().get();
  return 0;
}
WORK(cuFuncSetAttribute, (cuda::Function function, int which, int value), (function, which, value)) {
  if (which != cuda::max_dynamic_shared_bytes || value > this_board().shared_per_block) return invalid_value;
  function->most_shared = static_cast<unsigned>(value);
  return 0;
}

WORK(cuMemAlloc_v2, (cuda::Pointer * pointer, std::size_t bytes), (pointer, bytes)) {
  return allocate(pointer, bytes);
}
WORK(cuMemFree_v2, (cuda::Pointer pointer), (pointer)) {
  return release(pointer);
}
WORK(cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned), (pointer, bytes, 0)) {
  std::uint64_t address = 0;
  const cuda::Result result = allocate(&address, bytes);
  *pointer = reinterpret_cast<void*>(address);
  return result;
}
WORK(cuMemFreeHost, (void* pointer), (pointer)) {
  return release(reinterpret_cast<std::uint64_t>(pointer));
}
WORK(cuMemHostGetDevicePointer_v2, (cuda::Pointer * pointer, void* host, unsigned), (pointer, host, 0)) {
  *pointer = reinterpret_cast<std::uint64_t>(host);
  return 0;
}
WORK(cuMemsetD8_v2, (cuda::Pointer pointer, unsigned char value, std::size_t bytes),
     (pointer, value, bytes)) {
  // Pages that are given back are zero when they are used again.
  if (value == 0 && bytes > few_bytes)
    return madvise(reinterpret_cast<void*>(pointer), bytes, MADV_DONTNEED) == 0 ? 0 : invalid_value;
  std::memset(reinterpret_cast<void*>(pointer), value, bytes);
  return 0;
}
WORK(cuMemcpyDtoH_v2, (void* to, cuda::Pointer from, std::size_t bytes), (to, from, bytes)) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
WORK(cuMemcpyHtoD_v2, (cuda::Pointer to, const void* from, std::size_t bytes), (to, from, bytes)) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

// The bytes beyond the first are time only.
static cuda::Result copy(cuda::Stream stream, void* to, const void* from, std::size_t bytes) {
  enter_queue(stream_of(stream).timed);
  std::memcpy(to, from, std::min(bytes, few_bytes));
  stream_of(stream).timed.in_flight.push_back(context->timeline.copy(stream_of(stream).timed, bytes));
  return 0;
}
WORK(cuMemcpyDtoHAsync_v2, (void* to, cuda::Pointer from, std::size_t bytes, cuda::Stream stream),
     (to, from, bytes, stream)) {
  return copy(stream, to, reinterpret_cast<const void*>(from), bytes);
}
WORK(cuMemcpyHtoDAsync_v2, (cuda::Pointer to, const void* from, std::size_t bytes, cuda::Stream stream),
     (to, from, bytes, stream)) {
  return copy(stream, reinterpret_cast<void*>(to), from, bytes);
}
WORK(cuMemcpyDtoDAsync_v2, (cuda::Pointer to, cuda::Pointer from, std::size_t bytes, cuda::Stream stream),
     (to, from, bytes, stream)) {
  return copy(stream, reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

// The driver's function has as many parameters.
WORK(cuLaunchKernel,
     (cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda::Stream stream, void** parameters,
      void** extra),
     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra)) {
  const bool small = grid_x > 0 && block_x > 0 && block_x <= 1024 && shared_bytes <= function->most_shared &&
                     (function->name != "gemm" || block_x <= 256);
  if (!small || grid_y * grid_z * block_y * block_z != 1 || extra != nullptr) return invalid_value;
  Kernel launched = kernel(function->name, parameters);
  launched.blocks = grid_x;
  launched.threads = block_x;
  launched.shared_bytes = shared_bytes;
  cuda::StreamOf& queue = stream_of(stream);
  if (queue.captured) {
    queue.captured->kernels.push_back(launched);
    return 0;
  }
  enter_queue(queue.timed);
  queue.timed.in_flight.push_back(context->timeline.run(queue.timed, launched));
  return 0;
}

WORK(cuStreamCreateWithPriority, (cuda::Stream * stream, unsigned flags, int priority),
     (stream, flags, priority)) {
  if (flags > 1 || priority < -5 || priority > 0) return invalid_value;
  *stream = new cuda::StreamOf;
  context->streams.push_back(*stream);
  return 0;
}
WORK(cuStreamDestroy_v2, (cuda::Stream stream), (stream)) {
  if (context) std::erase(context->streams, stream);
  delete stream;
  return 0;
}
EXPORT(cuStreamSynchronize, (cuda::Stream stream)) {
  return wait("cuStreamSynchronize", [stream] { return stream_of(stream).timed.tail; });
}
EXPORT(cuCtxSynchronize, ()) {
  return wait("cuCtxSynchronize", [] {
    Ns end = context->null_stream.timed.tail;
    for (const cuda::StreamOf* stream : context->streams) end = std::max(end, stream->timed.tail);
    return end;
  });
}
WORK(cuStreamQuery, (cuda::Stream stream), (stream)) {
  return asked(stream_of(stream).timed.tail);
}

WORK(cuStreamBeginCapture_v2, (cuda::Stream stream, int), (stream, 0)) {
  if (stream == nullptr || stream->captured) return invalid_value;
  stream->captured = std::make_unique<cuda::GraphOf>();
  return 0;
}
WORK(cuStreamEndCapture, (cuda::Stream stream, cuda::Graph* graph), (stream, graph)) {
  if (!stream->captured) return invalid_value;
  *graph = stream->captured.release();
  return 0;
}
WORK(cuGraphInstantiateWithFlags, (cuda::GraphExec * exec, cuda::Graph graph, unsigned long long),
     (exec, graph, 0)) {
  *exec = new cuda::GraphExecOf{graph->kernels};
  return 0;
}
WORK(cuGraphLaunch, (cuda::GraphExec graph, cuda::Stream stream), (graph, stream)) {
  Stream& queue = stream_of(stream).timed;
  enter_queue(queue);
  for (const Kernel& one : graph->kernels) context->timeline.run(queue, one);
  queue.in_flight.push_back(queue.tail);
  return 0;
}
WORK(cuGraphDestroy, (cuda::Graph graph), (graph)) {
  delete graph;
  return 0;
}
WORK(cuGraphExecDestroy, (cuda::GraphExec graph), (graph)) {
  delete graph;
  return 0;
}

WORK(cuEventCreate, (cuda::Event * event, unsigned flags), (event, flags)) {
  *event = new cuda::EventOf;
  return flags <= 3 ? 0 : invalid_value;
}
WORK(cuEventDestroy_v2, (cuda::Event event), (event)) {
  delete event;
  return 0;
}
WORK(cuEventRecord, (cuda::Event event, cuda::Stream stream), (event, stream)) {
  event->time = stream_of(stream).timed.tail;
  return 0;
}
WORK(cuEventQuery, (cuda::Event event), (event)) {
  return asked(event->time);
}
EXPORT(cuEventSynchronize, (cuda::Event event)) {
  return wait("cuEventSynchronize", [event] { return event->time; });
}
WORK(cuEventElapsedTime, (float* ms, cuda::Event from, cuda::Event to), (ms, from, to)) {
  *ms = static_cast<float>(static_cast<double>(to->time - from->time) / 1e6);
  return 0;
}

EXPORT(cuGetErrorName, (cuda::Result result, const char** name)) {
  const std::map<int, const char*> names{{0, "CUDA_SUCCESS"},
                                         {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
                                         {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                         {no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                         {not_found, "CUDA_ERROR_NOT_FOUND"},
                                         {cuda::not_ready, "CUDA_ERROR_NOT_READY"},
                                         {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
                                         {unknown_error, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(result);
  *name = found != names.end() ? found->second : nullptr;
  return found != names.end() ? 0 : invalid_value;
}
