// Random entries of `processes`: processes of one network or of several, language models, co-runners.
#pragma once

#include <cstddef>

#include "tests/scenarios/invariants/dice.hpp"
#include "tests/scenarios/invariants/generator.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::scenarios::testing {

// Where an entry is to run.
struct Place {
  const board::DeviceSpec& device;
  bool mps = false;
  bool linked = false;    // requests come over a link
  std::size_t index = 0;  // among the entries: names are made of it
};

[[nodiscard]] DraftEntry drawn_entry(Dice& dice, const Place& place);
// Closed loops of few kernels, in a second of which the batches of several streams become steady.
[[nodiscard]] DraftEntry drawn_loops(Dice& dice, const Place& place);
[[nodiscard]] DraftEntry drawn_load(Dice& dice, const board::DeviceSpec& device);

}  // namespace jostle::scenarios::testing
