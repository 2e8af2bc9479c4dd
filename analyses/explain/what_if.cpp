#include "analyses/explain/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyses/explain/merge.hpp"
#include "analyses/explain/parts.hpp"
#include "analyses/explain/split_sms.hpp"
#include "input/units.hpp"
#include "models/board/clocks.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/gpu/sharing.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/run/power_setup.hpp"

namespace jostle::analyses {
namespace {

struct Request {
  const scenarios::Scenario& scenario;
  const board::DeviceSpec& device;
  const scenarios::Result& before;
};

// A changed scenario: its label, and for each of its parts the part before the change (empty: all, in order).
struct Changed {
  std::string label;
  std::vector<WhatIfBoard> boards;
};
using Change = std::function<std::optional<Changed>(const Request&)>;

Changed one_board(std::string label, scenarios::Scenario scenario) {
  Changed changed{std::move(label), {}};
  changed.boards.push_back({std::move(scenario), {}});
  return changed;
}

void put(scenarios::Scenario& scenario, const std::string& path, std::string value) {
  const auto known = std::ranges::find(scenario.figures, path, &std::pair<std::string, std::string>::first);
  if (known != scenario.figures.end())
    known->second = std::move(value);
  else
    scenario.figures.emplace_back(path, std::move(value));
}

bool computes_on_gpu(const scenarios::ProcessEntry& process) {
  return process.placement != scenarios::Placement::cpu &&
         !std::holds_alternative<scenarios::SyntheticModel>(process.model);
}

std::vector<int> online(const Request& request, const board::DeviceSpec& device, std::optional<int> cores) {
  const auto mode = scenarios::power_mode_of(request.scenario, device);
  return board::online_cpus(device, mode ? &*mode : nullptr, cores);
}

// Gives all processes one core more: an online one that they do not use, else an offline one, else one that
// the board lacks.
std::optional<Changed> one_core_more(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  if (std::ranges::all_of(scenario.processes, [](const auto& process) { return !process.cpus.empty(); }))
    return std::nullopt;
  const std::vector<int> now = online(request, request.device, scenario.clocks.cores);
  const auto is_used = [&](int cpu) {
    return scenario.cpus.empty() || std::ranges::find(scenario.cpus, cpu) != scenario.cpus.end();
  };
  const std::size_t used = scenario.host_cores     ? static_cast<std::size_t>(*scenario.host_cores)
                           : scenario.cpus.empty() ? now.size()
                                                   : scenario.cpus.size();
  std::vector<int> then = now;
  if (used >= now.size()) {
    board::DeviceSpec device = request.device;
    if (static_cast<int>(now.size()) == device.core_count()) {
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
  return one_board(fmt::format("one core more ({})", used + 1), std::move(scenario));
}

// Returns whether processes take turns on the GPU. Those on a DLA do, too: the GPU converts their inputs and
// results, and runs the layers that the DLA cannot.
bool takes_turns(const Request& request) {
  std::int64_t contexts = 0;
  for (const scenarios::ProcessEntry& process : request.scenario.processes)
    contexts += process.placement == scenarios::Placement::cpu ? 0 : process.count;
  return contexts > 1 && request.device.has_gpu() && gpu::way_of(request.scenario.sharing).takes_turns;
}

std::optional<Changed> no_switch_cost(const Request& request) {
  if (!takes_turns(request)) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  for (const char* parameter :
       {"switch_when_idle", "switch_at_expiry", "restart_after_expiry", "refill_after_expiry"})
    put(scenario, fmt::format("gpu.time_slicing.{}", parameter), "0 ms");
  if (request.device.gpu.time_slicing.state_bandwidth_bytes_per_s > 0)
    put(scenario, "gpu.time_slicing.state_bandwidth", "900000 GB/s");
  return one_board("no GPU switch cost", std::move(scenario));
}

// Shares the GPU in a way in which the processes take no turns.
std::optional<Changed> without_turns(const Request& request, const gpu::SharingWay& way) {
  if (!takes_turns(request)) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.sharing = way.sharing;
  return one_board(std::string(way.label), std::move(scenario));
}

std::optional<Changed> faster(const Request& request, const char* parameter, double now, const char* label) {
  if (!request.device.has_gpu() || std::ranges::none_of(request.scenario.processes, computes_on_gpu))
    return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  put(scenario, parameter, fmt::format("{}", 2 * now));
  return one_board(label, std::move(scenario));
}
std::optional<Changed> double_arithmetic(const Request& request) {
  return faster(request, "gpu.what_if.arithmetic", request.device.what_if.arithmetic,
                "twice the GPU arithmetic");
}
std::optional<Changed> double_bandwidth(const Request& request) {
  return faster(request, "gpu.what_if.memory", request.device.what_if.memory, "twice the bandwidth");
}

// Costs of host work are given at the reference clock, so that half the clock means twice the speed.
std::optional<Changed> double_host_speed(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  double hz = request.device.cpu->reference_clock_hz;
  if (hz <= 0) hz = std::ranges::max(board::maximum_clocks(request.device).clusters_hz);
  put(scenario, "cpu.reference_clock", input::format_quantity(hz / 2, input::frequency_dimension()));
  return one_board("cores twice as fast", std::move(scenario));
}

std::optional<Changed> no_limits(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  const bool limited = std::ranges::any_of(request.before.system.limited_share, [](const auto& share) {
    return share.first != "power_mode" && share.second > 0;
  });
  if (!limited || !request.device.power) return std::nullopt;
  scenario.power_cap.reset();
  scenario.power_limit_w.reset();
  if (request.device.power->limit) put(scenario, "gpu.power_limit", "none");
  if (request.device.power->over_current) put(scenario, "power.over_current", "none");
  if (const auto& thermal = request.device.power->thermal) {
    if (thermal->critical_c) put(scenario, "power.thermal.critical", "200 degC");
    put(scenario, "power.thermal.passive", "199 degC");
  }
  return one_board("no power or heat limit", std::move(scenario));
}

// The size of a power mode: SMs times clock; ties: memory clock; then cores times clock.
using Size = std::tuple<double, double, double>;
Size size_of(const board::DeviceSpec& device, const board::PowerMode& mode) {
  const board::Clocks most = board::maximum_clocks(device);
  const int tpcs = device.gpu.sms_per_tpc > 0 ? device.gpu.sm_count / device.gpu.sms_per_tpc : 0;
  double cpu = 0;
  for (std::size_t i = 0; i < device.cpu->clusters.size(); ++i) {
    const int cores = i < mode.online_cores.size() ? mode.online_cores[i] : device.cpu->clusters[i].cores;
    cpu += cores * (i < mode.cpu_max_clock_hz.size() ? mode.cpu_max_clock_hz[i] : most.clusters_hz[i]);
  }
  return {std::min(mode.tpcs.value_or(tpcs), tpcs) * mode.gpu_max_clock_hz.value_or(most.gpu_hz),
          mode.emc_max_clock_hz.value_or(most.emc_hz), cpu};
}

std::optional<Changed> next_power_mode(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  if (scenario.power_mode_file || !scenario.power_mode) return std::nullopt;
  const board::PowerMode* const now = board::find_power_mode(request.device, *scenario.power_mode);
  if (now == nullptr) return std::nullopt;
  const board::PowerMode* next = nullptr;
  for (const board::PowerMode& mode : request.device.power_modes) {
    if (size_of(request.device, mode) <= size_of(request.device, *now)) continue;
    if (next == nullptr || size_of(request.device, mode) < size_of(request.device, *next)) next = &mode;
  }
  if (next == nullptr) return std::nullopt;
  scenario.power_mode = next->name;
  return one_board("power mode " + next->name, std::move(scenario));
}

Governed governed_in(const scenarios::Scenario& scenario, const board::DeviceSpec& device) {
  const auto setup = scenarios::dvfs_of(scenario, device, nullptr, {});
  if (!setup) return {};
  return {.cpu = !setup->cpu_pinned && setup->scaling.cpu != power::cpu_governor("performance"),
          .gpu = device.has_gpu() && !setup->gpu_pinned &&
                 setup->scaling.gpu != power::gpu_governor("performance"),
          .emc = !setup->emc_pinned && setup->scaling.emc.scales};
}

// The clocks that governors set both before and after the change.
Governed governed_by(const std::vector<WhatIfBoard>& boards, const Request& request) {
  Governed governed = governed_in(request.scenario, request.device);
  for (const WhatIfBoard& board : boards) {
    if (board.scenario.power_mode != request.scenario.power_mode) return {};
    const Governed after = governed_in(board.scenario, request.device);
    governed = {governed.cpu && after.cpu, governed.gpu && after.gpu, governed.emc && after.emc};
  }
  return governed;
}

std::optional<Changed> pinned_clocks(const Request& request) {
  if (!governed_in(request.scenario, request.device).any()) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.jetson_clocks = true;
  return one_board("jetson_clocks", std::move(scenario));
}

std::optional<Changed> no_quota(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  bool limited = false;
  for (scenarios::ProcessEntry& process : scenario.processes) {
    if (!process.container) continue;
    limited = limited || process.container->cpus;
    process.container->cpus.reset();
  }
  for (scenarios::LoadEntry& load : scenario.loads)
    if (load.container) load.container->cpus.reset();
  if (!limited) return std::nullopt;
  return one_board("no quota of a container", std::move(scenario));
}

std::optional<Changed> no_compositor(const Request& request) {
  if (!request.scenario.compositor) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.compositor.reset();
  return one_board("no compositor", std::move(scenario));
}

std::optional<Changed> no_loads(const Request& request) {
  const auto& loads = request.scenario.loads;
  if (loads.empty()) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.loads.clear();
  const std::string name =
      loads.front().name.empty() ? std::string(process::row_of(loads.front().kind).name) : loads.front().name;
  return one_board(loads.size() == 1 ? "without " + name : "without its loads", std::move(scenario));
}

std::optional<Changed> no_profiler(const Request& request) {
  if (request.scenario.observer == scenarios::Observer::none) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.observer = scenarios::Observer::none;
  return one_board("no profiler", std::move(scenario));
}

// Doubles the batch of networks in a closed loop. With arrivals a larger batch would be more work, not fewer
// calls.
std::optional<Changed> batch_doubled(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  std::vector<std::int64_t> batches;
  for (scenarios::ProcessEntry& process : scenario.processes) {
    for (scenarios::ProcessEntry& part : parts_of(process)) {
      if (part.arrivals.kind != process::ArrivalKind::closed_loop ||
          std::holds_alternative<scenarios::SyntheticModel>(part.model))
        continue;
      part.batch *= 2;
      batches.push_back(part.batch);
    }
  }
  if (batches.empty()) return std::nullopt;
  const bool equal = std::ranges::all_of(batches, [&](std::int64_t batch) { return batch == batches[0]; });
  return one_board(equal ? fmt::format("batch {}", batches[0]) : "batches doubled", std::move(scenario));
}

std::size_t processes_of(const scenarios::Scenario& scenario) {
  return scenarios::expand(scenario).size();
}

// The scenario with only the processes in `keep`, which is by index among all processes.
WhatIfBoard part_of(const scenarios::Scenario& whole, const std::vector<bool>& keep) {
  WhatIfBoard board{whole, {}};
  for (scenarios::ProcessEntry& process : board.scenario.processes) process.count = 0;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(whole)) {
    if (keep[instance.index]) ++board.scenario.processes[instance.entry].count;
  }
  const std::vector<PartPlace> places = part_places(whole);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (keep[places[i].process]) board.parts.push_back(i);
  std::erase_if(board.scenario.processes,
                [](const scenarios::ProcessEntry& process) { return process.count == 0; });
  return board;
}

// Removes the last process of the entry with the highest count. Ties: the later entry.
std::optional<Changed> one_process_fewer(const Request& request) {
  const auto all = scenarios::expand(request.scenario);
  if (all.size() < 2) return std::nullopt;
  const auto& entries = request.scenario.processes;
  std::size_t most = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].count >= entries[most].count) most = i;
  std::vector<bool> keep(all.size(), true);
  for (const scenarios::ProcessInstance& instance : all)
    if (instance.entry == most && (instance.index + 1 == all.size() || all[instance.index + 1].entry != most))
      keep[instance.index] = false;
  const std::string name =
      entries[most].name.empty() ? scenarios::model_name(entries[most]) : entries[most].name;
  Changed changed{fmt::format("one {} fewer", name), {}};
  changed.boards.push_back(part_of(request.scenario, keep));
  return changed;
}

// Deals the processes out in turn, so that each board has half of every kind.
std::optional<Changed> second_board(const Request& request) {
  const std::size_t count = processes_of(request.scenario);
  if (count < 2) return std::nullopt;
  Changed changed{"a second board", {}};
  for (const std::size_t board : {0U, 1U}) {
    std::vector<bool> keep(count);
    for (std::size_t i = 0; i < count; ++i) keep[i] = i % 2 == board;
    changed.boards.push_back(part_of(request.scenario, keep));
  }
  changed.boards.back().scenario.loads.clear();  // background loads stay on the first board
  return changed;
}

std::optional<Changed> streams_of_one(const Request& request) {
  std::optional<WhatIfBoard> board = as_streams(request.scenario);
  if (!board) return std::nullopt;
  return Changed{"as streams of one process", {std::move(*board)}};
}

std::optional<Changed> processes_of_their_own(const Request& request) {
  std::optional<WhatIfBoard> board = as_processes(request.scenario);
  if (!board) return std::nullopt;
  return Changed{"as processes of their own", {std::move(*board)}};
}

// Partitions of the SMs among the streams of one process, where the board has them.
std::optional<Changed> split(std::optional<SplitSms> found) {
  if (!found) return std::nullopt;
  return Changed{std::move(found->label), {std::move(found->board)}};
}
// The GPU with the SMs that the power mode leaves on.
gpu::Spec powered_gpu(const Request& request) {
  const auto mode = scenarios::power_mode_of(request.scenario, request.device);
  const gpu::Spec& gpu = request.device.gpu;
  return mode && mode->tpcs ? gpu::with_sms(gpu, *mode->tpcs * gpu.sms_per_tpc) : gpu;
}
std::optional<Changed> split_equally(const Request& request) {
  return request.device.has_gpu() ? split(equal_partitions(request.scenario, powered_gpu(request)))
                                  : std::nullopt;
}
std::optional<Changed> split_for_critical(const Request& request, double share) {
  return request.device.has_gpu()
             ? split(partition_for_critical(request.scenario, powered_gpu(request), share))
             : std::nullopt;
}
std::optional<Changed> half_for_critical(const Request& request) {
  return split_for_critical(request, 0.5);
}
std::optional<Changed> quarter_for_critical(const Request& request) {
  return split_for_critical(request, 0.25);
}

struct Intervention {
  std::string name;
  std::optional<Resource> resource;
  Change change;
  bool shares_otherwise = false;
};
// All changes. Of the ways of sharing the GPU, only those without turns.
std::vector<Intervention> interventions() {
  std::vector<Intervention> rows{
      Intervention{"one-core-more", Resource::cpu_cores, one_core_more},
      Intervention{"double-host-speed", Resource::host_speed, double_host_speed},
      Intervention{"no-switch-cost", Resource::gpu, no_switch_cost},
      Intervention{"double-arithmetic", Resource::gpu, double_arithmetic},
      Intervention{"double-bandwidth", Resource::memory_bandwidth, double_bandwidth},
      Intervention{"no-limits", Resource::power_limits, no_limits},
      Intervention{"no-profiler", Resource::profiler, no_profiler},
      Intervention{"no-quota", std::nullopt, no_quota},
      Intervention{"no-compositor", std::nullopt, no_compositor},
      Intervention{"no-loads", std::nullopt, no_loads},
      Intervention{"pinned-clocks", Resource::clock_governors, pinned_clocks},
      Intervention{"next-power-mode", std::nullopt, next_power_mode},
      Intervention{"batch-doubled", std::nullopt, batch_doubled},
      Intervention{"one-process-fewer", std::nullopt, one_process_fewer},
      Intervention{"second-board", std::nullopt, second_board},
      Intervention{"as-streams", std::nullopt, streams_of_one, true},
      Intervention{"as-processes", std::nullopt, processes_of_their_own, true},
  };
  for (const gpu::SharingWay& way : gpu::sharing_ways()) {
    if (way.takes_turns) continue;
    rows.push_back({std::string(way.name), std::nullopt,
                    [&way](const Request& request) { return without_turns(request, way); }, true});
  }
  rows.push_back({"equal-partitions", std::nullopt, split_equally, true});
  rows.push_back({"half-partition", std::nullopt, half_for_critical, true});
  rows.push_back({"quarter-partition", std::nullopt, quarter_for_critical, true});
  return rows;
}

// The scenario as the loader reads it; none if the loader refuses it.
std::optional<scenarios::Scenario> read_again(const scenarios::Scenario& scenario,
                                              const std::string& directory) {
  input::Problems problems;
  return scenarios::parse_scenario({to_json(scenario), scenario.name, directory},
                                   scenarios::shipped_catalogue(), {}, problems);
}

}  // namespace

std::vector<std::string> what_if_names() {
  std::vector<std::string> names;
  for (const Intervention& row : interventions()) names.push_back(row.name);
  return names;
}

std::vector<WhatIf> what_ifs(const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                             const scenarios::Result& before, const std::string& directory) {
  std::vector<WhatIf> all;
  for (const Intervention& row : interventions()) {
    std::optional<Changed> changed = row.change({scenario, device, before});
    if (!changed) continue;
    bool good = true;
    for (WhatIfBoard& board : changed->boards) {
      std::optional<scenarios::Scenario> read = read_again(board.scenario, directory);
      good = good && read.has_value();
      if (!read) break;
      board.scenario = std::move(*read);
      if (!board.parts.empty()) continue;
      board.parts.resize(part_places(scenario).size());
      std::iota(board.parts.begin(), board.parts.end(), std::size_t{0});
    }
    if (!good) continue;
    const Governed governed = governed_by(changed->boards, {scenario, device, before});
    all.push_back({row.name, std::move(changed->label), row.resource, std::move(changed->boards), governed,
                   row.shares_otherwise});
  }
  return all;
}

}  // namespace jostle::analyses
