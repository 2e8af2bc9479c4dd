// Facts of the GPU from /dev, /proc and /sys, without opening it.
#include <algorithm>
#include <string_view>

#include "calibration/probe/identity.hpp"
#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

// The value of a line "Key: \t value" of the driver's files.
std::string driver_value(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  text = text.substr(0, text.find('\n'));
  while (text.starts_with(' ') || text.starts_with('\t') || text.starts_with(':')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return std::string(text);
}

// The version in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue …".
std::string driver_version(const MachineFiles& files) {
  const auto words = words_in(files.line("/proc/driver/nvidia/version"));
  for (const std::string& word : words)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return {};
}

bool is_tegra_gpu(std::string_view devfreq) {
  for (const std::string_view end : {".gpu", ".gp10b", ".gv11b", ".ga10b", ".gm20b"})
    if (devfreq.ends_with(end)) return true;
  return devfreq.starts_with("gpu-");
}

GpuIdentity tegra_gpu(const MachineFiles& files, const std::string& devfreq) {
  GpuIdentity gpu{.present = true, .integrated = true};
  const std::string folder = "/sys/class/devfreq/" + devfreq;
  for (const std::string& word : words_in(files.line(folder + "/available_frequencies")))
    if (const auto hz = input::parse_real(word)) gpu.clocks_mhz.push_back(*hz / 1e6);
  std::ranges::sort(gpu.clocks_mhz);
  if (!gpu.clocks_mhz.empty()) gpu.max_mhz = gpu.clocks_mhz.back();
  return gpu;
}

}  // namespace

GpuIdentity find_gpu(const MachineFiles& files) {
  for (const std::string& card : files.entries("/proc/driver/nvidia/gpus")) {
    GpuIdentity gpu{.present = true};
    gpu.name = driver_value(files.text("/proc/driver/nvidia/gpus/" + card + "/information"), "Model");
    gpu.driver = driver_version(files);
    return gpu;
  }
  for (const std::string& name : files.entries("/sys/class/devfreq"))
    if (is_tegra_gpu(name)) return tegra_gpu(files, name);
  GpuIdentity none;
  const bool node =
      files.exists("/dev/nvidiactl") || files.exists("/dev/nvhost-gpu") || files.exists("/dev/nvgpu");
  none.absent_because = node ? "there are device nodes of an NVIDIA GPU, but the driver tells of none"
                             : "no driver of an NVIDIA GPU is loaded";
  return none;
}

}  // namespace jostle::calibration::probe
