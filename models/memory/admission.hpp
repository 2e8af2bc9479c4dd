// Memory admission: processes are admitted one after another, each completely or not at all.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/memory/footprint.hpp"
#include "models/memory/spec.hpp"

namespace jostle::memory {

// The parts of a footprint, in the order in which a process allocates them.
enum class Part { context, engine, arena, io };
[[nodiscard]] const char* to_string(Part part);

// Memory that a process requests: the context of its runtime, and the rest of its footprint.
struct Request {
  const ContextSpec* context = nullptr;  // the same object for processes of one runtime
  Footprint network;                     // its `context` members are ignored
  // The limit on all that it holds beside its context (CUDA_MPS_PINNED_DEVICE_MEM_LIMIT).
  std::optional<double> limit_bytes = {};
};

struct Place {
  bool fits = true;
  Footprint held;            // memory that it holds, or would hold if it fitted
  Part lacking = Part::io;   // the first part that does not fit
  double missing_bytes = 0;  // shortage, considering all parts
};

struct Occupancy {
  std::vector<Place> places;  // same order as the requests
  double used_bytes = 0;      // held by the system and the admitted processes
  double gpu_bytes = 0;       // the part of used_bytes for the GPU
  bool rebooted = false;      // a process did not fit and the board rebooted: no process runs
};

// Admits the requests in the given order. A process that does not fit leaves its memory to the following
// ones. The first process of a runtime also holds the libraries that all processes of the runtime share. On a
// card with its own memory (spec.unified false) only GPU memory counts.
[[nodiscard]] Occupancy admit(const Spec& spec, std::span<const Request> requests);

}  // namespace jostle::memory
