// Random valid scenarios: any board, mode, network, placement, way of sharing, requests, co-runners, link and
// kind of run.
//
// Scenario n is the same on every machine. A draft is a tree of parts that can be left out one by one, so a
// scenario that breaks a law is cut down to the smallest one that still does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::scenarios::testing {

using Words = std::vector<std::string>;  // "key: value"

// An entry of `processes`: a process, or a co-runner.
struct DraftEntry {
  Words keys;                    // the first, the model or the load, stays
  std::vector<Words> instances;  // in place of a model: of each the first, the model, stays

  [[nodiscard]] std::string text() const;
};

struct Draft {
  Words board;  // lines beside `processes`; the first, the device, stays
  std::vector<DraftEntry> processes;
  Words run;

  [[nodiscard]] std::string text() const;
};

// Nearly always valid: what the loader refuses is to be drawn again.
[[nodiscard]] Draft draft(std::uint64_t number);

// One more entry for that board, drawn by `number`: a process or a co-runner.
[[nodiscard]] DraftEntry another_entry(const Draft& beside, std::uint64_t number);

// The board that it names.
[[nodiscard]] const board::DeviceSpec& device_of(const Draft& draft);

// The smallest draft that still `fails`, by leaving out one part after another.
[[nodiscard]] Draft smallest(Draft draft, const std::function<bool(const Draft&)>& fails);

}  // namespace jostle::scenarios::testing
