// The parts of a run that have metrics of their own: each stream of a process that has several, else the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// A part of a result. The result must outlive it.
struct Part {
  const scenarios::ProcessResult* process = nullptr;
  const scenarios::InstanceResult* instance = nullptr;  // null: the whole process

  [[nodiscard]] const scenarios::Throughput& throughput() const {
    return instance != nullptr ? instance->throughput : process->throughput;
  }
  [[nodiscard]] const scenarios::Latency& latency_ms() const {
    return instance != nullptr ? instance->latency_ms : process->latency_ms;
  }
  [[nodiscard]] const scenarios::Metric& offered() const {
    return instance != nullptr ? instance->offered : process->offered;
  }
  [[nodiscard]] const std::optional<scenarios::TokenResult>& tokens() const {
    return instance != nullptr ? instance->tokens : process->tokens;
  }
  [[nodiscard]] std::int64_t batch() const { return instance != nullptr ? instance->batch : process->batch; }
  [[nodiscard]] bool overloaded() const {
    return (instance != nullptr ? instance->stable : process->stable) == false;
  }
};
[[nodiscard]] std::vector<Part> parts_in(const scenarios::Result& result);

// The same parts in the same order, with their places in the scenario.
struct PartPlace {
  std::size_t process = 0;  // index among all processes
  scenarios::PartId id;     // the entry and part that it runs
};
[[nodiscard]] std::vector<PartPlace> part_places(const scenarios::Scenario& scenario);

}  // namespace jostle::analyses
