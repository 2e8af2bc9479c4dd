// The contents of a log in the form common to all readers: a setting, and the metrics measured in it.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jostle::calibration {

// How a kernel was launched, for a kernel of a batch in order (`layer_time`); empty if the log does not say.
struct Launch {
  std::string grid, block;  // as in evidence: 4x98x1
  std::optional<std::int64_t> registers, shared_bytes;
};

// One metric: a mean over `count` samples, unless the metric's name says otherwise.
struct Measurement {
  std::string metric;  // "throughput", "gpu_time", "power_soc": see docs/calibration.md
  double value = 0;
  std::string unit;
  std::optional<double> sd = {}, median = {}, p90 = {}, p99 = {};
  std::int64_t count = 1;
  std::string of = {};  // kernel, layer, API call or part of the log; empty: the whole run
  Launch launch = {};
};

// Information in a log on how the run was made; empty if unknown.
struct Setting {
  std::string power_mode, model, precision, placement;
  std::string onnx;                      // path of the network's ONNX file, as written in the log
  std::string runtime, sync, transfers;  // named as in scenarios; transfers: empty for both
  std::string observer;                  // active profiler, which distorts the host times
  std::optional<bool> pinned;            // jetson_clocks
  std::optional<std::int64_t> batch, processes;
  std::optional<std::int64_t> input = {};  // side of the image, or number of tokens
  std::string tool;                        // "trtexec 10.3.0"
  // Properties of the machine, for comparing it with a profile.
  std::string gpu;                 // name given by its driver: "Orin"
  std::string compute_capability;  // "8.7"
  std::optional<std::int64_t> sms, cores;
  std::optional<double> memory_bytes;
};

struct Import {
  std::string format, origin;
  Setting setting = {};
  std::vector<Measurement> rows = {};
  std::vector<std::string> notes = {};  // remarks for users of the rows
};

// Mean and standard deviation of a stream of values (Welford 1962; merged after Chan et al. 1979).
struct Moments {
  std::int64_t count = 0;
  double mean = 0, squares = 0;  // squares: sum of squared distances from the mean

  void add(double value) {
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    squares += distance * (value - mean);
  }
  void add(const Moments& other) {
    if (other.count == 0) return;
    const double n = static_cast<double>(count), m = static_cast<double>(other.count);
    const double distance = other.mean - mean;
    mean += distance * m / (n + m);
    squares += other.squares + distance * distance * n * m / (n + m);
    count += other.count;
  }
  // Sample standard deviation; absent for a single value.
  [[nodiscard]] std::optional<double> sd() const {
    return count > 1 ? std::optional(std::sqrt(squares / static_cast<double>(count - 1))) : std::nullopt;
  }
};

}  // namespace jostle::calibration
