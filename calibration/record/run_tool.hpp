// Runs programs of others, with their output in files, and reads the board's sensors meanwhile.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace jostle::calibration::record {

struct Command {
  std::vector<std::string> words;  // the program, found in PATH, and its arguments
  std::filesystem::path output;    // file of standard output and standard error; empty: those of this process
};

struct Ran {
  std::vector<int>
      codes;  // exit codes, 128 + the signal that ended it; 127: the program could not be started
  double seconds = 0;
  double watts = 0;  // watts of the board in the last half, without the last 0.3 s; 0: no sensor
  bool interrupted = false, too_late = false;
};

// Runs them all at once and waits. An interruption or the limit ends all of them. `meanwhile` is called some
// ten times a second.
[[nodiscard]] Ran run_together(const std::vector<Command>& commands, double limit_s,
                               const std::atomic<bool>& interrupted, const std::function<void()>& meanwhile);

// The path of a program: as given, if it has a slash, else in PATH; empty if there is none that may be run.
[[nodiscard]] std::string program_at(const std::string& name);

}  // namespace jostle::calibration::record
