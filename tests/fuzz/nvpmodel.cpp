// Any bytes as an nvpmodel.conf: either it is read and has modes, or there is a problem to show; and so for
// each of its modes on boards of several kinds.

#include "profiles/readers/nvpmodel.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;
using fuzz::require;

const std::vector<board::DeviceSpec>& boards() {
  static const std::vector<board::DeviceSpec> specs = [] {
    std::vector<board::DeviceSpec> found;
    for (const char* name : {"jetson-orin-nano", "jetson-xavier-nx", "jetson-tx2", "raspberry-pi-3b"}) {
      input::Problems problems;
      found.push_back(*profiles::shipped_profile(name, problems)->spec);
    }
    return found;
  }();
  return specs;
}

void check(const board::PowerMode& mode, const board::DeviceSpec& device) {
  require(!board::online_cpus(device, &mode, std::nullopt).empty(), "a mode leaves a core online");
  for (std::size_t i = 0; i < mode.cpu_max_clock_hz.size(); ++i) {
    const cpu::ClusterSpec& cluster = device.cpu->clusters[i];
    require(mode.cpu_max_clock_hz[i] > 0 && mode.cpu_max_clock_hz[i] <= cluster.max_clock_hz,
            "a maximum is in the domain's range");
  }
  for (std::size_t i = 0; i < mode.cpu_min_clock_hz.size(); ++i) {
    const double most =
        mode.cpu_max_clock_hz.empty() ? device.cpu->clusters[i].max_clock_hz : mode.cpu_max_clock_hz[i];
    require(mode.cpu_min_clock_hz[i] <= most, "a minimum is at most the maximum");
  }
  if (mode.tpcs)
    require(*mode.tpcs >= 1 && *mode.tpcs * device.gpu.sms_per_tpc <= std::max(device.gpu.sm_count, 1),
            "a mode leaves TPCs that there are");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  input::Problems problems;
  const auto file = profiles::parse_nvpmodel(text, "fuzz.conf", problems);
  require(file.has_value() == problems.empty(), "there is a file exactly when there is no problem");
  if (!file) return 0;
  require(!file->modes.empty(), "a file has modes");
  for (const profiles::NvpMode& mode : file->modes) {
    require(profiles::find_mode(*file, mode.name) == &mode, "a mode is found by its name");
    for (const board::DeviceSpec& device : boards()) {
      input::Problems own;
      const auto found = profiles::mode_on_board(*file, mode, device, own);
      require(found.has_value() == own.empty(), "there is a mode exactly when there is no problem");
      if (found) check(found->mode, device);
    }
  }
  return 0;
}
