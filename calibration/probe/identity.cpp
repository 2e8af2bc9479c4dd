#include "calibration/probe/identity.hpp"

#include <sys/utsname.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "input/problems.hpp"
#include "input/units.hpp"
#include "profiles/readers/nvpmodel.hpp"

namespace jostle::calibration::probe {
namespace {

// The processor's architecture: of this machine, or as a made-up one's /proc/cpuinfo shows.
std::string architecture_of(const MachineFiles& files) {
  utsname name{};
  if (files.here() && uname(&name) == 0) return name.machine;
  return files.text("/proc/cpuinfo").find("CPU implementer") != std::string::npos ? "aarch64" : "x86_64";
}

// The text of /proc/config.gz; empty without one.
std::string kernel_configuration(const MachineFiles& files) {
  std::string text;
  const gzFile file = gzopen(files.at("/proc/config.gz").c_str(), "rb");
  if (file == nullptr) return text;
  char bytes[8192];
  for (int count = 0;
       text.size() < (std::size_t{4} << 20U) && (count = gzread(file, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(count));
  gzclose(file);
  return text;
}

double tick_of(const MachineFiles& files) {
  constexpr std::string_view key = "CONFIG_HZ=";
  std::string text = kernel_configuration(files);
  if (text.empty()) text = files.text("/boot/config-" + files.line("/proc/sys/kernel/osrelease"));
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t begin = at + key.size();
    return input::parse_real(std::string_view(text).substr(begin, text.find('\n', begin) - begin))
        .value_or(0);
  }
  return 0;
}

// The policy by the version of the kernel: EEVDF from 6.6 on.
std::string policy_of(std::string_view release) {
  int major = 0, minor = 0;
  const auto read = std::from_chars(release.data(), release.data() + release.size(), major);
  if (read.ec != std::errc{} || read.ptr == release.data() + release.size() || *read.ptr != '.') return {};
  std::from_chars(read.ptr + 1, release.data() + release.size(), minor);
  return major > 6 || (major == 6 && minor >= 6) ? "eevdf" : "cfs";
}

double memory_of(const MachineFiles& files) {
  const auto words = words_in(files.line("/proc/meminfo"));
  return words.size() >= 2 && words[0] == "MemTotal:" ? 1024 * input::parse_real(words[1]).value_or(0) : 0;
}

std::string compatible_of(const MachineFiles& files) {
  std::string text = files.text("/proc/device-tree/compatible");
  while (text.ends_with('\0') || text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::vector<double> emc_clocks(const MachineFiles& files) {
  std::vector<double> mhz;
  for (const std::string& name : files.entries("/sys/class/devfreq")) {
    if (name.find("emc") == std::string::npos && name.find("bwmgr") == std::string::npos) continue;
    for (const std::string& word :
         words_in(files.line("/sys/class/devfreq/" + name + "/available_frequencies")))
      if (const auto hz = input::parse_real(word)) mhz.push_back(*hz / 1e6);
  }
  std::ranges::sort(mhz);
  return mhz;
}

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

std::vector<Rail> read_rails(const MachineFiles& files) {
  std::vector<Rail> rails;
  for (const std::string& monitor : files.entries("/sys/class/hwmon", "hwmon")) {
    const std::string folder = "/sys/class/hwmon/" + monitor;
    const std::string sensor = files.line(folder + "/name");
    if (!sensor.starts_with("ina")) continue;
    for (int n = 1; n <= 8; ++n) {
      const std::string label = files.line(folder + "/in" + std::to_string(n) + "_label");
      if (!label.empty() && label != "NC") rails.push_back({label, sensor});
    }
  }
  // Kernels of JetPack 4 show the sensor as an IIO device.
  const std::string bus = "/sys/bus/i2c/drivers/ina3221x";
  for (const std::string& chip : files.entries(bus))
    for (const std::string& device : files.entries(bus + "/" + chip, "iio:device"))
      for (int n = 0; n < 3; ++n) {
        const std::string label =
            files.line(bus + "/" + chip + "/" + device + "/rail_name_" + std::to_string(n));
        if (!label.empty() && label != "NC") rails.push_back({label, "ina3221x"});
      }
  return rails;
}

bool is_emulated(std::string_view architecture, std::string_view cpuinfo) {
  const bool x86 = cpuinfo.find("vendor_id") != std::string_view::npos;
  const bool arm = cpuinfo.find("CPU implementer") != std::string_view::npos;
  return (architecture == "aarch64" && x86 && !arm) || (architecture == "x86_64" && arm && !x86);
}

PowerModes read_power_modes(const MachineFiles& files) {
  PowerModes modes;
  input::Problems ignored;  // a file that cannot be read tells no modes
  const std::string text = files.text("/etc/nvpmodel.conf");
  const auto file = text.empty() ? std::nullopt : profiles::parse_nvpmodel(text, "nvpmodel.conf", ignored);
  if (!file) return modes;
  const std::string status = files.line("/var/lib/nvpmodel/status");
  std::int64_t id = -1;
  if (const std::size_t at = status.find("pmode:"); at != std::string::npos)
    std::from_chars(status.data() + at + 6, status.data() + status.size(), id);
  for (const profiles::NvpMode& mode : file->modes) {
    if (mode.id == id) modes.present = modes.names.size();
    modes.names.push_back(profiles::plain_mode_name(mode.name));
  }
  return modes;
}

Identity read_identity(const MachineFiles& files) {
  Identity found;
  found.architecture = architecture_of(files);
  found.board = files.line("/proc/device-tree/model");
  found.compatible = compatible_of(files);
  found.kernel = files.line("/proc/sys/kernel/osrelease");
  found.l4t = files.line("/etc/nv_tegra_release");
  if (found.l4t.starts_with("# ")) found.l4t.erase(0, 2);
  found.policy = policy_of(found.kernel);
  found.tick_hz = tick_of(files);
  found.cores_online = static_cast<int>(cpu_numbers(files.line("/sys/devices/system/cpu/online")).size());
  found.cores_present = static_cast<int>(cpu_numbers(files.line("/sys/devices/system/cpu/present")).size());
  found.smt = files.line("/sys/devices/system/cpu/smt/active") == "1";
  const std::string cpuinfo = files.text("/proc/cpuinfo");
  found.hypervisor = std::string_view(cpuinfo).substr(0, 16384).find(" hypervisor") != std::string_view::npos;
  found.emulated = is_emulated(found.architecture, cpuinfo);
  found.memory_bytes = memory_of(files);
  found.clusters = read_clusters(files);
  found.gpu = find_gpu(files);
  found.emc_mhz = emc_clocks(files);
  found.rails = read_rails(files);
  PowerModes modes = read_power_modes(files);
  if (modes.present) found.power_mode = modes.names[*modes.present];
  found.power_modes = std::move(modes.names);
  return found;
}

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
