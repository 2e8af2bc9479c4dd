// Reads the settings of the host's and the GPU's scheduler: containers, policies, interrupts, time slices.
#include <fmt/format.h>

#include <algorithm>

#include "calibration/profile/time_span.hpp"
#include "input/readers.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::scenarios {
namespace {

using calibration::TimeSpan;
using input::Boolean;
using input::Choice;
using input::Cursor;
using input::Integer;
using input::Kind;
using input::Mapping;
using input::Quantity;
using input::Real;
using input::Text;

constexpr double least_quota = 0.01;  // minimum of the Linux kernel: 1 ms of a period of 100 ms

std::optional<cpu::ContainerSpec> read_container(const Cursor& at) {
  Mapping mapping(at, "a container: name, cpus, shares");
  cpu::ContainerSpec container;
  const bool named = mapping.required("name", container.name, Text{200});
  mapping.optional("cpus", container.cpus, Real{least_quota, max_cores});
  mapping.optional("shares", container.shares, Integer{cpu::min_shares, cpu::max_shares});
  return named ? std::optional(container) : std::nullopt;
}

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
  if (const auto cpus_at = mapping.find("cpus")) {
    if (const auto cpus = read_cpus(*cpus_at)) settings.cpus = *cpus;
  }
  std::int64_t nice = 0;
  if (mapping.optional("nice", nice, Integer{-20, 19})) settings.nice = static_cast<int>(nice);
  const auto container = mapping.find("container");
  if (container) settings.container = read_container(*container);
  if (const auto policy = mapping.find("policy")) {
    settings.fifo = read_policy(*policy);
    if (container)
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

Interrupts read_interrupts(const Cursor& at) {
  Mapping mapping(at, "interrupts: cpu, load, rate");
  Interrupts interrupts;
  std::int64_t core = 0;
  if (mapping.optional("cpu", core, Integer{0, max_cores - 1})) interrupts.cpu = static_cast<int>(core);
  mapping.required("load", interrupts.load, Quantity{input::share_dimension(), 0, 0.95});
  mapping.optional("rate", interrupts.rate, Quantity{input::rate_dimension(), 1, 1e5});
  return interrupts;
}

std::optional<DesktopCompositor> read_compositor(const Cursor& at) {
  DesktopCompositor compositor;
  if (!at.is(Kind::mapping)) {
    const auto wanted = Boolean{}(at);
    return wanted.value_or(false) ? std::optional(compositor) : std::nullopt;
  }
  Mapping mapping(at, "compositor: true, or a mapping: rate, time");
  mapping.optional("rate", compositor.rate, Quantity{input::rate_dimension(), 1, 1000});
  mapping.optional("time", compositor.time, TimeSpan{sim::Duration::zero(), sim::seconds(1), true});
  return compositor;
}

}  // namespace jostle::scenarios
