#include "scenarios/timeline/perfetto_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <protozero/pbf_builder.hpp>
#include <utility>

namespace jostle::scenarios {
namespace {

// Field numbers of perfetto/protos/perfetto/trace/*.proto, as far as needed.
enum class Trace : protozero::pbf_tag_type { packet = 1 };
enum class Packet : protozero::pbf_tag_type {
  timestamp = 8,
  trusted_packet_sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60
};
enum class Track : protozero::pbf_tag_type {
  uuid = 1,
  name = 2,
  parent_uuid = 5,
  counter = 8,
  child_ordering = 11,
  sibling_order_rank = 12
};
enum class CounterTrack : protozero::pbf_tag_type { unit_name = 6 };
enum class TrackEvent : protozero::pbf_tag_type {
  type = 9,
  name_iid = 10,
  track_uuid = 11,
  double_counter_value = 44
};
enum class Interned : protozero::pbf_tag_type { event_names = 2 };
enum class EventName : protozero::pbf_tag_type { iid = 1, name = 2 };

constexpr std::int32_t slice_begin = 1, slice_end = 2, counter_value = 4;  // TrackEvent.Type
constexpr std::uint32_t state_cleared = 1, needs_state = 2;                // TracePacket.SequenceFlags
constexpr std::int32_t order_by_rank = 3;  // TrackDescriptor.ChildTracksOrdering
constexpr std::uint32_t sequence = 1;      // one writer, one sequence
constexpr std::size_t buffer_bytes = 1U << 20U;

std::size_t index(sim::TrackId track) {
  return static_cast<std::size_t>(track);
}
std::uint64_t uuid(sim::TrackId track) {
  return static_cast<std::uint64_t>(track);
}

}  // namespace

struct PerfettoTrace::Event {
  sim::TrackId track = sim::TrackId::none;
  sim::Time at;
  std::int32_t type = 0;
  std::string_view name = {};  // slice_begin
  double value = 0;            // counter_value
};

PerfettoTrace::PerfettoTrace(const std::string& path) : file_(path), open_(1) {
  buffer_.reserve(2 * buffer_bytes);
}

sim::TrackId PerfettoTrace::track(std::string_view name, sim::TrackId parent) {
  return describe(name, parent, nullptr);
}

sim::TrackId PerfettoTrace::counter(std::string_view name, std::string_view unit, sim::TrackId parent) {
  return describe(name, parent, &unit);
}

sim::TrackId PerfettoTrace::describe(std::string_view name, sim::TrackId parent,
                                     const std::string_view* unit) {
  const auto id = static_cast<sim::TrackId>(open_.size());
  open_.push_back(0);
  packet_.clear();
  {
    protozero::pbf_builder<Packet> packet(packet_);
    packet.add_uint32(Packet::trusted_packet_sequence_id, sequence);
    packet.add_uint32(Packet::sequence_flags,
                      std::exchange(first_packet_, false) ? state_cleared : needs_state);
    protozero::pbf_builder<Track> descriptor(packet, Packet::track_descriptor);
    descriptor.add_uint64(Track::uuid, uuid(id));
    descriptor.add_string(Track::name, name.data(), name.size());
    if (parent != sim::TrackId::none) descriptor.add_uint64(Track::parent_uuid, uuid(parent));
    descriptor.add_enum(Track::child_ordering, order_by_rank);
    descriptor.add_int32(Track::sibling_order_rank, static_cast<std::int32_t>(id));
    if (unit != nullptr) {
      std::string counter;  // added even if empty: its presence makes the track a counter
      if (!unit->empty()) {
        protozero::pbf_builder<CounterTrack>(counter).add_string(CounterTrack::unit_name, unit->data(),
                                                                 unit->size());
      }
      descriptor.add_message(Track::counter, counter);
    }
  }
  put(packet_);
  return id;
}

void PerfettoTrace::begin(sim::TrackId track, sim::Time at, std::string_view name) {
  ++open_[index(track)];
  write({.track = track, .at = at, .type = slice_begin, .name = name});
}

void PerfettoTrace::end(sim::TrackId track, sim::Time at) {
  if (open_[index(track)] == 0) return;  // an end without a begin would close another slice in the viewer
  --open_[index(track)];
  write({.track = track, .at = at, .type = slice_end});
}

void PerfettoTrace::slice(sim::TrackId track, sim::Time start, sim::Duration duration,
                          std::string_view name) {
  write({.track = track, .at = start, .type = slice_begin, .name = name});
  write({.track = track, .at = start + duration, .type = slice_end});
}

void PerfettoTrace::count(sim::TrackId counter, sim::Time at, double value) {
  write({.track = counter, .at = at, .type = counter_value, .value = value});
}

void PerfettoTrace::write(const Event& event) {
  latest_ = std::max(latest_, event.at);
  packet_.clear();
  {
    protozero::pbf_builder<Packet> packet(packet_);
    packet.add_uint64(Packet::timestamp, static_cast<std::uint64_t>(event.at.ps() / 1000));
    packet.add_uint32(Packet::trusted_packet_sequence_id, sequence);
    packet.add_uint32(Packet::sequence_flags, needs_state);
    std::uint64_t name_number = 0;
    if (event.type == slice_begin) {
      const auto known = names_.find(event.name);
      if (known != names_.end()) {
        name_number = known->second;
      } else {
        name_number = names_.size() + 1;
        names_.emplace(event.name, name_number);
        protozero::pbf_builder<Interned> interned(packet, Packet::interned_data);
        protozero::pbf_builder<EventName> entry(interned, Interned::event_names);
        entry.add_uint64(EventName::iid, name_number);
        entry.add_string(EventName::name, event.name.data(), event.name.size());
      }
    }
    protozero::pbf_builder<TrackEvent> body(packet, Packet::track_event);
    body.add_enum(TrackEvent::type, event.type);
    body.add_uint64(TrackEvent::track_uuid, uuid(event.track));
    if (event.type == slice_begin) body.add_uint64(TrackEvent::name_iid, name_number);
    if (event.type == counter_value) body.add_double(TrackEvent::double_counter_value, event.value);
  }
  put(packet_);
}

void PerfettoTrace::put(std::string_view packet) {
  if (finished_) return;
  protozero::pbf_builder<Trace>(buffer_).add_bytes(Trace::packet, packet.data(), packet.size());
  if (buffer_.size() >= buffer_bytes) flush();
}

void PerfettoTrace::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void PerfettoTrace::finish() {
  if (finished_) return;
  for (std::size_t i = 1; i < open_.size(); ++i) {
    while (open_[i] > 0) end(static_cast<sim::TrackId>(i), latest_);
  }
  flush();
  finished_ = true;
  file_.commit();
}

}  // namespace jostle::scenarios
