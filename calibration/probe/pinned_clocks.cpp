#include "calibration/probe/pinned_clocks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
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

PinnedClocks::PinnedClocks(std::filesystem::path root, bool card, std::function<void(const std::string&)> say)
    : say_(std::move(say)), owner_(getpid()) {
  std::error_code ignored;
  for (const auto& policy :
       std::filesystem::directory_iterator(root / "sys/devices/system/cpu/cpufreq", ignored))
    lift(policy.path(), "scaling_min_freq", "scaling_max_freq");
  for (const auto& device : std::filesystem::directory_iterator(root / "sys/class/devfreq", ignored))
    if (is_gpu(device.path().filename())) lift(device.path(), "min_freq", "max_freq");
  if (!card) return;
  lock_card();
}

void PinnedClocks::lock_card() {
  constexpr int sm_clock = 1;
  auto card = std::make_unique<Nvml>();
  int (*highest)(Device*, int, unsigned*) = nullptr;
  int (*lock)(Device*, unsigned, unsigned) = nullptr;
  card->find("nvmlDeviceGetMaxClockInfo", highest);
  card->find("nvmlDeviceSetGpuLockedClocks", lock);
  unsigned mhz = 0;
  std::string why = card->problem;
  const auto call = [&why](const char* name, auto* function, auto... given) {
    if (!why.empty()) return;
    if (function == nullptr)
      why = fmt::format("the driver has no {}", name);
    else if (const int result = function(given...); result != 0)
      why = fmt::format("{} fails: error {}", name, result);
  };
  call("nvmlDeviceGetMaxClockInfo", highest, card->device, sm_clock, &mhz);
  call("nvmlDeviceSetGpuLockedClocks", lock, card->device, mhz, mhz);
  if (why.empty()) gpu_ = std::move(card);
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
  int (*unlock)(Device*) = nullptr;
  if (gpu_) gpu_->find("nvmlDeviceResetGpuLockedClocks", unlock);
  if (unlock != nullptr) unlock(gpu_->device);
}

std::string pin_refusal(uid_t user) {
  return user == 0 ? ""
                   : "--pin holds clocks at their highest, which only root may: run it with sudo, or without "
                     "--pin in the state in which the board works";
}

}  // namespace jostle::calibration::probe
