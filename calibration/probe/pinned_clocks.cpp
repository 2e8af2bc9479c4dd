#include "calibration/probe/pinned_clocks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

namespace jostle::calibration::probe {
namespace {

std::string first_line_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Sysfs tells of a refusal when the file is flushed.
bool put_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << '\n' << std::flush;
  return stream.good();
}

bool is_gpu(const std::string& device) {
  return std::ranges::any_of(std::initializer_list<const char*>{"gpu", "gv11b", "ga10b", "gp10b"},
                             [&](const char* word) { return device.find(word) != std::string::npos; });
}

}  // namespace

// NVML (nvml.h); a member is null where the library lacks it.
struct LockedGpu::Library {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  void* device = nullptr;
  std::string problem;
  int (*shutdown)() = nullptr;
  int (*highest)(void*, int, unsigned*) = nullptr;
  int (*lock)(void*, unsigned, unsigned) = nullptr;
  int (*unlock)(void*) = nullptr;
  int (*offered)(void*, unsigned*, unsigned*) = nullptr;
  int (*lock_memory)(void*, unsigned, unsigned) = nullptr;
  int (*unlock_memory)(void*) = nullptr;

  Library() {
    if (handle == nullptr) {
      problem = "libnvidia-ml.so.1 cannot be opened";
      return;
    }
    int (*init)() = nullptr;
    int (*by_index)(unsigned, void**) = nullptr;
    find("nvmlInit_v2", init);
    find("nvmlDeviceGetHandleByIndex_v2", by_index);
    find("nvmlShutdown", shutdown);
    find("nvmlDeviceGetMaxClockInfo", highest);
    find("nvmlDeviceSetGpuLockedClocks", lock);
    find("nvmlDeviceResetGpuLockedClocks", unlock);
    find("nvmlDeviceGetSupportedMemoryClocks", offered);
    find("nvmlDeviceSetMemoryLockedClocks", lock_memory);
    find("nvmlDeviceResetMemoryLockedClocks", unlock_memory);
    if (init == nullptr || by_index == nullptr || init() != 0 || by_index(0, &device) != 0) {
      device = nullptr;
      problem = "NVML finds no GPU";
    }
  }
  ~Library() {
    if (device != nullptr && shutdown != nullptr) shutdown();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class F>
  void find(const char* name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
  }
  // A call's result as a sentence; empty: it succeeded.
  template <class F, class... Given>
  [[nodiscard]] std::string call(const char* name, F* function, Given... given) const {
    if (device == nullptr) return problem;
    if (function == nullptr) return fmt::format("the driver has no {}", name);
    const int result = function(device, given...);
    return result == 0 ? std::string() : fmt::format("{} fails: error {}", name, result);
  }
};

LockedGpu::LockedGpu() : library_(std::make_unique<Library>()) {}

LockedGpu::~LockedGpu() {
  if (memory_) static_cast<void>(free_memory());
  if (sms_) static_cast<void>(library_->call("nvmlDeviceResetGpuLockedClocks", library_->unlock));
}

std::string LockedGpu::lock_highest() {
  constexpr int sm_clock = 1;
  unsigned mhz = 0;
  std::string why = library_->call("nvmlDeviceGetMaxClockInfo", library_->highest, sm_clock, &mhz);
  if (why.empty()) why = library_->call("nvmlDeviceSetGpuLockedClocks", library_->lock, mhz, mhz);
  sms_ = why.empty();
  return why;
}

std::vector<unsigned> LockedGpu::memory_clocks() const {
  unsigned count = 64;
  std::vector<unsigned> clocks(count);
  if (!library_->call("nvmlDeviceGetSupportedMemoryClocks", library_->offered, &count, clocks.data()).empty())
    return {};
  clocks.resize(std::min<std::size_t>(count, clocks.size()));
  std::ranges::sort(clocks, std::greater());
  return clocks;
}

std::string LockedGpu::lock_memory(unsigned mhz) {
  std::string why = library_->call("nvmlDeviceSetMemoryLockedClocks", library_->lock_memory, mhz, mhz);
  memory_ = memory_ || why.empty();
  return why;
}

std::string LockedGpu::free_memory() {
  std::string why = library_->call("nvmlDeviceResetMemoryLockedClocks", library_->unlock_memory);
  if (why.empty()) memory_ = false;
  return why;
}

PinnedClocks::PinnedClocks(std::filesystem::path root, bool card, std::function<void(const std::string&)> say)
    : say_(std::move(say)), owner_(getpid()) {
  std::error_code ignored;
  for (const auto& policy :
       std::filesystem::directory_iterator(root / "sys/devices/system/cpu/cpufreq", ignored))
    lift(policy.path(), "scaling_min_freq", "scaling_max_freq");
  for (const auto& device : std::filesystem::directory_iterator(root / "sys/class/devfreq", ignored))
    if (is_gpu(device.path().filename())) lift(device.path(), "min_freq", "max_freq");
  if (!card) return;
  gpu_ = std::make_unique<LockedGpu>();
  const std::string why = gpu_->lock_highest();
  say_(why.empty() ? "the clock of the card is locked at its highest"
                   : "the clock of the card is not locked: " + why);
}

void PinnedClocks::lift(const std::filesystem::path& folder, const char* lower, const char* upper) {
  const std::string before = first_line_in(folder / lower), highest = first_line_in(folder / upper);
  if (before.empty() || highest.empty()) return;
  const std::string name = folder.filename();
  if (!put_text(folder / lower, highest)) {
    say_(fmt::format("{} is not pinned: {} cannot be written", name, lower));
    return;
  }
  kept_.push_back({folder / lower, before});
  say_(fmt::format("{} is pinned: {} is {} instead of {}", name, lower, highest, before));
}

PinnedClocks::~PinnedClocks() {
  if (getpid() != owner_) {  // a fork of the probe
    static_cast<void>(gpu_.release());
    return;
  }
  for (const Kept& kept : kept_)
    if (!put_text(kept.file, kept.text) || first_line_in(kept.file) != kept.text)
      say_(fmt::format("{} could not be given back: it was {}", kept.file.string(), kept.text));
}

std::string pin_refusal(uid_t user) {
  return user == 0 ? ""
                   : "--pin holds clocks at their highest, which only root may: run it with sudo, or without "
                     "--pin in the state in which the board works";
}

}  // namespace jostle::calibration::probe
