// Changes of cores and of the threads on them.
#include <fmt/format.h>

#include <algorithm>

#include "analyses/explain/intervention.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "scenarios/language/power_mode.hpp"

namespace jostle::analyses {
namespace {

using scenarios::ProcessEntry;
using scenarios::Sync;

constexpr double least_wait = 0.01;  // share of the time waiting for a core above which priorities matter
constexpr int nice_of_first = -10;   // nice: the value of processes beside loads

std::vector<int> online(const Request& request, const board::DeviceSpec& device, std::optional<int> cores) {
  const auto mode = scenarios::power_mode_of(request.scenario, device);
  return board::online_cpus(device, mode ? &*mode : nullptr, cores);
}

// The share of the time that processes wait for a core, of the one that waits most.
double longest_wait(const scenarios::Result& result) {
  double most = 0;
  for (const scenarios::ProcessResult& process : result.processes)
    if (process.time_share)
      most = std::max(most, (*process.time_share)[index_of(process::Share::waiting_for_core)]);
  return most;
}

// Lets processes whose way of waiting is not `sync` wait in that way.
std::optional<Changed> wait_by(const Request& request, Sync sync, const char* label) {
  scenarios::Scenario scenario = request.scenario;
  bool any = false;
  for (ProcessEntry& process : scenario.processes) {
    const bool changes = sync == Sync::blocking
                             ? process.host.sync != Sync::blocking
                             : process.host.sync == Sync::blocking || process.host.sync == Sync::yield;
    if (process.host.placement == scenarios::Placement::cpu || !changes) continue;
    process.host.sync = sync;
    any = true;
  }
  if (!any) return std::nullopt;
  return one_board(label, std::move(scenario));
}

}  // namespace

// Gives all processes one core more: an online one that they do not use, else an offline one, else one that
// the board lacks.
std::optional<Changed> one_core_more(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  if (std::ranges::all_of(scenario.processes, [](const auto& process) { return !process.host.cpus.empty(); }))
    return std::nullopt;
  const std::vector<int> now = online(request, request.device, scenario.clocks.cores);
  const auto is_used = [&](int cpu) {
    return scenario.cpus.empty() || std::ranges::find(scenario.cpus, cpu) != scenario.cpus.end();
  };
  const std::size_t used = scenario.host_cores     ? static_cast<std::size_t>(*scenario.host_cores)
                           : scenario.cpus.empty() ? now.size()
                                                   : scenario.cpus.size();
  std::vector<int> then = now;
  bool possible = true;
  if (used >= now.size()) {
    board::DeviceSpec device = request.device;
    if (static_cast<int>(now.size()) == device.core_count()) {
      possible = false;
      cpu::ClusterSpec& last = device.cpu->clusters.back();
      put(scenario, fmt::format("cpu.clusters.{}.cores", device.cpu->clusters.size() - 1),
          fmt::format("{}", ++last.cores));
    }
    scenario.clocks.cores = static_cast<int>(now.size()) + 1;
    then = online(request, device, scenario.clocks.cores);
  }
  if (scenario.host_cores) ++*scenario.host_cores;
  if (!scenario.cpus.empty()) {
    const auto added = std::ranges::find_if_not(then, is_used);
    if (added == then.end()) return std::nullopt;
    scenario.cpus.push_back(*added);
    std::ranges::sort(scenario.cpus);
  }
  Changed changed = one_board(fmt::format("one core more ({})", used + 1), std::move(scenario));
  changed.possible = possible;
  return changed;
}

// Lifts what confines processes to some of the cores: host_cores, cpus, clocks.cores.
std::optional<Changed> all_cores(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  const std::size_t now = online(request, request.device, scenario.clocks.cores).size();
  bool confined = scenario.host_cores || !scenario.cpus.empty();
  scenario.host_cores.reset();
  scenario.cpus.clear();
  for (ProcessEntry& process : scenario.processes) {
    confined = confined || !process.host.cpus.empty();
    process.host.cpus.clear();
  }
  if (scenario.clocks.cores && online(request, request.device, std::nullopt).size() > now) {
    scenario.clocks.cores.reset();
    confined = true;
  }
  if (!confined) return std::nullopt;
  const std::size_t then = online(request, request.device, scenario.clocks.cores).size();
  return one_board(fmt::format("all {} cores", then), std::move(scenario));
}

// Lets the networks' threads go before those of loads, and before each other as equals.
std::optional<Changed> nice_first(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  if (longest_wait(request.before) < least_wait) return std::nullopt;
  bool any = !scenario.loads.empty();
  for (ProcessEntry& process : scenario.processes) {
    any = any || process.host.nice > 0;
    if (process.host.fifo == 0) process.host.nice = std::min(process.host.nice, nice_of_first);
  }
  if (!any) return std::nullopt;
  return one_board(fmt::format("nice {}", nice_of_first), std::move(scenario));
}

std::optional<Changed> sync_spin(const Request& request) {
  return wait_by(request, Sync::spin, "sync: spin");
}

std::optional<Changed> sync_blocking(const Request& request) {
  return wait_by(request, Sync::blocking, "sync: blocking");
}

// The engine alone: the stages before and after inference take no time.
std::optional<Changed> no_stages(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  std::vector<std::string> names;
  for (ProcessEntry& process : scenario.processes) {
    for (const auto* stages : {&process.around.before, &process.around.after})
      for (const scenarios::Stage& stage : *stages) names.push_back(stage.name);
    process.around.before.clear();
    process.around.after.clear();
  }
  if (names.empty()) return std::nullopt;
  return one_board(names.size() == 1 ? "without " + names.front()
                                     : fmt::format("without {} and {} more", names.front(), names.size() - 1),
                   std::move(scenario));
}

namespace {

// True if threads of the process compute on the cores, or would.
bool has_team(const ProcessEntry& process) {
  return process.host.placement == scenarios::Placement::cpu || has_session_pool(process) ||
         (process.language && (process.language->gpu_layers || process.language->cpu_moe > 0));
}

}  // namespace

// The number of threads is that of the cores for them, or half of it: the cores that a process may use, or
// the quota of its container, divided among all that compute there.
std::vector<Changed> fewer_threads(const Request& request) {
  std::int64_t teams = 0;
  for (const ProcessEntry& process : request.scenario.processes)
    teams += has_team(process) ? process.count : 0;
  std::vector<int> allowed = request.scenario.cpus;
  if (allowed.empty())
    allowed =
        board::shared_cpus(request.device, online(request, request.device, request.scenario.clocks.cores));
  if (request.scenario.host_cores) allowed.resize(static_cast<std::size_t>(*request.scenario.host_cores));
  std::vector<Changed> all;
  for (const std::int64_t part : {1, 2}) {
    scenarios::Scenario scenario = request.scenario;
    std::int64_t least = 0, most = 0;
    bool any = false;
    for (ProcessEntry& process : scenario.processes) {
      if (!has_team(process)) continue;
      auto cores =
          static_cast<std::int64_t>(process.host.cpus.empty() ? allowed.size() : process.host.cpus.size());
      const std::int64_t now = process.host.threads.value_or(cores);
      if (const auto& container = process.host.container; container && container->cpus)
        cores = std::min(cores, static_cast<std::int64_t>(*container->cpus));
      const std::int64_t each = std::max<std::int64_t>(1, cores / (teams * part));
      least = least == 0 ? each : std::min(least, each);
      most = std::max(most, each);
      any = any || each != now;
      process.host.threads = each;
    }
    std::string label = least != most ? "fewer threads each"
                        : teams > 1   ? fmt::format("{} thread{} each", most, most == 1 ? "" : "s")
                                      : fmt::format("threads: {}", most);
    if (any && (all.empty() || all.back().label != label))
      all.push_back(one_board(std::move(label), std::move(scenario)));
  }
  return all;
}

std::optional<Changed> no_quota(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  bool limited = false;
  for (scenarios::ProcessEntry& process : scenario.processes) {
    if (!process.host.container) continue;
    limited = limited || process.host.container->cpus;
    process.host.container->cpus.reset();
  }
  for (scenarios::LoadEntry& load : scenario.loads)
    if (load.container) load.container->cpus.reset();
  if (!limited) return std::nullopt;
  return one_board("no quota of a container", std::move(scenario));
}

}  // namespace jostle::analyses
