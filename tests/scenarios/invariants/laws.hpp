// The laws that the result of every run obeys, whatever was asked. There is one checker of them: this.
//
// A law that compares several runs (more bandwidth, a longer run) is in comparisons.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/board/spec.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::scenarios::testing {

// A scenario, the board it names and what came out: in all, and of each replication where there are several.
struct Run {
  const Scenario& scenario;
  const board::DeviceSpec& device;
  const Result& result;
  std::span<const Result> replications = {};
};

struct Law {
  std::string_view name;  // a sentence
  // Appends what contradicts it.
  void (*check)(const Run& run, std::vector<std::string>& breaches);
};

[[nodiscard]] const std::vector<Law>& laws();

// "the law: what contradicts it", all of them; empty if the result is right.
[[nodiscard]] std::vector<std::string> breaches(const Run& run);

// The spec of the scenario's board.
[[nodiscard]] board::DeviceSpec device_of(const Scenario& scenario);

}  // namespace jostle::scenarios::testing
