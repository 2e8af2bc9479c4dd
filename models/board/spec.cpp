#include "models/board/spec.hpp"

#include <algorithm>
#include <iterator>

#include "models/cpu/spec.hpp"

namespace jostle::board {

int DeviceSpec::core_count() const {
  int count = 0;
  for (const cpu::ClusterSpec& cluster : cpu->clusters) count += cluster.cores;
  return count;
}

bool DeviceSpec::lowers_clocks() const {
  return !gpu.clock_table_hz.empty() || !cpu->clusters.front().clock_table_hz.empty();
}

bool together(const PowerMode& one, const PowerMode& other) {
  return one.jetpack.empty() || other.jetpack.empty() || one.jetpack == other.jetpack;
}

std::string in_words(const PowerMode& mode) {
  return mode.jetpack.empty() ? mode.name : mode.name + " (JetPack " + mode.jetpack + ")";
}

const PowerMode* find_power_mode(const DeviceSpec& device, const std::string& name) {
  for (const PowerMode& mode : device.power_modes) {
    if (mode.name == name) return &mode;
  }
  return nullptr;
}

std::vector<int> shared_cpus(const DeviceSpec& device, const std::vector<int>& cpus) {
  const auto apart = [&cpu = *device.cpu](int number) {
    return std::ranges::find(cpu.isolated, number) != cpu.isolated.end() ||
           std::ranges::find(cpu.partitioned, number) != cpu.partitioned.end();
  };
  std::vector<int> shared;
  int first = 0;
  for (const cpu::ClusterSpec& cluster : device.cpu->clusters) {
    const int behind = first + cluster.cores;
    std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(shared),
                 [&](int cpu) { return !cluster.isolated && cpu >= first && cpu < behind && !apart(cpu); });
    first = behind;
  }
  return shared.empty() ? cpus : shared;
}

std::vector<int> online_cpus(const DeviceSpec& device, const PowerMode* mode, std::optional<int> cores) {
  std::vector<int> online, offline;
  int first = 0;
  for (std::size_t cluster = 0; cluster < device.cpu->clusters.size(); ++cluster) {
    const int count = device.cpu->clusters[cluster].cores;
    const bool limited = mode != nullptr && cluster < mode->online_cores.size();
    const int up = limited ? std::min(count, mode->online_cores[cluster]) : count;
    for (int i = 0; i < count; ++i) (i < up ? online : offline).push_back(first + i);
    first += count;
  }
  if (cores) {
    const auto wanted = static_cast<std::size_t>(std::max(0, *cores));
    for (const int cpu : offline) {
      if (online.size() < wanted) online.push_back(cpu);
    }
    std::sort(online.begin(), online.end());
    if (online.size() > wanted) online.resize(wanted);
  }
  return online;
}

}  // namespace jostle::board
