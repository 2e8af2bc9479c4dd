// What a log of a tool says, in the form all readers share: a setting and figures measured in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jostle::calibration {

// One figure: a mean over `count` samples unless the metric's name says otherwise.
struct Measurement {
  std::string metric;  // "throughput", "gpu_time", "power_soc": see docs/calibration.md
  double value = 0;
  std::string unit;
  std::optional<double> sd, median, p90, p99;
  std::int64_t count = 1;
  std::string of;  // the kernel, layer, API call or part of the log; empty: the run
};

// What a log tells of how the run was made; empty where it does not.
struct Setting {
  std::string power_mode, model, precision, placement;
  std::string runtime, sync;  // in the words of scenarios
  std::string observer;  // the profiler that was on: what it times of the host is not what runs without it
  std::optional<bool> pinned;  // jetson_clocks
  std::optional<std::int64_t> batch, processes;
  std::string tool;  // "trtexec 10.3.0"
  // Of the machine, for comparing it with a profile.
  std::string gpu;                 // as its driver names it: "Orin"
  std::string compute_capability;  // "8.7"
  std::optional<std::int64_t> sms, cores;
  std::optional<double> memory_bytes;
};

struct Import {
  std::string format, origin;
  Setting setting;
  std::vector<Measurement> rows;
  std::vector<std::string> notes;  // what a user of the rows must know
};

}  // namespace jostle::calibration
