#include "analyses/explain/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "analyses/explain/group_outcome.hpp"
#include "analyses/explain/intervention.hpp"
#include "analyses/explain/merge.hpp"
#include "analyses/explain/parts.hpp"
#include "analyses/explain/split_sms.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/gpu/sharing.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/run/power_setup.hpp"

namespace jostle::analyses {

Changed one_board(std::string label, scenarios::Scenario scenario) {
  Changed changed{std::move(label), {}};
  changed.boards.push_back({std::move(scenario), {}});
  return changed;
}

bool is_synthetic(const scenarios::ProcessEntry& part) {
  return std::holds_alternative<scenarios::SyntheticModel>(part.work.model);
}

namespace {

bool computes_on_gpu(const scenarios::ProcessEntry& process) {
  return process.host.placement != scenarios::Placement::cpu && !is_synthetic(process);
}

// Returns whether processes take turns on the GPU. Those on a DLA do, too: the GPU converts their inputs and
// results, and runs the layers that the DLA cannot.
bool takes_turns(const Request& request) {
  return request.device.has_gpu() && in_turns(request.scenario, true);
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

std::optional<Changed> double_arithmetic(const Request& request) {
  if (!request.device.has_gpu() || std::ranges::none_of(request.scenario.processes, computes_on_gpu))
    return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  put(scenario, "gpu.what_if.arithmetic", fmt::format("{}", 2 * request.device.what_if.arithmetic));
  return one_board("twice the GPU arithmetic", std::move(scenario));
}
std::optional<Changed> double_bandwidth(const Request& request) {
  if (std::ranges::all_of(request.scenario.processes, is_synthetic)) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  put(scenario, request.device.has_gpu() ? "gpu.what_if.memory" : "memory.what_if",
      fmt::format("{}", 2 * request.device.what_if.memory));
  return one_board("twice the bandwidth", std::move(scenario));
}

std::optional<Changed> double_host_speed(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  put(scenario, "cpu.what_if", fmt::format("{}", 2 * request.device.cpu->what_if));
  return one_board("cores twice as fast", std::move(scenario));
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

std::size_t processes_of(const scenarios::Scenario& scenario) {
  return scenarios::expand(scenario).size();
}

// The scenario with only the processes in `keep`, which is by index among all processes.
WhatIfBoard part_of(const scenarios::Scenario& whole, const std::vector<bool>& keep) {
  return regrouped(
      whole,
      [&](const scenarios::ProcessInstance& one) {
        return std::vector<std::size_t>(keep[one.index] ? 1 : 0);
      },
      [](std::size_t /*group*/, const scenarios::ProcessEntry& /*entry*/) {});
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
  Changed changed{fmt::format("one {} fewer", scenarios::called(entries[most])), {}};
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
// The SMs of `share` for those that must answer soon.
auto split_for_critical(double share) {
  return [share](const Request& request) {
    return request.device.has_gpu()
               ? split(partition_for_critical(request.scenario, powered_gpu(request), share))
               : std::nullopt;
  };
}

using Changes = std::function<std::vector<Changed>(const Request&)>;

// A change that is made in one way, or not at all.
template <class F>
Changes once(F change) {
  return [change](const Request& request) {
    std::vector<Changed> all;
    if (std::optional<Changed> changed = change(request)) all.push_back(*std::move(changed));
    return all;
  };
}

struct Intervention {
  std::string name;
  std::optional<Resource> resource;
  ChangeKind kind;
  Role role;
  Changes changes;
  bool shares_otherwise = false;
};
// All changes; those of one kind in the order of their effort. Of the ways of sharing the GPU, only those
// without turns.
std::vector<Intervention> interventions() {
  using enum ChangeKind;
  using enum Role;
  constexpr std::nullopt_t no = std::nullopt;
  std::vector<Intervention> rows{
#include "analyses/explain/changes.inc"
  };
  for (const gpu::SharingWay& way : gpu::sharing_ways()) {
    if (way.takes_turns) continue;
    rows.push_back({std::string(way.name), no, sharing, advice,
                    once([&way](const Request& request) { return without_turns(request, way); }), true});
  }
  rows.push_back({"mig", no, sharing, advice, once(in_gpu_instances), true});
  rows.push_back({"equal-partitions", no, sharing, advice, once(split_equally), true});
  rows.push_back({"half-partition", no, sharing, advice, once(split_for_critical(0.5)), true});
  rows.push_back({"quarter-partition", no, sharing, advice, once(split_for_critical(0.25)), true});
  return rows;
}

// The scenario as the loader reads it; none if the loader refuses it.
std::optional<scenarios::Scenario> read_again(const scenarios::Scenario& scenario,
                                              const std::string& directory, input::Problems& problems) {
  return scenarios::parse_scenario({to_json(scenario), scenario.name, directory},
                                   scenarios::shipped_catalogue(), {}, problems);
}

// The other ways of stages, which the JSON of a scenario leaves out: a second change may take one.
void keep_other_ways(const scenarios::Scenario& from, scenarios::Scenario& to) {
  for (std::size_t i = 0; i < std::min(from.processes.size(), to.processes.size()); ++i)
    for (std::vector<scenarios::Stage> scenarios::Around::*const stages :
         {&scenarios::Around::before, &scenarios::Around::after}) {
      const auto& before = from.processes[i].around.*stages;
      auto& after = to.processes[i].around.*stages;
      for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k)
        after[k].otherwise = before[k].otherwise;
    }
}

// Reads the changed scenarios again, and fills in their parts. Returns the loader's reason if it refuses one.
std::string complete(Changed& changed, const scenarios::Scenario& before, const std::string& directory) {
  for (WhatIfBoard& board : changed.boards) {
    board.scenario.objective.reset();  // it and the limits may name an entry that the change moves
    board.scenario.constraints.clear();
    input::Problems problems;
    std::optional<scenarios::Scenario> read = read_again(board.scenario, directory, problems);
    if (!read) return problems.empty() ? "the loader refuses it" : problems.list().front().message;
    keep_other_ways(board.scenario, *read);
    board.scenario = std::move(*read);
    if (!board.parts.empty()) continue;
    board.parts.resize(part_places(before).size());
    std::iota(board.parts.begin(), board.parts.end(), std::size_t{0});
  }
  return {};
}

// Two rows may come to the same scenario: the next power mode may be the one with faster cores.
bool is_known(const Changed& changed, const std::vector<WhatIf>& all) {
  if (changed.boards.size() != 1) return false;
  const std::string own = to_json(changed.boards.front().scenario);
  return std::ranges::any_of(all, [&](const WhatIf& other) {
    return other.boards.size() == 1 && to_json(other.boards.front().scenario) == own;
  });
}

}  // namespace

const char* to_string(Role role) {
  return role == Role::advice ? "advice" : role == Role::cause ? "cause" : "hypothesis";
}

std::vector<std::string> what_if_names() {
  std::vector<std::string> names;
  for (const Intervention& row : interventions()) names.push_back(row.name);
  return names;
}

std::vector<WhatIf> what_ifs(const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                             const scenarios::Result& before, const std::string& directory,
                             RefusedChanges* refused) {
  const Request request{scenario, device, before};
  std::vector<WhatIf> all;
  for (const Intervention& row : interventions()) {
    for (Changed& changed : row.changes(request)) {
      const std::string reason = complete(changed, scenario, directory);
      if (!reason.empty() && refused != nullptr) refused->emplace_back(row.name, reason);
      if (!reason.empty() || is_known(changed, all)) continue;
      const Governed governed = governed_by(changed.boards, request);
      all.push_back({.name = row.name,
                     .label = std::move(changed.label),
                     .resource = row.resource,
                     .boards = std::move(changed.boards),
                     .governed = governed,
                     .shares_otherwise = row.shares_otherwise,
                     .kind = row.kind,
                     .role = changed.possible ? row.role : Role::hypothesis,
                     .price = changed.price,
                     .note = std::move(changed.note)});
    }
  }
  return all;
}

}  // namespace jostle::analyses
