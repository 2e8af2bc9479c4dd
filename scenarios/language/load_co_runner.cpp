// Reads an entry of `processes` that has a load in place of a model.
#include <fmt/format.h>

#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {

using input::Cursor;
using input::Mapping;

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
