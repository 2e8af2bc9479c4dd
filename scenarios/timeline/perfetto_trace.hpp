// Writes a timeline as a Perfetto trace, the file format of ui.perfetto.dev.
//
// One packet per event, in the protobuf format of perfetto's protos/perfetto/trace (field numbers in the
// .cpp). Times are in nanoseconds, rounded down, so that slices that nest in picoseconds still nest. Names
// are stored once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "output/output_file.hpp"
#include "scenarios/timeline/trace_file.hpp"

namespace jostle::scenarios {

// Complete slices that start at the same time on one track are written longest first.
class PerfettoTrace final : public TraceFile {
 public:
  // Throws input::Refused.
  explicit PerfettoTrace(const std::string& path);

  [[nodiscard]] sim::TrackId track(std::string_view name, sim::TrackId parent = sim::TrackId::none) override;
  [[nodiscard]] sim::TrackId counter(std::string_view name, std::string_view unit,
                                     sim::TrackId parent = sim::TrackId::none) override;
  void begin(sim::TrackId track, sim::Time at, std::string_view name) override;
  void end(sim::TrackId track, sim::Time at) override;
  void slice(sim::TrackId track, sim::Time start, sim::Duration duration, std::string_view name) override;
  void count(sim::TrackId counter, sim::Time at, double value) override;

  void finish() override;

 private:
  struct Event;  // an event of a track, as written into a packet

  [[nodiscard]] sim::TrackId describe(std::string_view name, sim::TrackId parent,
                                      const std::string_view* unit);
  void write(const Event& event);
  void put(std::string_view packet);
  void flush();

  output::OutputFile file_;
  // The packet being built; a member so that its memory is reused.
  std::string packet_;
  std::string buffer_;                                       // finished packets
  std::map<std::string, std::uint64_t, std::less<>> names_;  // interned: name -> number in the file, from 1
  // Number of open slices on each track, by TrackId.
  std::vector<std::uint32_t> open_;
  sim::Time latest_;
  bool first_packet_ = true, finished_ = false;
};

}  // namespace jostle::scenarios
