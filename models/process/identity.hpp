// Identifies a process within a run. Its tracks on the timeline are named by its index. Its random numbers
// are named by a name of its own and by their purpose, so that another process before it does not change
// them.
#pragma once

#include <cstdint>
#include <string>

#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

struct Identity {
  std::uint64_t seed = 1;   // seed of the run
  std::uint32_t index = 0;  // index among the processes of the run
  std::string name;         // names its random numbers; empty: the index does

  [[nodiscard]] std::string named(const std::string& what) const {
    return "process " + std::to_string(index) + " " + what;
  }
  [[nodiscard]] sim::RandomStream random(const std::string& what) const {
    return {seed, name.empty() ? named(what) : "process " + name + " " + what};
  }
};

}  // namespace jostle::process
