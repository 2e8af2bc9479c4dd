// A timeline in a file: Perfetto's format, or Chrome's JSON if the file name ends in .json.
#pragma once

#include <memory>
#include <string>

#include "sim/trace.hpp"

namespace jostle::scenarios {

class TraceFile : public sim::TraceSink {
 public:
  // Ends the slices that are still open at the latest time seen, and moves the file to its place. An
  // interrupted run, too, leaves a trace up to that time. Throws output::WriteError. Further events are
  // discarded.
  virtual void finish() = 0;
};

// Opens a ChromeTrace for "*.json", else a PerfettoTrace. Throws input::Refused. The complete file appears at
// finish(); without that, an existing file stays.
[[nodiscard]] std::unique_ptr<TraceFile> open_trace(const std::string& path);

}  // namespace jostle::scenarios
