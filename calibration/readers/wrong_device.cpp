#include "calibration/readers/wrong_device.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "models/board/spec.hpp"

namespace jostle::calibration {
namespace {

// Boards of the same name differ in the memory that firmware reserves, and tools differ in their definition
// of a GB.
constexpr double memory_tolerance = 0.25;

std::string architecture_of(const std::string& compute_capability) {
  std::string digits = compute_capability;
  std::erase(digits, '.');
  return "sm_" + digits;
}

}  // namespace

std::string contradiction(const Setting& log, const board::DeviceSpec& device, const std::string& name) {
  const bool gpu_seen = !log.compute_capability.empty();
  if (gpu_seen && !device.has_gpu()) return fmt::format("its GPU is {}, but {} has no GPU", log.gpu, name);
  if (gpu_seen && architecture_of(log.compute_capability) != device.gpu.architecture) {
    return fmt::format("its GPU{} is of {}, but that of {} is of {}",
                       log.gpu.empty() ? "" : ", " + log.gpu + ",", architecture_of(log.compute_capability),
                       name, device.gpu.architecture);
  }
  // Fewer SMs are possible: power modes gate some.
  if (log.sms && *log.sms > device.gpu.sm_count)
    return fmt::format("its GPU has {} SMs, but that of {} has {}", *log.sms, name, device.gpu.sm_count);
  if (log.cores && *log.cores != device.core_count())
    return fmt::format("it has {} CPU cores, but {} has {}", *log.cores, name, device.core_count());
  const double capacity = device.memory.capacity_bytes;
  if (log.memory_bytes && capacity > 0 && std::abs(*log.memory_bytes / capacity - 1) > memory_tolerance)
    return fmt::format("it has {:.1f} GB of memory, but {} has {:.1f} GB", *log.memory_bytes / 1e9, name,
                       capacity / 1e9);
  return {};
}

}  // namespace jostle::calibration
