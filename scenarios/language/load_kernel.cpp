// Reads the policy of the host's scheduler, and joins containers.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {

using input::Cursor;
using input::Mapping;

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

}  // namespace jostle::scenarios
