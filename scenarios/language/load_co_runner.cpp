// Reads an entry of `processes` that has a load in place of a model.
#include <fmt/format.h>

#include "input/readers.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::scenarios {
namespace {

using input::Choice;
using input::Cursor;
using input::Integer;
using input::Mapping;
using input::Quantity;
using input::Text;

constexpr std::int64_t max_threads = 1024;

// Refuses keys that only a process with a model may have.
void refuse_work(Mapping& mapping) {
  for (const char* key : {"model", "instances"})
    if (const auto at = mapping.find(key))
      at->problem(fmt::format("{} beside load: a background load runs no inference", key),
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
  mapping.optional("name", load.name, Text{200});
  const bool known = mapping.required("load", load.kind, Choice<process::LoadKind>{"a load", load_names()});
  refuse_work(mapping);
  std::int64_t threads = 1;
  if (mapping.optional("threads", threads, Integer{1, max_threads})) load.threads = static_cast<int>(threads);
  if (const auto bandwidth = mapping.find("bandwidth")) {
    load.bandwidth = Quantity{input::bandwidth_dimension(), 0, 1e15, true}(*bandwidth);
    if (known && !process::row_of(load.kind).moves_memory())
      bandwidth->problem(fmt::format("a load of {} does not use the memory", process::row_of(load.kind).name),
                         "leave out bandwidth, or use duty");
  }
  mapping.optional("duty", load.duty, Quantity{input::share_dimension(), 0, 1});
  static_cast<ThreadSettings&>(load) = read_thread_settings(mapping);
  return load;
}

}  // namespace jostle::scenarios
