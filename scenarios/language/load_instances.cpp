// Checks processes with several streams against the whole scenario, and cascades of requests.
#include <fmt/format.h>

#include <set>

#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/partitions.hpp"

namespace jostle::scenarios {
namespace {

// The parts that `after` names. Adds a problem if the name is unknown (then there are none) or ambiguous
// (then the first are returned).
std::vector<PartId> sources_of(const Scenario& scenario, PartId target, const Cursor& at) {
  const std::string& name = parts_of(scenario.processes[target.entry])[target.part].arrivals.after;
  const auto found = parts_named(scenario, name);
  if (found.empty()) {
    std::vector<std::string> names;
    for (const ProcessEntry& process : scenario.processes) {
      if (!process.name.empty()) names.push_back(process.name);
      for (const ProcessEntry& instance : process.instances)
        if (!instance.name.empty()) names.push_back(instance.name);
    }
    not_among(at, fmt::format("no process and no instance is called '{}'", name), names);
    return {};
  }
  if (found.size() > 1)
    at.problem(fmt::format("{} are called '{}'", found.size(), name), "give each a name of its own");
  return found.front();
}

// True if the requests of `start` are, in the end, made by its own results.
bool comes_after_itself(const Scenario& scenario, PartId start) {
  std::set<PartId> seen;
  std::vector<PartId> next{start};
  while (!next.empty()) {
    const PartId at = next.back();
    next.pop_back();
    const process::Arrivals& arrivals = parts_of(scenario.processes[at.entry])[at.part].arrivals;
    if (arrivals.kind != process::ArrivalKind::cascade) continue;
    for (const std::vector<PartId>& named : parts_named(scenario, arrivals.after)) {
      for (const PartId source : named) {
        if (source == start) return true;
        if (seen.insert(source).second) next.push_back(source);
      }
    }
  }
  return false;
}

void check_cascade(const Scenario& scenario, PartId target, const Cursor& at) {
  const ProcessEntry& process = scenario.processes[target.entry];
  const std::vector<PartId> sources = sources_of(scenario, target, at);
  if (sources.empty()) return;
  if (comes_after_itself(scenario, target))
    at.problem("`after` leads back to this process: its own results would make its requests");
  if (process.count > 1)
    at.problem(fmt::format("{} processes cannot share these requests", process.count),
               "count: 1, with streams or instances for more at a time");
}

// A key of a process, or of each of its parts, that the scenario around it rules out.
struct StreamRule {
  bool whole;       // looks at the process, not at its parts
  const char* key;  // "": the process itself
  bool (*broken)(const Scenario& scenario, const ProcessEntry& process, const ProcessEntry& part);
  const char* why;
  const char* hint;
};
using S = const Scenario&;
using P = const ProcessEntry&;
constexpr StreamRule stream_rules[] = {
    {true, "mps_threads",
     [](S scenario, P process, P) {
       return process.gpu.mps_threads && !gpu::way_of(scenario.sharing).limits_threads;
     },
     "`mps_threads` needs `sharing: mps`", "add it at the top, or leave out mps_threads"},
    {true, "mps_memory",
     [](S scenario, P process, P) {
       return process.gpu.mps_memory && !gpu::way_of(scenario.sharing).limits_threads;
     },
     "`mps_memory` needs `sharing: mps`", "add it at the top, or leave out mps_memory"},
    {true, "mig", [](S scenario, P process, P) { return process.gpu.mig && scenario.mig.empty(); },
     "`mig` needs instances of the GPU", "sharing: {mig: [2g, 1g]} at the top, or leave out mig"},
    {true, "mig",
     [](S scenario, P process, P) {
       return !scenario.mig.empty() && process.gpu.mig >= static_cast<std::int64_t>(scenario.mig.size());
     },
     "`sharing` has fewer instances of the GPU", "they are numbered from 0"},
    {true, "",
     [](S scenario, P process, P) {
       return has_partitions(process) && gpu::way_of(scenario.sharing).limits_threads;
     },
     "`sm_partition` is for processes that take turns", "mps_threads limits the SMs of an MPS client"},
    {false, "arrivals.wait",
     [](S scenario, P process, P part) {
       return part.arrivals.wait && (scenario.link || has_instances(process) || process.around.overlap > 0 ||
                                     part.arrivals.max_delay || part.language);
     },
     "a source that polls is the loop of a process that serves one request after the other",
     "leave out wait, or streams, instances, overlap, max_queue_delay, link and generate"},
    {false, "max_queue_delay", [](S scenario, P, P part) { return scenario.link && part.arrivals.max_delay; },
     "`max_queue_delay` does not work with `link`: a batch over a link waits until it is full",
     "dynamic_batching: true in arrivals, or leave out link"},
    {false, "generate.sessions",
     [](S scenario, P, P part) {
       return scenario.link && part.language && part.language->spec.sessions.turns > 1;
     },
     "`sessions` does not work with `link`: its requests do not say whose they are",
     "leave out sessions or link"},
    {false, "arrivals",
     [](S scenario, P, P part) {
       return scenario.link && part.arrivals.kind == process::ArrivalKind::clients;
     },
     "`clients` does not work with `link`: their answers are not sent over it",
     "leave out arrivals, for one client that asks over the link, or leave out link"},
    {true, "overlap", [](S scenario, P process, P) { return scenario.link && process.around.overlap > 0; },
     "`link` needs processes that do one step after the other", "leave out overlap or link"},
    {true, "", [](S scenario, P process, P) { return scenario.link && has_instances(process); },
     "`link` needs processes of one stream", "leave out link"}};

}  // namespace

void check_streams(const Scenario& scenario, const Cursor& root) {
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const ProcessEntry& process = scenario.processes[entry];
    const Cursor at = root.descend(fmt::format("processes.{}", place_of_entry(scenario, entry)));
    const std::span<const ProcessEntry> parts = parts_of(process);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const Cursor inner = process.instances.empty() ? at : at.descend(fmt::format("instances.{}", part));
      if (parts[part].arrivals.kind == process::ArrivalKind::cascade)
        check_cascade(scenario, {entry, part}, inner.descend("after"));
      for (const auto& [whole, key, broken, why, hint] : stream_rules)
        if ((!whole || part == 0) && broken(scenario, process, parts[part]))
          (whole ? at : inner).descend(key).problem(why, hint);
    }
  }
}

}  // namespace jostle::scenarios
