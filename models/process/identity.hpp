// Which process of a run it is. Its tracks on the timeline are named by its index; its random numbers by a
// name of its own and by what they are for, so that another process before it does not change them.
#pragma once

#include <cstdint>
#include <string>

#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

struct Identity {
  std::uint64_t seed = 1;   // of the run
  std::uint32_t index = 0;  // among its processes
  std::string name;         // of its random numbers; empty: the index

  [[nodiscard]] std::string named(const std::string& what) const {
    return "process " + std::to_string(index) + " " + what;
  }
  [[nodiscard]] sim::RandomStream random(const std::string& what) const {
    return {seed, name.empty() ? named(what) : "process " + name + " " + what};
  }
};

}  // namespace jostle::process
