#include "analyses/explain/ways.hpp"

#include <algorithm>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "models/board/spec.hpp"
#include "models/gpu/partitions.hpp"
#include "scenarios/language/in_words.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Metric;
using scenarios::ProcessEntry;

void worst_of(Metric& worst, const Metric& own, bool first) {
  worst = first ? own : worst && own ? Metric(std::max(*worst, *own)) : std::nullopt;
}

// Gathers equal processes and streams by their names.
class WayParts {
 public:
  void add(const std::string& label, const Metric& per_s, const Metric& p99, const Metric& mean, bool grows) {
    auto found = std::ranges::find(parts_, label, &WayPart::label);
    const bool first = found == parts_.end();
    if (first) found = parts_.insert(parts_.end(), WayPart{label, 0.0, {}, {}});
    if (found->per_s) found->per_s = per_s ? Metric(*found->per_s + *per_s) : std::nullopt;
    worst_of(found->p99_ms, p99, first);
    worst_of(found->mean_ms, mean, first);
    found->grows = found->grows || grows;
  }
  [[nodiscard]] std::vector<WayPart> take() { return std::move(parts_); }

 private:
  std::vector<WayPart> parts_;
};

std::vector<WayPart> parts_now(const scenarios::Result& result) {
  WayParts parts;
  for (const Part& part : parts_in(result)) {
    const std::string label =
        part.instance != nullptr ? scenarios::called(*part.instance) : scenarios::called(*part.process);
    parts.add(label, part.throughput().mean, part.latency_ms().p99, part.latency_ms().mean,
              part.overloaded());
  }
  return parts.take();
}

std::vector<WayPart> parts_after(const Tried& tried, const scenarios::Result& before) {
  WayParts parts;
  for (std::size_t i = 0; i < before.processes.size(); ++i) {
    const scenarios::ProcessResult& process = before.processes[i];
    const ProcessChange& change = tried.processes[i];
    const bool grows = std::ranges::find(tried.overloaded, i) != tried.overloaded.end();
    const auto add = [&](const std::string& label, const ProcessChange& one) {
      parts.add(label, one.throughput.after, one.p99_ms.after, one.latency_ms.after, grows);
    };
    if (process.instances.empty()) add(scenarios::called(process), change);
    for (std::size_t k = 0; k < process.instances.size(); ++k)
      add(scenarios::called(process.instances[k]), change.instances[k]);
  }
  return parts.take();
}

Metric memory_of(const std::vector<scenarios::Result>& results) {
  Metric sum = 0.0;
  for (const scenarios::Result& result : results)
    sum = sum && result.system.memory.used_mb ? Metric(*sum + *result.system.memory.used_mb) : std::nullopt;
  return sum;
}

bool any_stages(const scenarios::Scenario& scenario) {
  return std::ranges::any_of(scenario.processes, [](const ProcessEntry& process) {
    return !process.around.before.empty() || !process.around.after.empty();
  });
}

// Why a way was not tried; empty: it does not matter here.
std::string reason_of(const std::string& name, const Explanation& explanation,
                      const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                      const RefusedChanges& refused) {
  const auto told = std::ranges::find(refused, name, &std::pair<std::string, std::string>::first);
  if (told != refused.end()) return told->second;
  const bool one_process = scenarios::expand(scenario).size() == 1;
  if (name == "gpu-and-dla")
    return device.dla.count == 0 ? "the board has no DLA"
                                 : "no engine in fp16 or int8 of one stream can move";
  if (name == "on-cores")
    return one_process ? "" : "no costs of a runtime on these cores are known, or none can move";
  if (one_process)
    return name == "as-streams" || (name == "mig" && device.instances.kinds.empty())
               ? ""
               : "it is for several processes";
  if (name == "mig")
    return device.instances.kinds.empty() || !scenario.mig.empty() ? ""
                                                                   : "no instances have room for all of them";
  if (name == "equal-partitions" && !gpu::partition_sizes(device.gpu)) return "the GPU cannot be parted";
  if (std::ranges::any_of(explanation.tried,
                          [](const Tried& one) { return one.what_if.name == "as-streams"; }))
    return "the GPU has too few SMs for a part each";
  if (scenario.run.batches || scenario.run.setup || scenario.link)
    return "the run counts batches or set-ups, or has a link";
  return any_stages(scenario) ? "stages around a network need a process of its own"
                              : "their runtimes, cores or priorities differ";
}

}  // namespace

std::vector<Way> ways_of(const Explanation& explanation, const scenarios::Scenario& scenario,
                         const board::DeviceSpec& device, const RefusedChanges& refused) {
  const scenarios::Result& before = explanation.result;
  if (parts_in(before).size() < 2) return {};
  std::vector<Way> ways{
      {"", "as it is", parts_now(before), memory_of({before}), scenarios::isolation_of({&scenario})}};
  for (const Tried& tried : explanation.tried) {
    const ChangeKind kind = tried.what_if.kind;
    if (kind != ChangeKind::sharing && kind != ChangeKind::placement) continue;
    Way& way = ways.emplace_back(Way{tried.what_if.name, tried.what_if.label});
    if (!tried.all_fit) {
      way.reason = why_none(tried.results.front());
      continue;
    }
    std::vector<const scenarios::Scenario*> boards;
    for (const WhatIfBoard& board : tried.what_if.boards) boards.push_back(&board.scenario);
    way.parts = parts_after(tried, before);
    way.memory_mb = memory_of(tried.results);
    way.isolation = scenarios::isolation_of(boards);
  }
  for (const auto& [name, label] :
       {std::pair{"as-streams", "as streams of one process"}, std::pair{"mps", "MPS"},
        std::pair{"mig", "MIG"}, std::pair{"equal-partitions", "SMs split"},
        std::pair{"gpu-and-dla", "on GPU and DLA"}, std::pair{"on-cores", "one on the cores"}}) {
    if (std::ranges::find(ways, name, &Way::name) != ways.end()) continue;
    if (std::string reason = reason_of(name, explanation, scenario, device, refused); !reason.empty())
      ways.push_back({name, label, {}, {}, {}, std::move(reason)});
  }
  return ways;
}

}  // namespace jostle::analyses
