#include "models/board/clocks.hpp"

#include <algorithm>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::board {
namespace {

double or_else(double hz, double otherwise) {
  return hz > 0 ? hz : otherwise;
}

double achieved(const DeviceSpec& device) {
  return device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency;
}

// Bandwidth of the memory at this clock, bytes/s.
double delivered(const DeviceSpec& device, double emc_hz) {
  return achieved(device) *
         memory::relative_bandwidth(device.memory, or_else(emc_hz, device.memory.max_clock_hz));
}

}  // namespace

Clocks maximum_clocks(const DeviceSpec& device) {
  Clocks clocks;
  for (const cpu::ClusterSpec& cluster : device.cpu->clusters)
    clocks.clusters_hz.push_back(cluster.max_clock_hz);
  clocks.gpu_hz = device.gpu.max_clock_hz;
  clocks.emc_hz = device.memory.max_clock_hz;
  clocks.dla_hz = device.dla.max_clock_hz;
  return clocks;
}

double memory_speed(const DeviceSpec& device, double gpu_hz, double emc_hz) {
  const double most = achieved(device);
  if (most <= 0) return device.what_if.memory;
  return device.what_if.memory *
         gpu::reachable_bandwidth(device.gpu, or_else(gpu_hz, device.gpu.max_clock_hz),
                                  delivered(device, emc_hz)) /
         gpu::reachable_bandwidth(device.gpu, device.gpu.max_clock_hz, most);
}

double memory_capacity(const DeviceSpec& device, double emc_hz) {
  if (device.has_gpu()) return device.what_if.memory * delivered(device, emc_hz);
  if (device.memory.cores) return device.what_if.memory * device.memory.cores->together;
  double most = device.language ? device.language->bandwidth_bytes_per_s : 0;
  for (const process::RuntimeTraits& row : process::runtimes)
    most = std::max(most, device.host[row.runtime].bandwidth_bytes_per_s);
  return device.what_if.memory * most;
}

}  // namespace jostle::board
