#include "calibration/logs/wrong_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "input/printable.hpp"
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

// True if the GPU has so many SMs, or is left so many by a power mode.
bool has_sms(const board::DeviceSpec& device, std::int64_t sms) {
  return sms == device.gpu.sm_count || std::ranges::any_of(device.power_modes, [&](const auto& mode) {
           return mode.tpcs && sms == *mode.tpcs * device.gpu.sms_per_tpc;
         });
}

}  // namespace

bool KnownCard::is_called(std::string_view name) const {
  const auto letter = [&](std::size_t at) {
    return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1))
    if (!letter(at - 1) && !letter(at + word.size())) return true;
  return false;
}

std::string contradiction(const Setting& log, const board::DeviceSpec& device, const std::string& name) {
  const bool gpu_seen = !log.compute_capability.empty();
  if (gpu_seen && !device.has_gpu()) return fmt::format("its GPU is {}, but {} has no GPU", log.gpu, name);
  if (gpu_seen && architecture_of(log.compute_capability) != device.gpu.architecture) {
    return fmt::format("its GPU{} is of {}, but that of {} is of {}",
                       log.gpu.empty() ? "" : ", " + log.gpu + ",", architecture_of(log.compute_capability),
                       name, device.gpu.architecture);
  }
  const auto card = std::ranges::find(known_cards, device.name, &KnownCard::device);
  if (card != known_cards.end() && !log.gpu.empty() && !card->is_called(log.gpu))
    return fmt::format("its GPU is {}, not that of {}", input::printable(log.gpu), name);
  if (log.sms && !has_sms(device, *log.sms))
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
