// A timeline in a file: Perfetto's format, or Chrome's JSON if the file name ends in .json.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

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
  // if not all bytes could be written. Further events are discarded.
  virtual void finish() = 0;
};

// The output file of a trace. An error is kept until close().
class TraceOutput {
 public:
  // Creates the file or truncates it. Throws TraceFileError.
  explicit TraceOutput(const std::string& path);

  void write(std::string_view bytes);
  void close();  // throws TraceFileError if any byte could not be written

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;  // null once closed
  int error_ = 0;                           // errno of the first write that failed
};

// Creates the file or truncates it: "*.json" is a ChromeTrace, everything else a PerfettoTrace. Throws
// TraceFileError.
[[nodiscard]] std::unique_ptr<TraceFile> open_trace(const std::string& path);

}  // namespace jostle::scenarios
