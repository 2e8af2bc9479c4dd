// The parts of a run that have figures of their own: each stream of a process that has several, else the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// Of a result, which it must not outlive.
struct Part {
  const scenarios::ProcessResult* process = nullptr;
  const scenarios::InstanceResult* instance = nullptr;  // null: the process

  [[nodiscard]] const scenarios::Throughput& throughput() const {
    return instance != nullptr ? instance->throughput : process->throughput;
  }
  [[nodiscard]] const scenarios::Latency& latency_ms() const {
    return instance != nullptr ? instance->latency_ms : process->latency_ms;
  }
  [[nodiscard]] const scenarios::Metric& offered() const {
    return instance != nullptr ? instance->offered : process->offered;
  }
  [[nodiscard]] std::int64_t batch() const { return instance != nullptr ? instance->batch : process->batch; }
  [[nodiscard]] bool overloaded() const {
    return (instance != nullptr ? instance->stable : process->stable) == false;
  }
};
[[nodiscard]] std::vector<Part> parts_in(const scenarios::Result& result);

// The same parts, in the same order, as the scenario names them.
struct PartPlace {
  std::size_t process = 0;  // among all
  scenarios::PartId id;     // what it runs
};
[[nodiscard]] std::vector<PartPlace> part_places(const scenarios::Scenario& scenario);

}  // namespace jostle::analyses
