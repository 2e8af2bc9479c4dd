// Clusters of cores from sysfs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include "calibration/probe/identity.hpp"
#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

const std::string cpu_folder = "/sys/devices/system/cpu";

// ARM's cores by implementer and part of their identification register (MIDR).
struct ArmCore {
  unsigned implementer, part;
  std::string_view name;
};
constexpr std::array arm_cores{
    ArmCore{0x41, 0xd03, "Cortex-A53"},   ArmCore{0x41, 0xd07, "Cortex-A57"},
    ArmCore{0x41, 0xd08, "Cortex-A72"},   ArmCore{0x41, 0xd0b, "Cortex-A76"},
    ArmCore{0x41, 0xd42, "Cortex-A78AE"}, ArmCore{0x41, 0xd0c, "Neoverse-N1"},
    ArmCore{0x41, 0xd49, "Neoverse-N2"},  ArmCore{0x41, 0xd40, "Neoverse-V1"},
    ArmCore{0x41, 0xd4f, "Neoverse-V2"},  ArmCore{0x41, 0xd83, "Neoverse-V3AE"},
    ArmCore{0x4e, 0x003, "Denver-2"},     ArmCore{0x4e, 0x004, "Carmel"},
};

std::string value_after_colon(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  line.remove_prefix(colon + 1);
  while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  return std::string(line);
}

unsigned hexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

// The name of each core, by its number, from /proc/cpuinfo.
std::map<int, std::string> core_names(const MachineFiles& files) {
  std::map<int, std::string> names;
  int cpu = -1;
  unsigned implementer = 0;
  const std::string text = files.text("/proc/cpuinfo");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string value = value_after_colon(line);
    if (line.starts_with("processor")) {
      std::from_chars(value.data(), value.data() + value.size(), cpu);
    } else if (line.starts_with("model name") && names[cpu].empty()) {
      names[cpu] = value;
    } else if (line.starts_with("CPU implementer")) {
      implementer = hexadecimal(value);
    } else if (line.starts_with("CPU part")) {
      const unsigned part = hexadecimal(value);
      const auto known = std::ranges::find_if(arm_cores, [&](const ArmCore& core) {
        return core.implementer == implementer && core.part == part;
      });
      names[cpu] = known != arm_cores.end() ? std::string(known->name)
                                            : fmt::format("ARM core {:#x} {:#x}", implementer, part);
    }
  }
  return names;
}

// A size as sysfs writes it: "256K", "32768K", "2M".
double size_of(std::string text) {
  double factor = 1;
  if (text.ends_with('K')) factor = 1024;
  if (text.ends_with('M')) factor = 1024 * 1024;
  if (factor > 1) text.pop_back();
  return factor * input::parse_real(text).value_or(0);
}

// Caches for data: the largest of the core alone, and the largest with others, with the cores that share it.
struct CoreCaches {
  double own = 0, shared = 0;
  std::vector<int> sharers;
};
CoreCaches caches_of(const MachineFiles& files, const std::string& core, std::size_t threads_of_core) {
  CoreCaches found;
  for (const std::string& index : files.entries(core + "/cache", "index")) {
    const std::string cache = core + "/cache/" + index;
    if (files.line(cache + "/type") == "Instruction") continue;
    const double bytes = size_of(files.line(cache + "/size"));
    const std::vector<int> sharers = cpu_numbers(files.line(cache + "/shared_cpu_list"));
    if (sharers.size() <= std::max<std::size_t>(1, threads_of_core)) {
      found.own = std::max(found.own, bytes);
    } else if (bytes > found.shared) {
      found.shared = bytes;
      found.sharers = sharers;
    }
  }
  return found;
}

std::vector<double> clock_table(const MachineFiles& files, const std::string& policy) {
  std::vector<double> table;
  for (const std::string& word : words_in(files.line(policy + "/scaling_available_frequencies")))
    if (const auto khz = input::parse_real(word)) table.push_back(*khz / 1000);
  std::ranges::sort(table);
  table.erase(std::unique(table.begin(), table.end()), table.end());
  return table;
}

// One core as a cluster of its own, and what it must share with the others of its cluster.
struct Core {
  CpuCluster alone;
  std::vector<int> clock_sharers, cache_sharers;
};
Core read_core(const MachineFiles& files, int number, const std::string& name) {
  const std::string core = fmt::format("{}/cpu{}", cpu_folder, number);
  Core found;
  CpuCluster& alone = found.alone;
  alone.cpus = {number};
  alone.core = name;
  alone.capacity = static_cast<int>(files.number(core + "/cpu_capacity").value_or(0));
  const std::string policy = core + "/cpufreq";
  found.clock_sharers = cpu_numbers(files.line(policy + "/related_cpus"));
  if (found.clock_sharers.empty())
    for (const std::string& word : words_in(files.line(policy + "/related_cpus")))
      if (const auto one = cpu_numbers(word); one.size() == 1) found.clock_sharers.push_back(one.front());
  alone.max_mhz = files.number(policy + "/cpuinfo_max_freq").value_or(0) / 1000;
  alone.min_mhz = files.number(policy + "/cpuinfo_min_freq").value_or(0) / 1000;
  alone.clocks_mhz = clock_table(files, policy);
  alone.governor = files.line(policy + "/scaling_governor");
  const auto siblings = cpu_numbers(files.line(core + "/topology/thread_siblings_list"));
  const CoreCaches caches = caches_of(files, core, siblings.size());
  alone.cache_bytes = caches.own;
  alone.shared_cache_bytes = caches.shared;
  found.cache_sharers = caches.sharers;
  return found;
}

}  // namespace

std::vector<CpuCluster> read_clusters(const MachineFiles& files) {
  std::vector<int> online = cpu_numbers(files.line(cpu_folder + "/online"));
  if (online.empty()) online = cpu_numbers(files.line(cpu_folder + "/present"));
  const auto names = core_names(files);
  std::vector<Core> clusters;
  for (const int number : online) {
    const auto name = names.find(number);
    Core core = read_core(files, number, name != names.end() ? name->second : std::string());
    const auto same = std::ranges::find_if(clusters, [&](const Core& cluster) {
      const bool many_clocks = core.clock_sharers.size() > 1 || cluster.clock_sharers.size() > 1;
      return cluster.alone.core == core.alone.core && cluster.alone.capacity == core.alone.capacity &&
             cluster.alone.max_mhz == core.alone.max_mhz && cluster.cache_sharers == core.cache_sharers &&
             (!many_clocks || cluster.clock_sharers == core.clock_sharers);
    });
    if (same == clusters.end())
      clusters.push_back(std::move(core));
    else
      same->alone.cpus.push_back(number);
  }
  std::vector<CpuCluster> found;
  for (Core& cluster : clusters) found.push_back(std::move(cluster.alone));
  return found;
}

}  // namespace jostle::calibration::probe
