// Reads the settings of the host's and the GPU's scheduler: policies, time slices; and joins containers.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

using input::Choice;
using input::Cursor;
using input::Mapping;
using profiles::TimeSpan;

int read_policy(const Cursor& at) {
  Mapping mapping(at, "a policy: {fifo: 50}");
  std::int64_t priority = 0;
  return mapping.required("fifo", priority, Integer{1, 99}) ? static_cast<int>(priority) : 0;
}

bool uses_gpu(const ProcessEntry& process) {
  return process.placement != Placement::cpu;
}

}  // namespace

ThreadSettings read_thread_settings(Mapping& mapping) {
  ThreadSettings settings;
  read_keys(mapping, settings);
  if (const auto policy = mapping.find("policy")) {
    settings.fifo = read_policy(*policy);
    if (const auto container = mapping.find("container"))
      container->problem("a real-time thread is under no quota and has no shares",
                         "leave out policy or container");
    if (const auto nice_at = mapping.find("nice"))
      nice_at->problem("a real-time thread has no nice level", "leave out policy or nice");
  }
  return settings;
}

void read_turns(Mapping& mapping, ProcessEntry& process) {
  if (const auto at = mapping.find("gpu_timeslice")) {
    process.gpu_timeslice = TimeSpan{sim::milliseconds(1), sim::milliseconds(50)}(*at);
    if (!uses_gpu(process)) at->problem("a process with placement: cpu has no turns on the GPU");
  }
  if (const auto at = mapping.find("gpu_interleave")) {
    const auto level = Choice<gpu::Interleave>{"a level of interleaving", interleave_names()}(*at);
    if (level) process.gpu_interleave = *level;
    if (!uses_gpu(process)) at->problem("a process with placement: cpu has no turns on the GPU");
  }
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

}  // namespace jostle::scenarios
