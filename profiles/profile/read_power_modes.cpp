#include <fmt/format.h>

#include <algorithm>

#include "input/readers.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/read_parts.hpp"

namespace jostle::profiles {
namespace {

// Reads one value for the whole CPU, or a list with one value for each cluster.
template <class T, class Reader>
struct PerCluster {
  std::size_t clusters;
  Reader item;
  std::optional<std::vector<T>> operator()(const Cursor& at) const {
    if (!at.is(Kind::sequence)) {
      const auto value = item(at);
      return value ? std::optional(std::vector<T>(clusters, *value)) : std::nullopt;
    }
    if (at.value().children.size() != clusters) {
      at.problem(fmt::format("{} values for {} clusters", at.value().children.size(), clusters));
      return std::nullopt;
    }
    return input::List<T, Reader>{"a list with one value for each cluster", item, clusters}(at);
  }
};

// Reads the numbers of online cores: `cores: 4` fills the clusters in order; `cores: [0, 4]` gives the number
// for each cluster.
struct OnlineCores {
  const std::vector<cpu::ClusterSpec>& clusters;
  std::optional<std::vector<int>> operator()(const Cursor& at) const {
    const bool each = at.is(Kind::sequence);
    auto counts = PerCluster<int, Whole<int>>{clusters.size(), {0, max_board_cores}}(at);
    if (!counts) return std::nullopt;
    int rest = counts->empty() ? 0 : counts->front();
    int online = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      int& count = (*counts)[i];
      if (!each) count = std::min(rest, clusters[i].cores);
      rest -= count;
      online += count;
      if (count > clusters[i].cores) at.problem(fmt::format("cluster {} has {} cores", i, clusters[i].cores));
    }
    if (!each && rest > 0) at.problem("more cores than the board has");
    if (online == 0) at.problem("no core is online");
    return counts;
  }
};

void check_minima(const Cursor& at, const board::PowerMode& mode) {
  bool crossed =
      mode.gpu_min_clock_hz && mode.gpu_max_clock_hz && *mode.gpu_min_clock_hz > *mode.gpu_max_clock_hz;
  for (std::size_t i = 0; i < std::min(mode.cpu_min_clock_hz.size(), mode.cpu_max_clock_hz.size()); ++i)
    crossed = crossed || mode.cpu_min_clock_hz[i] > mode.cpu_max_clock_hz[i];
  if (crossed) at.problem("a minimum clock is above the maximum");
}

board::PowerMode read_mode(const Cursor& at, Block& outer, const board::DeviceSpec& device) {
  Block block(at, "a power mode", outer.parameters(), outer.from());
  board::PowerMode mode;
  block.words().required("name", mode.name, input::Text{100});
  block.words().optional("jetpack", mode.jetpack, input::Text{40});
  double fastest = 0;
  for (const cpu::ClusterSpec& cluster : device.cpu->clusters)
    fastest = std::max(fastest, cluster.max_clock_hz);
  const auto clock = [](double most) { return Quantity{input::frequency_dimension(), 0, most, true}; };
  block.optional("cores", mode.online_cores, OnlineCores{device.cpu->clusters});
  block.optional("cpu", mode.cpu_max_clock_hz,
                 PerCluster<double, Quantity>{device.cpu->clusters.size(), clock(fastest)});
  if (device.has_gpu()) {
    block.optional("gpu", mode.gpu_max_clock_hz, clock(device.gpu.max_clock_hz));
    block.optional("tpcs", mode.tpcs,
                   Whole<int>{1, std::max(1, device.gpu.sm_count / device.gpu.sms_per_tpc)});
  }
  if (device.dla.count > 0) block.optional("dla", mode.dla_max_clock_hz, clock(device.dla.max_clock_hz));
  block.optional("emc", mode.emc_max_clock_hz, clock(device.memory.max_clock_hz));
  block.optional("cpu_min", mode.cpu_min_clock_hz,
                 PerCluster<double, Quantity>{device.cpu->clusters.size(), clock(fastest)});
  if (device.has_gpu()) block.optional("gpu_min", mode.gpu_min_clock_hz, clock(device.gpu.max_clock_hz));
  check_minima(at, mode);
  const Quantity amperes{input::current_dimension(), 0, 1e4, true};
  block.optional("over_current_average", mode.over_current.average_a, amperes);
  block.optional("over_current_instantaneous", mode.over_current.instantaneous_a, amperes);
  block.optional("jetson_clocks_emc", mode.jetson_clocks_lifts_emc,
                 input::Choice<bool>{"an EMC clock for jetson_clocks", {{"mode", false}, {"max", true}}});
  return mode;
}

}  // namespace

void read_power_modes(const Cursor& at, std::vector<ProfileParameter>& parameters,
                      board::DeviceSpec& device) {
  Block block(at, "the power modes: default, modes", parameters);
  std::vector<std::string> names;
  if (const auto modes = block.words().require("modes")) {
    for (const Cursor& mode : modes->items("a list of power modes", 64)) {
      device.power_modes.push_back(read_mode(mode, block, device));
      const std::string& name = device.power_modes.back().name;
      if (std::find(names.begin(), names.end(), name) != names.end()) mode.problem("duplicate mode " + name);
      names.push_back(name);
    }
  }
  if (const auto chosen = block.words().require("default")) {
    if (const auto index = input::choose(*chosen, "one of the modes", names))
      device.default_power_mode = names[*index];
  }
}

}  // namespace jostle::profiles
