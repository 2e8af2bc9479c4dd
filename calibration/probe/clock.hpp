// The clock of measurements: the kernel's monotonic one, which all cores and processes share.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace jostle::calibration::probe {

[[nodiscard]] inline std::int64_t now_ns() {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

inline void sleep_ns(std::int64_t ns) {
  if (ns <= 0) return;
  const timespec span{ns / 1'000'000'000, ns % 1'000'000'000};
  nanosleep(&span, nullptr);
}

// Sleeps until a time of now_ns(), or until soon after `interrupted` has become true.
inline void wait_until(std::int64_t deadline_ns, const std::atomic<bool>& interrupted) {
  constexpr std::int64_t step = 20'000'000;
  for (std::int64_t left = deadline_ns - now_ns(); left > 0 && !interrupted; left = deadline_ns - now_ns())
    sleep_ns(std::min(left, step));
}

}  // namespace jostle::calibration::probe
