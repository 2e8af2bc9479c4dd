// Holds a machine's clocks at their highest while it is probed (--pin), and gives all of them back.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace jostle::calibration::probe {

// Locks of the clocks of NVML's first GPU. Without the library, or where it refuses, each call says why.
class LockedGpu {
 public:
  LockedGpu();
  ~LockedGpu();  // gives back what is locked
  LockedGpu(const LockedGpu&) = delete;
  LockedGpu& operator=(const LockedGpu&) = delete;

  // Empty, or why the SMs' clock could not be locked at its highest.
  [[nodiscard]] std::string lock_highest();
  // The memory clocks that the card offers, in MHz, descending; empty if it tells none.
  [[nodiscard]] std::vector<unsigned> memory_clocks() const;
  // Empty, or why the memory could not be locked.
  [[nodiscard]] std::string lock_memory(unsigned mhz);
  // Lets the memory go; empty, or why not.
  [[nodiscard]] std::string free_memory();

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  bool sms_ = false, memory_ = false;
};

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

  std::function<void(const std::string&)> say_;
  std::vector<Kept> kept_;
  std::unique_ptr<LockedGpu> gpu_;
  pid_t owner_;
};

// Why this user may not pin clocks; empty: root.
[[nodiscard]] std::string pin_refusal(uid_t user);

}  // namespace jostle::calibration::probe
