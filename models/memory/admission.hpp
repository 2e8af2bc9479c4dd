// Which processes fit: one after the other, each as a whole or not at all.
#pragma once

#include <span>
#include <vector>

#include "models/memory/footprint.hpp"
#include "models/memory/spec.hpp"

namespace jostle::memory {

// In the order in which a process allocates.
enum class Part { context, engine, arena, io };
[[nodiscard]] const char* to_string(Part part);

// What a process asks for: the context of its runtime, and the rest of its footprint.
struct Request {
  const ContextSpec* context = nullptr;  // the same object for processes of one runtime
  Footprint network;                     // its context parts are not looked at
};

struct Place {
  bool fits = true;
  Footprint held;            // as it would be if it does not fit
  Part lacking = Part::io;   // the first that finds no room
  double missing_bytes = 0;  // of all that it asks for
};

struct Occupancy {
  std::vector<Place> places;  // in the order of the requests
  double used_bytes = 0;      // by the system and those that fit
  double gpu_bytes = 0;       // of which for the GPU
  bool rebooted = false;      // one did not fit and the board went down: nobody runs
};

// In the order given; who does not fit leaves its room to those behind. The first of a runtime also holds the
// libraries that all of it share; on a card's own memory (spec.unified false) only what is for the GPU
// counts.
[[nodiscard]] Occupancy admit(const Spec& spec, std::span<const Request> requests);

}  // namespace jostle::memory
