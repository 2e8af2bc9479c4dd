// A timeline in a file: Perfetto's own format, or Chrome's JSON by the name's ending.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "sim/trace.hpp"

namespace jostle::scenarios {

// The trace could not be written; what() names the file and says why.
class TraceFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class TraceFile : public sim::TraceSink {
 public:
  // Ends the slices that are still open at the latest time seen, and closes the file. Throws TraceFileError
  // if any byte of it could not be written. What is traced afterwards is dropped.
  virtual void finish() = 0;
};

// Creates the file, or empties it: "*.json" is ChromeTrace, all else PerfettoTrace. Throws TraceFileError.
[[nodiscard]] std::unique_ptr<TraceFile> open_trace(const std::string& path);

}  // namespace jostle::scenarios
