// Settles the host's side of a process: what its runtime, its placement and its threads leave to each other,
// and what they have no use for.
#include <fmt/format.h>

#include <algorithm>

#include "models/dnn/fusion.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

using input::Node;

// Reads `cuda_graph`, which makes tensorrt tensorrt-graph.
void read_engine_graph(Mapping& mapping, ProcessEntry& process) {
  const auto at = mapping.find("cuda_graph");
  if (!at) return;
  const bool graph = Boolean{}(*at).value_or(false);
  const bool is_graph = traits_of(process.host.runtime).kind == RuntimeKind::graph;
  if (is_graph != graph && process.host.runtime != Runtime::tensorrt)
    at->problem(fmt::format("runtime {} is {} a CUDA graph", to_string(process.host.runtime),
                            is_graph ? "always" : "never"),
                "cuda_graph goes with runtime: tensorrt");
  else if (graph && !on_gpu(process.host.placement))
    at->problem("work of a DLA is not in a CUDA graph", "placement: gpu");
  else if (graph && !is_graph)
    process.host.runtime = Runtime::tensorrt_graph;
}

using process::RuntimeTraits;
using AreTraits = bool (*)(const RuntimeTraits&);

// The abilities of runtimes: a key, the runtimes that have a use for it, and what the others do instead.
struct RuntimeAbility {
  const char* key;
  AreTraits has;
  const char* without;
};
constexpr RuntimeAbility runtime_abilities[] = {
    {"transfers", [](const auto& row) { return process::copies_batches(row); }, "copies no batches"},
    {"graph", [](const auto& row) { return row.kind == RuntimeKind::framework; },
     "does not choose between graphs"},
    {"training", [](const auto& row) { return row.trains; }, "does not train"},
    {"gpu_layers", process::computes_on_cores, "computes all layers on the GPU"},
    {"cpu_moe", process::computes_on_cores, "computes all experts on the GPU"},
    {"layers", [](const auto& row) { return row.kind == RuntimeKind::engine; },
     "does not run a part of a network"}};

// The abilities of processes by their place: a key that only some placements have a use for, and that a
// process which trains may have no use for.
struct PlacedAbility {
  const char* key;
  bool (*has)(Placement);
  bool trains;  // a process that trains may have the key
  Kinds of;
  const char* without;
  const char* hint = "";
};
constexpr bool has_turns(Placement placement) {
  return placement != Placement::cpu;
}
constexpr PlacedAbility placed_abilities[] = {
    {"training", on_gpu, true, kind::all, "does not train", "gpu or cuda-only"},
    {"cpu_moe", has_turns, true, kind::all, "computes all layers on the cores"},
    {"draft", has_turns, true, kind::all, "drafts no tokens"},
    {"layers", [](Placement placement) { return placement == Placement::gpu; }, true, kind::all,
     "does not run a part of a network"},
    {"streams", on_gpu, false, kind::all, "has one stream of work"},
    {"host_threads", on_gpu, true, kind::all, "has one host thread",
     "threads: the number of threads that compute"},
    {"instances", has_turns, true, kind::all, "has no streams"},
    {"sm_partition", on_gpu, true, kind::all, "has no SMs to partition"},
    {"overlap", on_gpu, false, kind::all, "does one step after the other"},
    {"after", on_gpu, false, kind::alone, "takes requests of its own only"},
    {"max_queue_delay", on_gpu, false, kind::all, "does not form batches of requests that wait"},
    {"mig", has_turns, true, kind::all, "runs in no instance of the GPU"},
    {"mps_memory", has_turns, true, kind::all, "holds no memory of the GPU"},
    {"gpu_timeslice", has_turns, true, kind::all, "has no turns on the GPU"},
    {"gpu_interleave", has_turns, true, kind::all, "has no turns on the GPU"}};

bool says(const Mapping& mapping, const char* key, const char* word) {
  const Node at = mapping.good() ? mapping.cursor().value().find(key) : nullptr;
  return at && at->kind == Kind::scalar && at->text == word;
}

}  // namespace

