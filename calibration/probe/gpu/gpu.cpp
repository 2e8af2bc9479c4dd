#include "calibration/probe/gpu/gpu.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "calibration/probe/gpu/loops.hpp"
#include "calibration/probe/part.hpp"
#include "calibration/probe/power_sensors.hpp"

namespace jostle {

// The PTX of the probe, embedded.
std::string_view probe_kernels();
std::string_view probe_tensor_kernels();

}  // namespace jostle

namespace jostle::calibration::probe {
namespace {

constexpr std::array<std::string_view, kernel_kinds> names{
    "spin", "fma1", "fma4", "mma", "read", "write", "elementwise", "reduction", "depthwise", "gemm"};
constexpr int first_tensor_cores = 7;  // compute capability

cuda::Module load(const Cuda& cuda, std::string_view ptx) {
  const std::string text(ptx);  // ends with 0
  cuda::Module module = nullptr;
  cuda.check("cuModuleLoadData", cuda.module_load(&module, text.c_str()));
  return module;
}

int attribute(const Cuda& cuda, cuda::Device device, cuda::Attribute which) {
  int value = 0;
  // Attributes that an old driver does not know count as 0.
  if (cuda.device_attribute(&value, static_cast<int>(which), device) != 0) return 0;
  return value;
}

cuda::Device first_device(const Cuda& cuda) {
  cuda::Device device = 0;
  cuda.check("cuDeviceGet", cuda.device_get(&device, 0));
  return device;
}

}  // namespace

std::string_view name(KernelKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

GpuFacts gpu_facts() {
  using cuda::Attribute;
  const Cuda& cuda = cuda_library();
  const cuda::Device device = first_device(cuda);
  const auto value = [&](Attribute which) { return attribute(cuda, device, which); };
  GpuFacts found;
  cuda.check("cuDeviceGetName",
             cuda.device_name(found.name.data(), static_cast<int>(found.name.size()) - 1, device));
  cuda.check("cuDriverGetVersion", cuda.driver_version(&found.driver));
  std::size_t bytes = 0;
  cuda.check("cuDeviceTotalMem", cuda.device_memory(&bytes, device));
  found.memory_bytes = static_cast<double>(bytes);
  found.major = value(Attribute::major);
  found.minor = value(Attribute::minor);
  found.sms = value(Attribute::sm_count);
  found.clock_mhz = value(Attribute::clock_khz) / 1e3;
  found.memory_mhz = value(Attribute::memory_clock_khz) / 1e3;
  found.memory_bits = value(Attribute::memory_bus_bits);
  found.l2_bytes = value(Attribute::l2_bytes);
  found.shared_bytes_per_sm = value(Attribute::shared_bytes_per_sm);
  found.shared_bytes_per_block = value(Attribute::shared_bytes_per_block);
  found.registers_per_sm = value(Attribute::registers_per_sm);
  found.threads_per_sm = value(Attribute::threads_per_sm);
  found.blocks_per_sm = value(Attribute::blocks_per_sm);
  found.integrated = value(Attribute::integrated) != 0;
  found.preemption = value(Attribute::preemption) != 0;
  return found;
}

Gpu::Gpu(unsigned wait_flag) : cuda(cuda_library()), identity_(gpu_facts()) {
  cuda.check("cuCtxCreate", cuda.context_create(&context_, wait_flag, first_device(cuda)));
  module_ = load(cuda, probe_kernels());
  if (identity_.major >= first_tensor_cores) tensor_module_ = load(cuda, probe_tensor_kernels());
  for (std::size_t i = 0; i < kernel_kinds; ++i) {
    if (static_cast<KernelKind>(i) == KernelKind::mma && tensor_module_ == nullptr) continue;
    functions_[i] = function(names[i]);
    if (identity_.shared_bytes_per_block > 48 * 1024 && static_cast<KernelKind>(i) == KernelKind::spin)
      cuda.check("cuFuncSetAttribute", cuda.function_set(functions_[i], cuda::max_dynamic_shared_bytes,
                                                         identity_.shared_bytes_per_block));
  }
}

Gpu::~Gpu() {
  if (context_ != nullptr) cuda.context_destroy(context_);
}

cuda::Function Gpu::function(std::string_view name) const {
  cuda::Function found = nullptr;
  const std::string text(name);
  cuda::Module const module = text == "mma" ? tensor_module_ : module_;
  if (module == nullptr) throw GpuError("this GPU has no tensor cores that the probe uses");
  cuda.check("cuModuleGetFunction", cuda.module_function(&found, module, text.c_str()));
  return found;
}

DeviceMemory::DeviceMemory(const Gpu& gpu, std::size_t bytes) : gpu_(gpu), bytes_(bytes) {
  gpu.cuda.check("cuMemAlloc", gpu.cuda.memory_allocate(&pointer_, bytes));
  gpu.cuda.check("cuMemsetD8", gpu.cuda.memory_set(pointer_, 0, bytes));
  gpu.cuda.check("cuCtxSynchronize", gpu.cuda.context_synchronize());
}

DeviceMemory::~DeviceMemory() {
  if (pointer_ != 0) gpu_.cuda.memory_free(pointer_);
}

void DeviceMemory::copy_out(void* to, std::size_t bytes) const {
  gpu_.cuda.check("cuMemcpyDtoH", gpu_.cuda.copy_to_host(to, pointer_, std::min(bytes, bytes_)));
}

HostMemory::HostMemory(const Gpu& gpu, std::size_t bytes) : gpu_(gpu) {
  gpu.cuda.check("cuMemHostAlloc", gpu.cuda.host_allocate(&host_, bytes, cuda::host_memory_mapped));
}

HostMemory::~HostMemory() {
  if (host_ != nullptr) gpu_.cuda.host_free(host_);
}

Queue::Queue(const Gpu& gpu, std::size_t capacity, std::size_t data_bytes, int priority)
    : gpu_(gpu),
      capacity_(capacity),
      stamps_(gpu, capacity * sizeof(Stamp)),
      state_(gpu, 2 * sizeof(std::uint32_t)),
      data_(gpu, std::max<std::size_t>(data_bytes, 64)) {
  gpu.cuda.check("cuStreamCreate", gpu.cuda.stream_create(&stream_, cuda::non_blocking_stream, priority));
}

Queue::~Queue() {
  if (graph_ != nullptr) gpu_.cuda.graph_exec_destroy(graph_);
  if (stream_ != nullptr) gpu_.cuda.stream_destroy(stream_);
}

void Queue::launch(const Launch& launch) {
  std::uint64_t amount = launch.amount, words = data_.bytes() / 16;
  cuda::Pointer stamps = stamps_.at(), state = state_.at(), data = data_.at();
  auto capacity = static_cast<std::uint32_t>(capacity_);
  void* parameters[] = {&amount, &stamps, &capacity, &state, &data, &words};
  gpu_.cuda.check("cuLaunchKernel",
                  gpu_.cuda.launch_kernel(gpu_.function(launch.kind), launch.blocks, 1, 1, launch.threads, 1,
                                          1, launch.shared_bytes, stream_, parameters, nullptr));
}

void Queue::capture(std::span<const Launch> launches) {
  const Cuda& cuda = gpu_.cuda;
  if (graph_ != nullptr) cuda.graph_exec_destroy(std::exchange(graph_, nullptr));
  cuda.check("cuStreamBeginCapture", cuda.stream_begin_capture(stream_, cuda::capture_relaxed));
  for (const Launch& one : launches) launch(one);
  cuda::Graph graph = nullptr;
  cuda.check("cuStreamEndCapture", cuda.stream_end_capture(stream_, &graph));
  const cuda::Result made = cuda.instantiate(&graph_, graph);
  cuda.graph_destroy(graph);
  cuda.check("cuGraphInstantiate", made);
}

void Queue::replay() {
  gpu_.cuda.check("cuGraphLaunch", gpu_.cuda.graph_launch(graph_, stream_));
}

void Queue::synchronize() const {
  gpu_.cuda.check("cuStreamSynchronize", gpu_.cuda.stream_synchronize(stream_));
}

std::vector<Stamp> Queue::stamps() const {
  synchronize();
  std::uint32_t state[2] = {0, 0};
  state_.copy_out(state, sizeof state);
  std::vector<Stamp> ring(capacity_);
  stamps_.copy_out(ring.data(), capacity_ * sizeof(Stamp));
  const std::size_t launches = state[0], kept = std::min(launches, capacity_);
  std::vector<Stamp> ordered;
  ordered.reserve(kept);
  for (std::size_t i = launches - kept; i < launches; ++i) ordered.push_back(ring[i % capacity_]);
  return ordered;
}

void Queue::forget_stamps() {
  synchronize();
  gpu_.cuda.check("cuMemsetD8", gpu_.cuda.memory_set(state_.at(), 0, state_.bytes()));
  gpu_.cuda.check("cuCtxSynchronize", gpu_.cuda.context_synchronize());
}

// Facts of the GPU's driver for the identity of a machine.

void add_driver_facts(const Session& session, GpuIdentity& gpu) {
  GpuFacts facts;
  try {
    facts = identify(session);
  } catch (const Interrupted&) {
    return;
  } catch (const ProbeError& error) {
    gpu.present = false;
    if (gpu.absent_because.empty())
      gpu.absent_because = std::string("its driver cannot be used: ") + error.what();
    return;
  }
  gpu.present = true;
  gpu.absent_because.clear();
  gpu.name = facts.name.data();
  gpu.integrated = facts.integrated;
  gpu.sms = facts.sms;
  gpu.capability = 10 * facts.major + facts.minor;
  if (facts.clock_mhz > 0) gpu.max_mhz = facts.clock_mhz;
  if (facts.memory_mhz > 0) gpu.memory_mhz = facts.memory_mhz;
  gpu.memory_bytes = facts.memory_bytes;
  gpu.l2_bytes = facts.l2_bytes;
  gpu.bus_bits = facts.memory_bits;
  const PowerSensors sensors(session.root);
  if (const double limit = PowerSensors::value_of(sensors.read(), "power_limit"); !std::isnan(limit))
    gpu.power_limit_w = limit;
}

}  // namespace jostle::calibration::probe
