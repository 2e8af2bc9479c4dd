// libnvidia-ml.so.1 of a card that is not there. Its power depends on the time alone. On boards with an
// integrated GPU it cannot be opened. FAKE_NVML_FAIL=WORD[,WORD]: the functions whose names hold one of the
// words give error 999. FAKE_NVML_LOCKS: a file to which each lock and its end is written, a line each.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/fakes/cuda/timeline.hpp"

using namespace jostle::fakes;

namespace {

constexpr int not_supported = 3, driver_not_loaded = 9, unknown = 999;
int card = 0;

int fault(std::string_view name) {
  const char* const failing = std::getenv("FAKE_NVML_FAIL");
  std::string_view words = failing != nullptr ? failing : "";
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    if (name.find(word) != std::string_view::npos) return unknown;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return 0;
}

// Asked anew each time: the process that asks is the probe's own, which may see several boards.
const Board& board_now() {
  const char* const word = std::getenv("FAKE_CUDA_BOARD");
  return board(word != nullptr ? word : "");
}

unsigned milliwatts() {
  const double seconds = static_cast<double>(now()) / 1e9;
  return static_cast<unsigned>(1e3 * (idle_w + swing_w * (1 + std::sin(seconds))));
}

// Notes a call that changes a clock, unless it fails.
int noted(const char* name, unsigned mhz) {
  const int result = fault(name);
  const char* const file = std::getenv("FAKE_NVML_LOCKS");
  if (result == 0 && file != nullptr) std::ofstream(file, std::ios::app) << name << ' ' << mhz << '\n';
  return result;
}

// The beginning of a field of nvmlDeviceGetFieldValues, as in nvml.h.
struct Field {
  unsigned id, scope;
  long long timestamp, latency_us;
  int type, result;
  unsigned long long value;
};

}  // namespace

#define FAKE(name, parameters) extern "C" __attribute__((visibility("default"))) int name parameters

FAKE(nvmlInit_v2, ()) {
  return board_now().integrated ? driver_not_loaded : fault("nvmlInit_v2");
}
FAKE(nvmlShutdown, ()) {
  return 0;
}
FAKE(nvmlDeviceGetHandleByIndex_v2, (unsigned index, void** device)) {
  *device = &card;
  return index == 0 ? fault("nvmlDeviceGetHandleByIndex_v2") : not_supported;
}
FAKE(nvmlDeviceGetPowerUsage, (void*, unsigned* value)) {
  *value = milliwatts();
  return fault("nvmlDeviceGetPowerUsage");
}
FAKE(nvmlDeviceGetFieldValues, (void*, int count, void* fields)) {
  for (int i = 0; i < count; ++i) {
    Field& field = static_cast<Field*>(fields)[i];
    field.result = field.id == 185 || field.id == 186 ? 0 : not_supported;
    field.value = milliwatts();
  }
  return fault("nvmlDeviceGetFieldValues");
}
FAKE(nvmlDeviceGetClockInfo, (void*, int kind, unsigned* value)) {
  *value = static_cast<unsigned>((kind == 2 ? board_now().memory_khz : board_now().clock_khz) / 1000);
  return fault("nvmlDeviceGetClockInfo");
}
FAKE(nvmlDeviceGetTemperature, (void*, int, unsigned* value)) {
  *value = 45;
  return fault("nvmlDeviceGetTemperature");
}
FAKE(nvmlDeviceGetCurrentClocksThrottleReasons, (void*, unsigned long long* value)) {
  *value = 0;
  return fault("nvmlDeviceGetCurrentClocksThrottleReasons");
}
FAKE(nvmlDeviceGetEnforcedPowerLimit, (void*, unsigned* value)) {
  *value = static_cast<unsigned>(1e3 * limit_w);
  return fault("nvmlDeviceGetEnforcedPowerLimit");
}
FAKE(nvmlDeviceGetMaxClockInfo, (void*, int kind, unsigned* value)) {
  *value = static_cast<unsigned>((kind == 2 ? board_now().memory_khz : board_now().clock_khz) / 1000);
  return fault("nvmlDeviceGetMaxClockInfo");
}
FAKE(nvmlDeviceSetGpuLockedClocks, (void*, unsigned, unsigned highest)) {
  return noted("nvmlDeviceSetGpuLockedClocks", highest);
}
FAKE(nvmlDeviceResetGpuLockedClocks, (void*)) {
  return noted("nvmlDeviceResetGpuLockedClocks", 0);
}
FAKE(nvmlDeviceGetSupportedMemoryClocks, (void*, unsigned* count, unsigned* clocks)) {
  *count = 2;
  clocks[0] = static_cast<unsigned>(board_now().memory_khz / 1000);
  clocks[1] = 405;
  return fault("nvmlDeviceGetSupportedMemoryClocks");
}
FAKE(nvmlDeviceSetMemoryLockedClocks, (void*, unsigned, unsigned highest)) {
  return noted("nvmlDeviceSetMemoryLockedClocks", highest);
}
FAKE(nvmlDeviceResetMemoryLockedClocks, (void*)) {
  return noted("nvmlDeviceResetMemoryLockedClocks", 0);
}
