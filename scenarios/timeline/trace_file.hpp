// A timeline in a file: Perfetto's format, or Chrome's JSON if the file name ends in .json.
#pragma once

#include <memory>
#include <string>

#include "sim/trace.hpp"

namespace jostle::scenarios {

class TraceFile : public sim::TraceSink {
 public:
  // Ends the slices that are still open at the latest time seen, and puts the file in its place: after an
  // interrupted run too, a trace up to there. Throws output::WriteError. Further events are discarded.
  virtual void finish() = 0;
};

// "*.json" is a ChromeTrace, everything else a PerfettoTrace. Throws input::Refused. The file appears, whole,
// at finish(); without that, whatever was there stays.
[[nodiscard]] std::unique_ptr<TraceFile> open_trace(const std::string& path);

}  // namespace jostle::scenarios
