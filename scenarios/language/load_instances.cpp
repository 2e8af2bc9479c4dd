// Reads processes with several streams: equal ones (`streams`), or one or more for each of several networks
// (`instances`).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "input/readers.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/partitions.hpp"

namespace jostle::scenarios {
namespace {

using input::Choice;
using input::Cursor;
using input::Integer;
using input::Mapping;
using input::Quantity;
using input::Text;

constexpr std::int64_t max_streams = 128;  // per process: the number of resident grids that CUDA supports

// The keys that each instance sets for itself, and the keys that the process sets for all of them.
constexpr std::array of_instance{"model",    "precision", "batch",  "input",           "arrivals",
                                 "after",    "fan_out",   "queue",  "max_queue_delay", "streams",
                                 "priority", "layers",    "stages", "batch_norm",      "server"};
constexpr std::array of_process{"runtime", "cuda_graph",  "transfers",     "sync",
                                "graph",   "training",    "cpus",          "nice",
                                "policy",  "container",   "gpu_timeslice", "gpu_interleave",
                                "threads", "mps_threads", "host_threads"};

const Choice<gpu::Priority>& priority() {
  static const Choice<gpu::Priority> choice{"a priority", priority_names()};
  return choice;
}

void read_mps_threads(Mapping& mapping, ProcessEntry& process) {
  mapping.optional("mps_threads", process.mps_threads, Quantity{input::share_dimension(), 0, 1, true});
}

void read_partition(Mapping& mapping, ProcessEntry& part) {
  const auto at = mapping.find("sm_partition");
  if (!at) return;
  if (!on_gpu(part.placement)) {
    at->problem(fmt::format("placement: {} has no SMs to partition", to_string(part.placement)),
                "leave out sm_partition, or run this on the GPU");
    return;
  }
  if (at->is(input::Kind::scalar) && at->value().text == "rest")
    part.sm_partition = rest_of_sms;
  else
    part.sm_partition = Integer{1, 4096}(*at);
}

// Reads `host_threads`; the streams have been read.
void read_host_threads(Mapping& mapping, ProcessEntry& process) {
  const std::int64_t streams = streams_of(process), least = default_host_threads(process);
  process.host_threads = least;
  const auto at = mapping.find("host_threads");
  if (!at) return;
  process.host_threads = Integer{1, max_streams}(*at).value_or(least);
  if (!on_gpu(process.placement))
    at->problem(fmt::format("a process with placement: {} has one host thread", to_string(process.placement)),
                process.placement == Placement::cpu ? "threads: the number of threads that compute" : "");
  else if (process.host_threads > streams)
    at->problem(
        fmt::format("{} host threads for {}: a thread without a stream has nothing to do",
                    process.host_threads, streams == 1 ? "one stream" : fmt::format("{} streams", streams)),
        fmt::format("streams: {0}, or instances with a count of {0} together", process.host_threads));
  else if (process.host_threads < least)
    at->problem(fmt::format("a session of runtime {} is run by a thread that waits for it",
                            to_string(process.runtime)),
                fmt::format("host_threads: {}, the number of streams, or leave it out", least));
}

ProcessEntry read_instance(const Cursor& at, const LoadContext& context, const ProcessEntry& process,
                           const std::vector<ProcessEntry>& earlier) {
  ProcessEntry instance;
  instance.runtime = process.runtime;
  instance.sync = process.sync;
  instance.placement = process.placement;
  instance.static_graph = process.static_graph;
  instance.transfers = process.transfers;
  Mapping mapping(at, "an instance: a mapping with model and precision");
  mapping.optional("name", instance.name, Text{200});
  for (const char* key : of_process)
    if (mapping.has(key))
      mapping.find(key)->problem("all instances of a process share it", "give it once, next to instances");
  for (const char* key : {"streams", "layers", "stages"})
    if (mapping.has(key))
      mapping.find(key)->problem(
          fmt::format("an instance has no {}", key),
          key == std::string_view("streams") ? "use count: the number of streams" : "");
  mapping.optional("placement", instance.placement, Choice<Placement>{"a placement", placement_names()});
  if (mapping.has("placement") && instance.placement == Placement::cpu)
    mapping.find("placement")
        ->problem("an instance runs on the GPU or a DLA", "use a process for work on the cores");
  if (mapping.has("max_queue_delay") && !on_gpu(instance.placement))
    mapping.find("max_queue_delay")
        ->problem("dynamic batching does not work on a DLA", "leave out max_queue_delay");
  read_network(mapping, context, instance);
  mapping.optional("count", instance.count, Integer{1, max_streams});
  mapping.optional("priority", instance.priority, priority());
  read_partition(mapping, instance);
  read_input(mapping, instance, earlier);
  read_requests(mapping, context, instance);
  if (instance.arrivals.burst > 1)
    mapping.find("arrivals")
        ->descend("burst")
        .problem("queries come to a process of one network",
                 "leave out burst, or use a process for this network");
  read_generation(mapping, context, instance);
  return instance;
}

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
    at.problem(fmt::format("no process and no instance is called '{}'", name),
               names.empty() ? "give one a name" : fmt::format("one of {}", fmt::join(names, ", ")));
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

}  // namespace

void read_instances(Mapping& mapping, const LoadContext& context, ProcessEntry& process,
                    const std::vector<ProcessEntry>& earlier) {
  const Cursor at = mapping.find("instances").value();
  for (const char* key : of_instance)
    if (mapping.has(key))
      mapping.find(key)->problem("cannot be combined with instances",
                                 key == std::string_view("stages") || key == std::string_view("layers")
                                     ? fmt::format("an instance has no {}: leave out one of the two", key)
                                     : fmt::format("move {} into each instance", key));
  if (process.training)
    at.problem("a process that trains has one network", "leave out instances or training");
  if (process.placement == Placement::cpu)
    at.problem(fmt::format("a process with placement: {} has no streams", to_string(process.placement)));
  std::int64_t streams = 0;
  std::vector<ProcessEntry> read = earlier;  // lets files named before be reused
  for (const Cursor& item : at.items("a list of instances", static_cast<std::size_t>(max_streams))) {
    process.instances.push_back(read_instance(item, context, process, read));
    read.push_back(process.instances.back());
    streams += process.instances.back().count;
  }
  if (at.is(input::Kind::sequence) && at.value().children.empty())
    at.problem("no instances", "at least one is needed");
  if (streams > max_streams)
    at.problem(fmt::format("{} streams in one process, at most {} are allowed", streams, max_streams));
  read_mps_threads(mapping, process);
  read_partition(mapping, process);
  if (process.instances.empty()) return;
  read_host_threads(mapping, process);
  const ProcessEntry& first = process.instances.front();
  process.model = first.model;
  process.precision = first.precision;
  process.batch = first.batch;
}

void read_streams(Mapping& mapping, ProcessEntry& process) {
  mapping.optional("priority", process.priority, priority());
  read_mps_threads(mapping, process);
  read_partition(mapping, process);
  const auto streams_at = mapping.find("streams");
  if (streams_at) process.streams = Integer{1, max_streams}(*streams_at).value_or(1);
  const auto refuse = [&](const char* key, const char* why) {
    const auto at = mapping.find(key);
    if (!at) return;
    if (!on_gpu(process.placement))
      at->problem(fmt::format("a process with placement: {} {}", to_string(process.placement), why));
    else if (process.training)
      at->problem(fmt::format("a process that trains {}", why));
  };
  if (process.streams > 1) refuse("streams", "has one stream of work");
  refuse("after", "takes requests of its own only");
  refuse("max_queue_delay", "does not form batches of requests that wait");
  read_host_threads(mapping, process);
}

void check_streams(const Scenario& scenario, const Cursor& root) {
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const ProcessEntry& process = scenario.processes[entry];
    const std::string path = fmt::format("processes.{}", place_of_entry(scenario, entry));
    if (process.mps_threads && !gpu::way_of(scenario.sharing).limits_threads)
      root.descend(path + ".mps_threads")
          .problem("`mps_threads` needs `sharing: mps`", "add it at the top, or leave out mps_threads");
    const std::span<const ProcessEntry> parts = parts_of(process);
    if (has_partitions(process) && gpu::way_of(scenario.sharing).limits_threads)
      root.descend(path).problem("`sm_partition` is for processes that take turns",
                                 "mps_threads limits the SMs of an MPS client");
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::string inner = process.instances.empty() ? path : fmt::format("{}.instances.{}", path, part);
      if (parts[part].arrivals.kind == process::ArrivalKind::cascade)
        check_cascade(scenario, {entry, part}, root.descend(inner + ".after"));
      if (scenario.link && parts[part].arrivals.max_delay)
        root.descend(inner).problem(
            "`max_queue_delay` does not work with `link`: a batch over a link waits until it is full",
            "dynamic_batching: true in arrivals, or leave out link");
      const process::Arrivals& arrivals = parts[part].arrivals;
      if (arrivals.wait && (scenario.link || has_instances(process) || process.overlap > 0 ||
                            arrivals.max_delay || parts[part].language))
        root.descend(inner + ".arrivals.wait")
            .problem("a source that polls is the loop of a process that serves one request after the other",
                     "leave out wait, or streams, instances, overlap, max_queue_delay, link and generate");
      if (scenario.link && parts[part].language && parts[part].language->spec.sessions.turns > 1)
        root.descend(inner + ".generate.sessions")
            .problem("`sessions` does not work with `link`: its requests do not say whose they are",
                     "leave out sessions or link");
    }
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (scenario.link && parts[part].arrivals.kind == process::ArrivalKind::clients)
        root.descend(process.instances.empty() ? path : fmt::format("{}.instances.{}", path, part))
            .problem("`clients` does not work with `link`: their answers are not sent over it",
                     "leave out arrivals, for one client that asks over the link, or leave out link");
    if (scenario.link && process.overlap > 0)
      root.descend(path + ".overlap")
          .problem("`link` needs processes that do one step after the other", "leave out overlap or link");
    if (scenario.link && has_instances(process))
      root.descend(path).problem("`link` needs processes of one stream", "leave out link");
  }
}

}  // namespace jostle::scenarios
