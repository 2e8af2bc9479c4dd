// Holds a machine's clocks at their highest while it is probed (--pin), and gives all of them back.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibration/probe/nvml.hpp"

namespace jostle::calibration::probe {

// Lifts the lower limit of each clock of sysfs (cpufreq, devfreq of the GPU) to the upper one, and locks the
// clock of a card. Its end restores every file's text and every lock, in this process only, however the probe
// ends: finished, interrupted, or by an exception.
class PinnedClocks {
 public:
  // `say` gets a sentence for each clock that is pinned, could not be, or could not be given back.
  PinnedClocks(std::filesystem::path root, bool card, std::function<void(const std::string&)> say);
  ~PinnedClocks();
  PinnedClocks(const PinnedClocks&) = delete;
  PinnedClocks& operator=(const PinnedClocks&) = delete;

 private:
  struct Kept {
    std::filesystem::path file;
    std::string text;
  };
  void lift(const std::filesystem::path& folder, const char* lower, const char* upper);
  void lock_card();

  std::function<void(const std::string&)> say_;
  std::vector<Kept> kept_;
  std::unique_ptr<Nvml> gpu_;  // with its clock locked; none: without a card, or where it refuses
  pid_t owner_;
};

// Why this user may not pin clocks; empty: root.
[[nodiscard]] std::string pin_refusal(uid_t user);

}  // namespace jostle::calibration::probe