void refuse_unable(Mapping& mapping, const ProcessEntry& process, Kinds place) {
  const Placement placement = process.host.placement;
  const auto lacks = [&](const char* key, const std::string& who, const char* without, std::string hint) {
    if (key == std::string_view("training") && !process.work.training) return;
    if (key == std::string_view("streams") && process.gpu.streams == 1) return;
    mapping.refuse(key, fmt::format("{} {}", who, without), std::move(hint));
  };
  for (const auto& [key, has, trains, of, without, hint] : placed_abilities) {
    if ((of & place) == 0) continue;
    if (!has(placement))
      lacks(key, fmt::format("a process with placement: {}", to_string(placement)), without, hint);
    else if (process.work.training && !trains)
      lacks(key, "a process that trains", without, {});
  }
  if (place == kind::instance) return;
  for (const auto& [key, has, without] : runtime_abilities)
    if (!has(traits_of(process.host.runtime)))
      lacks(key, fmt::format("runtime {}", to_string(process.host.runtime)), without, runtime_list(has));
}

Runtime default_runtime(const Mapping& mapping, bool language) {
  if (says(mapping, "placement", "cpu") && !language) return Runtime::cpu;
  if (says(mapping, "training", "true")) return Runtime::eager;
  return language ? Runtime::llama_cpp : Runtime::tensorrt;
}

void settle_host(Mapping& mapping, ProcessEntry& process) {
  Host& host = process.host;
  if (traits_of(host.runtime).kind == RuntimeKind::cores && !mapping.has("placement"))
    host.placement = Placement::cpu;
  if (host.placement == Placement::cpu && !process.work.training)
    host.runtime = traits_of(host.runtime).on_cores;
  read_engine_graph(mapping, process);
  if (!mapping.has("sync")) host.sync = default_sync(host.runtime);
}

void settle_host_threads(Mapping& mapping, ProcessEntry& process) {
  if (!mapping.find("host_threads")) process.host.host_threads = default_host_threads(process);
}

// Reads the policy of the host's scheduler, and joins containers.

void read_policy(Mapping& mapping, ThreadSettings& settings) {
  const auto at = mapping.find("policy");
  if (!at) return;
  Mapping policy(*at, "a policy: {fifo: 50}");
  policy.required("fifo", settings.fifo, Whole<int>{1, 99});
  // A real-time thread is under no quota, and has neither shares nor a nice level.
  mapping.keep_one("policy", {"container", "nice"});
}

void unite_containers(const std::vector<Cursor>& entries,
                      const std::vector<std::optional<cpu::ContainerSpec>*>& containers) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!*containers[i]) continue;
    cpu::ContainerSpec& own = **containers[i];
    const Cursor at = entries[i].descend("container");
    for (std::size_t j = 0; j < i; ++j) {
      if (!*containers[j] || (*containers[j])->name != own.name) continue;
      const cpu::ContainerSpec& first = **containers[j];
      // A name alone refers to the same container.
      if (!at.value().find("cpus")) own.cpus = first.cpus;
      if (!at.value().find("shares")) own.shares = first.shares;
      if (own.cpus != first.cpus || own.shares != first.shares)
        at.problem(fmt::format("processes.{} gives container {} other cpus or shares", j, own.name),
                   "give them once, and the name alone elsewhere");
      break;
    }
  }
}

// Reads an entry of `processes` that has a load in place of a model.

LoadEntry read_load(const Cursor& at) {
  LoadEntry load;
  Mapping mapping(at, "a load: load, threads, bandwidth, duty");
  refuse_other_kinds(mapping, kind::load);
  const bool known = read_keys(mapping, load, kind::load);
  if (const auto bandwidth = mapping.find("bandwidth");
      bandwidth && known && !process::row_of(load.kind).moves_memory())
    bandwidth->problem(fmt::format("a load of {} does not use the memory", process::row_of(load.kind).name),
                       "leave out bandwidth, or use duty");
  ThreadSettings& threads = load;
  read_keys(mapping, threads, kind::load);
  read_policy(mapping, threads);
  return load;
}

}  // namespace jostle::scenarios
