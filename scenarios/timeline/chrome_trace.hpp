// Writes a timeline as Chrome's JSON: an object with `traceEvents`, which chrome://tracing, ui.perfetto.dev
// and many scripts read.
//
// One event per line: slices are X (begin and duration), written when they end; counters are C; names of
// tracks are M, in order of creation. Times are in microseconds with three decimals: whole nanoseconds,
// rounded down, so that slices that nest in picoseconds still nest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/output_file.hpp"
#include "sim/trace.hpp"

namespace jostle::scenarios {

class ChromeTrace final : public sim::TraceSink {
 public:
  // The part of a timeline to keep. Slices are clipped to it, and a counter starts with its value at the
  // beginning of the window.
  struct Window {
    sim::Time begin, end;
    std::size_t max_events;  // the window ends at the last of these events
  };

  explicit ChromeTrace(const std::string& path);  // Throws input::Refused.
  explicit ChromeTrace(const Window& window);     // text() returns the trace after finish().

  [[nodiscard]] sim::TrackId track(std::string_view name, sim::TrackId parent = sim::TrackId::none) override;
  [[nodiscard]] sim::TrackId counter(std::string_view name, std::string_view unit,
                                     sim::TrackId parent = sim::TrackId::none) override;
  void begin(sim::TrackId track, sim::Time at, std::string_view name) override;
  void end(sim::TrackId track, sim::Time at) override;
  void slice(sim::TrackId track, sim::Time start, sim::Duration duration, std::string_view name) override;
  void count(sim::TrackId counter, sim::Time at, double value) override;

  // Ends the slices that are still open at the latest time seen, and moves the file to its place: an
  // interrupted run, too, leaves a trace up to that time; without it, an existing file stays. Throws
  // output::WriteError. Further events are discarded.
  void finish();

  [[nodiscard]] const std::string& text() const { return buffer_; }
  [[nodiscard]] const Window& window() const { return window_; }

 private:
  struct Slice {
    std::string name;
    sim::Time begin;
  };
  struct Track {
    std::string name, unit;   // units of counters only
    std::vector<Slice> open;  // innermost last
    bool before = false;      // true: a counter had `value` already before the window
    double value = 0;
  };

  void put(std::string_view event);
  void put_slice(std::size_t track, sim::Time begin, sim::Time end, std::string_view name);
  void put_count(std::size_t counter, sim::Time at, double value);
  void flush();

  std::optional<output::OutputFile> file_;  // none: the trace is kept in memory
  std::string buffer_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  std::vector<Track> tracks_ = std::vector<Track>(1);  // by TrackId, from 1
  Window window_{sim::Time::zero(), sim::Time::never(), SIZE_MAX};
  sim::Time latest_;
  std::size_t events_ = 0;
  bool first_ = true, finished_ = false;
};

}  // namespace jostle::scenarios
