#include "scenarios/result/memory_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::scenarios {
namespace {

constexpr double mb = 1e6;
constexpr const char* no_fit = "out_of_memory";

ProcessMemory memory_of(const memory::Footprint& held) {
  return {.context = held.context / mb,
          .engine = held.engine / mb,
          .arena = held.arena / mb,
          .io = held.io / mb,
          .gpu = held.gpu() / mb};
}

std::string what_lacked(const memory::Place& place) {
  const memory::Footprint& held = place.held;
  return fmt::format(
      "does not fit into memory: {:.0f} MB short, at its {} (context {:.0f}, engine {:.0f}, activations "
      "{:.0f}, inputs and outputs "
      "{:.0f} MB)",
      place.missing_bytes / mb, to_string(place.lacking), held.context / mb, held.engine / mb,
      held.arena / mb, held.io / mb);
}

}  // namespace

void add_memory(Result& result, const memory::Spec& spec, const memory::Occupancy& occupancy) {
  auto& system = result.system.memory;
  system.capacity_mb = spec.capacity_bytes / mb;
  double needed = occupancy.used_bytes;
  for (const memory::Place& place : occupancy.places)
    if (!place.fits) needed += place.held.total();
  system.needed_mb = needed / mb;
  if (!occupancy.rebooted) {
    system.used_mb = occupancy.used_bytes / mb;
    system.gpu_share = occupancy.gpu_bytes / spec.capacity_bytes;
  }
  for (std::size_t i = 0; i < result.processes.size(); ++i) {
    ProcessResult& process = result.processes[i];
    const memory::Place& place = occupancy.places[i];
    if (place.fits && !occupancy.rebooted) {
      process.memory_mb = place.held.total() / mb;
      process.memory = memory_of(place.held);
      continue;
    }
    result.status = process.status = no_fit;
    process.problem = place.fits ? "lost because the board reboots" : what_lacked(place);
    if (!place.fits && occupancy.rebooted) process.problem += "; the board reboots";
  }
}

}  // namespace jostle::scenarios
