// Which process of a run it is. Its random numbers and its tracks on the timeline are named by that, so that
// another process beside it does not change them.
#pragma once

#include <cstdint>
#include <string>

#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

struct Identity {
  std::uint64_t seed = 1;   // of the run
  std::uint32_t index = 0;  // among its processes

  [[nodiscard]] std::string named(const std::string& what) const {
    return "process " + std::to_string(index) + " " + what;
  }
  [[nodiscard]] sim::RandomStream random(const std::string& what) const { return {seed, named(what)}; }
  // Who makes its requests: several processes may be asked as one and the same source (Arrivals::source).
  [[nodiscard]] Identity source(const Arrivals& arrivals) const {
    return {seed, arrivals.source.value_or(index)};
  }
};

}  // namespace jostle::process
