// Interface of a timeline sink: tracks with slices, and counters. The sink chooses the file format.
//
// An engine without a sink records nothing: `if (TraceSink* trace = engine.trace()) trace->slice(...)`.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/time.hpp"

namespace jostle::sim {

// A row or a counter of the timeline; assigned by the sink. 0: none.
enum class TrackId : std::uint32_t { none = 0 };

class TraceSink {
 public:
  TraceSink() = default;
  virtual ~TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;

  // A new track for slices, under `parent` if there is one.
  [[nodiscard]] virtual TrackId track(std::string_view name, TrackId parent = TrackId::none) = 0;
  // A new counter in `unit` (may be empty).
  [[nodiscard]] virtual TrackId counter(std::string_view name, std::string_view unit,
                                        TrackId parent = TrackId::none) = 0;

  // Slices of one track nest: end() closes the slice begun last. Times on a track never decrease.
  virtual void begin(TrackId track, Time at, std::string_view name) = 0;
  virtual void end(TrackId track, Time at) = 0;
  // A complete slice, duration ≥ 0. May be reported after later events of other tracks.
  virtual void slice(TrackId track, Time start, Duration duration, std::string_view name) = 0;
  // Sets the counter to `value` from `at` on.
  virtual void count(TrackId counter, Time at, double value) = 0;
};

}  // namespace jostle::sim
