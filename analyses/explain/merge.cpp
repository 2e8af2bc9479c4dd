#include "analyses/explain/merge.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyses/explain/parts.hpp"

namespace jostle::analyses {
namespace {

using scenarios::ProcessEntry;

// Returns whether the process can be a stream of another, or can have streams.
bool can_share(const ProcessEntry& process) {
  return scenarios::on_gpu(process.host.placement) && !process.work.training && !process.work.layers &&
         process.around.before.empty() && process.around.after.empty();
}

// The settings that all streams of a process have in common, except its way of waiting, as text.
std::string host_settings(const ProcessEntry& process) {
  scenarios::Scenario only;
  ProcessEntry& host = only.processes.emplace_back();
  host.work.model = scenarios::SyntheticModel{.kernels = 1, .duration = sim::microseconds(1), .pace = {}};
  host.host.runtime = process.host.runtime;
  host.host.placement = process.host.placement;
  host.host.static_graph = process.host.static_graph;
  host.host.cpus = process.host.cpus;
  host.host.nice = process.host.nice;
  host.host.fifo = process.host.fifo;
  host.host.container = process.host.container;
  host.gpu.slice = process.gpu.slice;
  host.gpu.interleave = process.gpu.interleave;
  host.gpu.mig = process.gpu.mig.value_or(0);
  return to_json(only);
}

}  // namespace

ProcessEntry alone(const ProcessEntry& part) {
  ProcessEntry one = part;
  one.instances.clear();
  one.count = one.gpu.streams = one.host.host_threads = 1;
  one.gpu.mps_threads.reset();
  one.gpu.mps_memory.reset();
  one.gpu.sm_partition.reset();
  return one;
}

namespace {

// Adds the parts of all `process.count` processes as instances: one with a count for parts in a closed loop,
// else one per process, because streams of one instance share requests.
void add_instances(std::vector<ProcessEntry>& instances, const ProcessEntry& process) {
  for (const ProcessEntry& part : parts_of(process)) {
    ProcessEntry instance = alone(part);
    if (instance.name.empty()) instance.name = process.name;
    instance.count = streams_of(process, part);
    if (part.arrivals.closed_loop()) {
      instance.count *= process.count;
      instances.push_back(instance);
    } else {
      instances.insert(instances.end(), static_cast<std::size_t>(process.count), instance);
    }
  }
}

// For each part of the changed scenario, the index of its part in the scenario before: the next unused one of
// the same origin. `origins`: for each part of each entry after the change, the parts of entries before that
// it takes over, in order.
using Origins = std::map<scenarios::PartId, std::vector<scenarios::PartId>>;
std::vector<std::size_t> matched(const scenarios::Scenario& before, const scenarios::Scenario& after,
                                 const Origins& origins) {
  const std::vector<PartPlace> from = part_places(before);
  std::vector<bool> taken(from.size());
  std::vector<std::size_t> parts;
  for (const PartPlace& to : part_places(after)) {
    for (const scenarios::PartId& origin : origins.at(to.id)) {
      std::size_t i = 0;
      while (i < from.size() && (taken[i] || from[i].id != origin)) ++i;
      if (i == from.size()) continue;
      taken[i] = true;
      parts.push_back(i);
      break;
    }
  }
  return parts;
}

// Marks the entries that can be merged into one process: equal settings, more than one process in total.
// Empty: none.
std::vector<bool> together(const scenarios::Scenario& scenario) {
  const auto& entries = scenario.processes;
  for (const ProcessEntry& first : entries) {
    if (!can_share(first)) continue;
    std::vector<bool> which;
    std::int64_t processes = 0;
    for (const ProcessEntry& entry : entries) {
      which.push_back(can_share(entry) && host_settings(entry) == host_settings(first));
      if (which.back()) processes += entry.count;
    }
    if (processes > 1) return which;
  }
  return {};
}

// Returns whether merging would change the question: the run counts batches of processes, includes their
// set-up, or has a link.
bool is_about_processes(const scenarios::Scenario& scenario) {
  return scenario.run.setup || scenario.run.batches || scenario.link;
}

}  // namespace

std::optional<WhatIfBoard> as_streams(const scenarios::Scenario& scenario) {
  const std::vector<bool> which = together(scenario);
  if (which.empty() || is_about_processes(scenario)) return std::nullopt;
  WhatIfBoard board{scenario, {}};
  board.scenario.processes.clear();
  Origins origins;
  std::optional<std::size_t> merged;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const ProcessEntry& process = scenario.processes[entry];
    std::vector<ProcessEntry>& after = board.scenario.processes;
    if (!which[entry]) {
      for (std::size_t part = 0; part < parts_of(process).size(); ++part)
        origins[{after.size(), part}] = {{entry, part}};
      after.push_back(process);
      continue;
    }
    if (!merged) {
      merged = after.size();
      after.push_back(alone(process));
      after.back().name.clear();
      after.back().arrivals = {};
    }
    ProcessEntry& one = after[*merged];
    one.host.sync = std::min(one.host.sync, process.host.sync);
    for (std::size_t part = 0; part < parts_of(process).size(); ++part) {
      const std::size_t first = one.instances.size();
      ProcessEntry only = process;
      if (!only.instances.empty()) only.instances = {process.instances[part]};
      add_instances(one.instances, only);
      for (std::size_t i = first; i < one.instances.size(); ++i) origins[{*merged, i}] = {{entry, part}};
    }
  }
  board.parts = matched(scenario, board.scenario, origins);
  return board;
}

WhatIfBoard regrouped(
    const scenarios::Scenario& before,
    const std::function<std::vector<std::size_t>(const scenarios::ProcessInstance&)>& groups_of,
    const std::function<void(std::size_t group, ProcessEntry& entry)>& set) {
  WhatIfBoard board{before, {}};
  board.scenario.processes.clear();
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> processes;  // by entry and group
  for (const scenarios::ProcessInstance& one : expand(before))
    for (const std::size_t group : groups_of(one)) processes[{one.entry, group}].push_back(one.index);
  const std::vector<PartPlace> places = part_places(before);
  for (const auto& [id, own] : processes) {
    ProcessEntry& entry = board.scenario.processes.emplace_back(before.processes[id.first]);
    entry.count = static_cast<std::int64_t>(own.size());
    set(id.second, entry);
    for (const std::size_t process : own)
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i].process == process) board.parts.push_back(i);
  }
  return board;
}

std::optional<WhatIfBoard> as_processes(const scenarios::Scenario& scenario) {
  if (is_about_processes(scenario)) return std::nullopt;
  WhatIfBoard board{scenario, {}};
  board.scenario.processes.clear();
  Origins origins;
  bool any = false;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const ProcessEntry& process = scenario.processes[entry];
    const auto parts = parts_of(process);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::int64_t streams = streams_of(process, parts[part]);
      if (streams > 1 && !parts[part].arrivals.closed_loop()) return std::nullopt;
      any = any || streams > 1 || parts.size() > 1;
      ProcessEntry own = parts[part];
      own.instances.clear();
      own.host = process.host;
      own.host.placement = parts[part].host.placement;
      own.gpu = process.gpu;
      own.gpu.priority = parts[part].gpu.priority;
      own.gpu.streams = own.host.host_threads = 1;
      own.gpu.sm_partition.reset();
      if (own.name.empty()) own.name = process.name;
      own.count = process.count * streams;
      origins[{board.scenario.processes.size(), 0}] = {{entry, part}};
      board.scenario.processes.push_back(std::move(own));
    }
  }
  if (!any) return std::nullopt;
  board.parts = matched(scenario, board.scenario, origins);
  return board;
}

}  // namespace jostle::analyses
