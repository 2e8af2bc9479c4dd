// Random valid scenarios: any board, mode, network, placement, arrivals, link and kind of run.
//
// Scenario n is the same on every machine. A draft is a tree of parts that can be left out one by one, so a
// scenario that breaks a law is cut down to the smallest one that still does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace jostle::scenarios::testing {

struct Draft {
  std::vector<std::string> board;                   // lines beside `processes`; the first, the device, stays
  std::vector<std::vector<std::string>> processes;  // "key: value"; the first, the model, stays
  std::vector<std::string> run;                     // "key: value"

  [[nodiscard]] std::string text() const;
};

// Nearly always valid: what the loader refuses is to be drawn again.
[[nodiscard]] Draft draft(std::uint64_t number);

// The smallest draft that still `fails`, by leaving out one part after another.
[[nodiscard]] Draft smallest(Draft draft, const std::function<bool(const Draft&)>& fails);

}  // namespace jostle::scenarios::testing
