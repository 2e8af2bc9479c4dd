// Reads a network link, as a scenario or a study describes it.
#include "calibration/profile/time_span.hpp"
#include "input/readers.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {

using calibration::TimeSpan;
using input::Cursor;
using input::Mapping;
using input::Quantity;

std::optional<double> read_bandwidth(const Cursor& at) {
  return Quantity{.dimension = input::bandwidth_dimension(),
                  .least = 0.125,
                  .most = 1e13,
                  .reason = "a link carries at least a bit in a second"}(at);
}

std::optional<sim::Duration> read_round_trip(const Cursor& at) {
  return TimeSpan{sim::Duration::zero(), sim::seconds(3600)}(at);
}

// Reads a payload: jpeg, tensor or a size.
std::optional<Payload> read_payload(const Cursor& at) {
  constexpr double max_bytes = 1e12;
  const std::string* const text = at.scalar("a size such as 120 kB, jpeg or tensor");
  if (text == nullptr) return std::nullopt;
  if (*text == "jpeg") return Payload{};
  if (*text == "tensor") return Payload{.tensor = true};
  if (text->find_first_of("0123456789") == std::string::npos) {
    const auto named =
        input::Choice<Payload>{"a payload", {{"jpeg", Payload{}}, {"tensor", Payload{.tensor = true}}}}(at);
    return named;
  }
  const auto bytes = Quantity{input::size_dimension(), 0, max_bytes}(at);
  return bytes ? std::optional(Payload{.bytes = *bytes}) : std::nullopt;
}

void read_link_quality(Mapping& mapping, Link& link) {
  mapping.optional("jitter", link.jitter, TimeSpan{sim::Duration::zero(), sim::seconds(3600)});
  mapping.optional("loss", link.loss, Quantity{input::share_dimension(), 0, 0.99});
  mapping.optional("energy_per_bit", link.energy_per_bit_j,
                   Quantity{input::energy_per_bit_dimension(), 0, 1e-3});
}

Link read_link(const Cursor& at) {
  Mapping mapping(at, "a mapping: bandwidth, rtt, jitter, loss, energy_per_bit, payload");
  Link link;
  mapping.required("bandwidth", link.bandwidth, read_bandwidth);
  mapping.required("rtt", link.rtt, read_round_trip);
  read_link_quality(mapping, link);
  mapping.optional("payload", link.payload, read_payload);
  return link;
}

}  // namespace jostle::scenarios
