#include "models/memory/admission.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::memory {
namespace {

Footprint asked(const Spec& spec, const Request& request, bool first_of_runtime) {
  Footprint held = request.network;
  held.context = held.gpu_context = 0;
  if (request.context == nullptr) return held;
  held.gpu_context = request.context->gpu_bytes;
  held.context = spec.unified ? request.context->process_bytes : request.context->gpu_bytes;
  if (spec.unified && first_of_runtime) held.context += request.context->shared_bytes;
  return held;
}

Part first_without_room(const Footprint& held, double room) {
  const std::array<std::pair<Part, double>, 4> parts{{{Part::context, held.context},
                                                      {Part::engine, held.engine},
                                                      {Part::arena, held.arena},
                                                      {Part::io, held.io}}};
  for (const auto& [part, bytes] : parts) {
    if (bytes > room) return part;
    room -= bytes;
  }
  return Part::io;
}

}  // namespace

const char* to_string(Part part) {
  static constexpr std::array<const char*, 4> words{"context", "engine", "activations", "inputs and outputs"};
  return words.at(static_cast<std::size_t>(part));
}

Occupancy admit(const Spec& spec, std::span<const Request> requests) {
  Occupancy occupancy;
  occupancy.used_bytes = spec.system_bytes;
  std::vector<const ContextSpec*> there;  // runtimes of which a process is running
  for (const Request& request : requests) {
    const bool first = std::ranges::find(there, request.context) == there.end();
    Place place{.held = asked(spec, request, first)};
    const double free = spec.capacity_bytes - occupancy.used_bytes;
    const double room = std::min(free, place.held.context + request.limit_bytes.value_or(free));
    if (place.held.total() > room) {
      place.fits = false;
      place.missing_bytes = place.held.total() - std::max(room, 0.0);
      place.lacking = first_without_room(place.held, room);
    } else {
      occupancy.used_bytes += place.held.total();
      sim::contract(place.held.total() >= 0 && occupancy.used_bytes <= spec.capacity_bytes * (1 + 1e-12),
                    "processes hold no more memory than there is");
      occupancy.gpu_bytes += place.held.gpu();
      if (first) there.push_back(request.context);
    }
    occupancy.places.push_back(place);
  }
  const auto fits = [](const Place& place) { return place.fits; };
  occupancy.rebooted = spec.when_full == WhenFull::reboot && !std::ranges::all_of(occupancy.places, fits);
  return occupancy;
}

}  // namespace jostle::memory
