// Reads an entry of `processes` that has a load in place of a model.
#include <fmt/format.h>

#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

using input::Cursor;
using input::Mapping;

// Refuses keys that only a process with a model may have.
void refuse_work(Mapping& mapping) {
  for (const char* key : {"model", "instances"})
    if (const auto at = mapping.find(key))
      at->problem(fmt::format("{} cannot be combined with load: a background load runs no inference", key),
                  "give the load an entry of its own");
  if (const auto at = mapping.find("count"))
    at->problem("a load has no count", "threads: the number of its threads");
  for (const char* key : {"precision", "batch", "runtime", "arrivals", "placement", "sync"})
    if (const auto at = mapping.find(key))
      at->problem(fmt::format("a load has no {}", key),
                  "it may have threads, bandwidth, duty, cpus, nice, policy, container, name");
}

}  // namespace

LoadEntry read_load(const Cursor& at) {
  LoadEntry load;
  Mapping mapping(at, "a load: load, threads, bandwidth, duty");
  const bool known = read_keys(mapping, load);
  refuse_work(mapping);
  if (const auto bandwidth = mapping.find("bandwidth");
      bandwidth && known && !process::row_of(load.kind).moves_memory())
    bandwidth->problem(fmt::format("a load of {} does not use the memory", process::row_of(load.kind).name),
                       "leave out bandwidth, or use duty");
  static_cast<ThreadSettings&>(load) = read_thread_settings(mapping);
  return load;
}

}  // namespace jostle::scenarios
