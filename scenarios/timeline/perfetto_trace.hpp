// Writes a timeline as a Perfetto trace: the file that ui.perfetto.dev opens.
//
// One packet an event, in the protobuf format of perfetto's protos/perfetto/trace (field numbers in the
// .cpp), times in nanoseconds, rounded down, so that slices that nest in picoseconds still nest. Names are
// stored once. A run cut short leaves a file that opens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/timeline/trace_file.hpp"

namespace jostle::scenarios {

// Slices given as a whole that start together on one track come the longest first.
class PerfettoTrace final : public TraceFile {
 public:
  // Creates the file, or empties it. Throws TraceFileError.
  explicit PerfettoTrace(const std::string& path);
  // Writes what is buffered; call finish() to hear of errors.
  ~PerfettoTrace() override;

  [[nodiscard]] sim::TrackId track(std::string_view name, sim::TrackId parent = sim::TrackId::none) override;
  [[nodiscard]] sim::TrackId counter(std::string_view name, std::string_view unit,
                                     sim::TrackId parent = sim::TrackId::none) override;
  void begin(sim::TrackId track, sim::Time at, std::string_view name) override;
  void end(sim::TrackId track, sim::Time at) override;
  void slice(sim::TrackId track, sim::Time start, sim::Duration duration, std::string_view name) override;
  void count(sim::TrackId counter, sim::Time at, double value) override;

  void finish() override;

 private:
  struct Event;  // of a track, as it is put into a packet

  [[nodiscard]] sim::TrackId describe(std::string_view name, sim::TrackId parent,
                                      const std::string_view* unit);
  void write(const Event& event);
  void put(std::string_view packet);
  void flush();

  TraceOutput file_;
  std::string packet_;                                       // the one being built; kept to keep its memory
  std::string buffer_;                                       // finished packets
  std::map<std::string, std::uint64_t, std::less<>> names_;  // interned: name -> number in the file, from 1
  std::vector<std::uint32_t> open_;                          // slices open on each track, by TrackId
  sim::Time latest_;
  bool first_packet_ = true;
};

}  // namespace jostle::scenarios
