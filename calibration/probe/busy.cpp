#include "calibration/probe/busy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>
#include <vector>

#include "calibration/probe/clock.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr double hottest_wanted_c = 65;
constexpr double ticks_per_second = 100;  // USER_HZ, the unit of /proc/stat

// Times of all cores together: all, and those in which they worked.
struct CpuTimes {
  double all = 0, idle = 0;
};
CpuTimes cpu_times(std::string_view stat) {
  CpuTimes times;
  const auto words = words_in(stat.substr(0, stat.find('\n')));
  // user nice system idle iowait irq softirq steal; guest time is in the first two already
  for (std::size_t i = 1; i < words.size() && i <= 8; ++i) {
    const double ticks = input::parse_real(words[i]).value_or(0);
    times.all += ticks;
    if (i == 4 || i == 5) times.idle += ticks;
  }
  return times;
}

long cores_of(std::string_view stat) {
  long cores = 0;
  for (std::size_t at = stat.find("\ncpu"); at != std::string_view::npos; at = stat.find("\ncpu", at + 1))
    ++cores;
  return cores;
}

// The processor time of each process, in ticks, with its name.
std::map<std::string, std::pair<double, std::string>> process_times(const MachineFiles& files) {
  std::map<std::string, std::pair<double, std::string>> times;
  for (const std::string& pid : files.entries("/proc")) {
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = files.line("/proc/" + pid + "/stat");
    const std::size_t open = stat.find('('), close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    const auto words = words_in(std::string_view(stat).substr(close + 1));
    if (words.size() < 13) continue;
    times[pid] = {input::parse_real(words[11]).value_or(0) + input::parse_real(words[12]).value_or(0),
                  stat.substr(open + 1, close - open - 1)};
  }
  return times;
}

// The names of those that took most time, at most three.
std::string busiest(const MachineFiles& files,
                    const std::map<std::string, std::pair<double, std::string>>& before) {
  std::vector<std::pair<double, std::string>> took;
  for (const auto& [pid, now] : process_times(files)) {
    const auto then = before.find(pid);
    const double ticks = now.first - (then != before.end() ? then->second.first : 0);
    if (ticks >= 2 && pid != std::to_string(getpid())) took.emplace_back(ticks, now.second);
  }
  std::ranges::sort(took, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, took.size()); ++i)
    names += (i == 0 ? "" : ", ") + input::printable(took[i].second);
  return names.empty() ? std::string() : " (" + names + ")";
}

bool only_draws(std::string_view name) {
  constexpr std::array begins{"Xorg",         "Xwayland", "gnome-shell",    "compiz",     "lightdm",
                              "gdm",          "unity",    "nvargus-daemon", "tegrastats", "nvidia-persiste",
                              "nvidia-powerd"};
  return std::ranges::any_of(begins, [name](std::string_view begin) { return name.starts_with(begin); });
}

bool is_gpu_node(std::string_view target) {
  constexpr std::string_view card = "/dev/nvidia";
  if (target.starts_with("/dev/nvgpu/")) return true;
  if (target.starts_with("/dev/nvhost-")) return target.find("gpu") != std::string_view::npos;
  return target.starts_with(card) && target.size() > card.size() && target[card.size()] >= '0' &&
         target[card.size()] <= '9';
}

bool holds_gpu(const MachineFiles& files, const std::string& process) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(files.at(process + "/fd"), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (is_gpu_node(std::filesystem::read_symlink(at->path(), ignored).string())) return true;
  }
  return false;
}

}  // namespace

double busy_cores(std::string_view stat_before, std::string_view stat_after) {
  const CpuTimes before = cpu_times(stat_before), after = cpu_times(stat_after);
  const double all = after.all - before.all, idle = after.idle - before.idle;
  if (!(all > 0)) return 0;
  return std::clamp((all - idle) / all, 0.0, 1.0) * static_cast<double>(std::max(1L, cores_of(stat_after)));
}

std::string gpu_users(const MachineFiles& files) {
  std::string users;
  for (const std::string& pid : files.entries("/proc")) {
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (files.here() && pid == std::to_string(getpid())) continue;
    const std::string process = "/proc/" + pid;
    if (!holds_gpu(files, process)) continue;
    const std::string name = files.line(process + "/comm");
    if (!only_draws(name)) users += fmt::format("{}{} {}", users.empty() ? "" : ", ", pid, name);
  }
  return users;
}

double hottest_c(const MachineFiles& files) {
  double hottest = 0;
  const std::string thermal = "/sys/class/thermal/";
  for (const std::string& zone : files.entries(thermal, "thermal_zone")) {
    const std::string type = files.line(thermal + zone + "/type");
    const bool other = type.starts_with("PMIC") || type.starts_with("Tboard") || type.starts_with("Tdiode");
    if (!other) hottest = std::max(hottest, files.number(thermal + zone + "/temp").value_or(0) / 1000);
  }
  return hottest;
}

std::string heat_reason(const MachineFiles& files) {
  const double hottest = hottest_c(files);
  if (hottest > hottest_wanted_c) return fmt::format("the hottest sensor tells {:.0f} degC", hottest);
  for (const auto& [key, value] : read_events(files))
    if (key.starts_with("cooling_device") && value != "0") return fmt::format("{} throttles", key);
  return {};
}

std::string wait_until_cool(const MachineFiles& files, const std::atomic<bool>& interrupted,
                            const std::function<void(const std::string&)>& say) {
  std::string why = heat_reason(files);
  if (!why.empty()) say("waiting for the machine to cool down: " + why);
  constexpr std::int64_t patience_ns = 180'000'000'000, look_ns = 1'000'000'000;
  for (const std::int64_t latest = now_ns() + patience_ns;
       !why.empty() && now_ns() < latest && !interrupted;) {
    wait_until(now_ns() + look_ns, interrupted);
    why = heat_reason(files);
  }
  return why;
}

std::string busy_reason(const MachineFiles& files, const std::atomic<bool>& interrupted) {
  const std::string users = gpu_users(files);
  if (!users.empty()) return "others use the GPU: " + input::printable(users, 200);
  const std::string before = files.text("/proc/stat");
  const auto processes = process_times(files);
  wait_until(now_ns() + 1'000'000'000, interrupted);
  const double busy = busy_cores(before, files.text("/proc/stat"));
  static_assert(ticks_per_second * most_busy_cores >= 5, "a second has enough ticks to tell");
  if (busy <= most_busy_cores) return {};
  return fmt::format("others kept {:.2f} cores busy over the last second, and at most {} may be{}", busy,
                     most_busy_cores, busiest(files, processes));
}

}  // namespace jostle::calibration::probe
