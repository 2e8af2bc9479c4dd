#include "calibration/probe/board_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibration/probe/clock.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::int64_t look_every_ns = 250'000'000;

void add_setting(BoardState& state, const MachineFiles& files, const std::string& path,
                 const std::string& key) {
  const std::string value = files.line(path);
  if (!value.empty()) state[key] = value;
}

// Files of the memory controller and of powered SMs on Jetsons; they need no folder to be looked through.
constexpr std::array jetson_settings{
    std::string_view("/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked"),
    std::string_view("/sys/kernel/debug/bpmp/debug/clk/emc/max_rate"),
    std::string_view("/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"),
    std::string_view("/sys/kernel/nvpmodel_clk_cap/emc"),
    std::string_view("/sys/devices/gpu.0/tpc_pg_mask"),
    std::string_view("/sys/devices/platform/gpu.0/tpc_pg_mask"),
};

bool throttles(std::string_view cooling_type) {
  return cooling_type.find("alert") != std::string_view::npos ||
         cooling_type.find("throttle") != std::string_view::npos ||
         cooling_type.find("cpufreq") != std::string_view::npos;
}

}  // namespace

BoardState read_settings(const MachineFiles& files) {
  BoardState state;
  add_setting(state, files, "/var/lib/nvpmodel/status", "nvpmodel_status");
  add_setting(state, files, "/sys/devices/system/cpu/online", "online");
  const std::string cpufreq = "/sys/devices/system/cpu/cpufreq/";
  for (const std::string& policy : files.entries(cpufreq, "policy"))
    for (const char* const key : {"scaling_governor", "scaling_min_freq", "scaling_max_freq"})
      add_setting(state, files, cpufreq + policy + '/' + key, fmt::format("cpu.{}.{}", policy, key));
  const std::string devfreq = "/sys/class/devfreq/";
  for (const std::string& device : files.entries(devfreq))
    for (const char* const key : {"governor", "min_freq", "max_freq"})
      add_setting(state, files, devfreq + device + '/' + key, fmt::format("devfreq.{}.{}", device, key));
  for (const std::string_view path : jetson_settings)
    add_setting(state, files, std::string(path), std::string(path.substr(5)));
  for (int n = 1; n <= 3; ++n)
    add_setting(state, files, fmt::format("/sys/devices/system/cpu/cpu0/cpuidle/state{}/disable", n),
                fmt::format("cpu0.cpuidle.state{}.disable", n));
  return state;
}

BoardState read_events(const MachineFiles& files) {
  BoardState state;
  const std::string thermal = "/sys/class/thermal/";
  for (const std::string& device : files.entries(thermal, "cooling_device")) {
    const std::string type = files.line(thermal + device + "/type");
    if (throttles(type))
      add_setting(state, files, thermal + device + "/cur_state", fmt::format("{}.{}", device, type));
  }
  const std::string hwmon = "/sys/class/hwmon/";
  for (const std::string& monitor : files.entries(hwmon, "hwmon"))
    for (int n = 1; n <= 3; ++n)
      add_setting(state, files, fmt::format("{}{}/oc{}_event_cnt", hwmon, monitor, n),
                  fmt::format("oc{}_event_cnt", n));
  return state;
}

std::string state_difference(const BoardState& before, const BoardState& after) {
  std::string text;
  const auto add = [&text](const std::string& key, std::string_view old, std::string_view now) {
    text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : "; ", key, old, now);
  };
  for (const auto& [key, value] : before) {
    const auto now = after.find(key);
    if (now == after.end())
      add(key, value, "none");
    else if (now->second != value)
      add(key, value, now->second);
  }
  for (const auto& [key, value] : after)
    if (!before.contains(key)) add(key, "none", value);
  return text;
}

StateWatch::StateWatch(const MachineFiles& files)
    : files_(files), settings_(read_settings(files)), events_(read_events(files)), looked_(now_ns()) {}

void StateWatch::look(bool now) {
  if (!changed_.empty() || (!now && now_ns() - looked_ < look_every_ns)) return;
  changed_ = state_difference(settings_, read_settings(files_));
  if (changed_.empty()) changed_ = state_difference(events_, read_events(files_));
  looked_ = now_ns();
}

std::string state_text(const BoardState& state) {
  std::string text;
  for (const auto& [key, value] : state) text += fmt::format("{}={}\n", key, value);
  return text;
}

BoardState parse_state(std::string_view text) {
  BoardState state;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const std::size_t at = line.find('='); at != std::string_view::npos)
      state.emplace(line.substr(0, at), line.substr(at + 1));
  }
  return state;
}

}  // namespace jostle::calibration::probe
