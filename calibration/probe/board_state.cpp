#include "calibration/probe/board_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <system_error>

#include "calibration/probe/clock.hpp"
#include "input/units.hpp"

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

constexpr std::size_t max_machine_file = std::size_t{4} << 20U;

std::string_view without_ends(std::string_view text) {
  const auto blank = [](char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// The number at the end of a name, for "cpu10" after "cpu9"; -1 if there is none.
long number_at_end(const std::string& name) {
  std::size_t begin = name.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  long number = -1;
  std::from_chars(name.data() + begin, name.data() + name.size(), number);
  return number;
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

std::filesystem::path MachineFiles::at(std::string_view path) const {
  while (path.starts_with('/')) path.remove_prefix(1);
  return root_ / path;
}

bool MachineFiles::exists(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::exists(at(path), ignored);
}

std::string MachineFiles::text(std::string_view path) const {
  std::ifstream file(at(path), std::ios::binary);
  std::string text;
  char bytes[4096];
  while (file && text.size() < max_machine_file) {
    file.read(bytes, sizeof bytes);
    text.append(bytes, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string MachineFiles::line(std::string_view path) const {
  const std::string all = text(path);
  return std::string(without_ends(std::string_view(all).substr(0, all.find('\n'))));
}

std::optional<double> MachineFiles::number(std::string_view path) const {
  return input::parse_real(line(path));
}

std::vector<std::string> MachineFiles::entries(std::string_view folder, std::string_view prefix) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(this->at(folder), error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    const long x = number_at_end(a), y = number_at_end(b);
    return x != y ? x < y : a < b;
  });
  return names;
}

std::string cpu_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == i + 1 ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\0') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace jostle::calibration::probe
