// Collects durations of kernels, copies and API calls by name; profilers record millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

// Collects durations by name, up to a limit of names and of their bytes. Further names are combined as
// "(others)".
class TimedCalls {
 public:
  static constexpr std::size_t max_names = 20'000;
  static constexpr std::size_t max_name = 4096;  // longer names are truncated
  static constexpr std::size_t max_name_bytes = std::size_t{1} << 24U;

  void add(std::string_view name, double duration_us) { of(name).add(duration_us); }
  void add(std::string_view name, const Moments& moments) { of(name).add(moments); }
  [[nodiscard]] bool empty() const { return by_name_.empty(); }
  [[nodiscard]] Moments all() const;
  // Adds a row over all names if `with_total`, then one row per name, the largest total time first.
  void rows(const std::string& metric, bool with_total, std::vector<Measurement>& rows) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  Moments& of(std::string_view name);

  std::unordered_map<std::string, Moments, Hash, std::equal_to<>> by_name_;
  std::size_t name_bytes_ = 0;
};

// The metric of a CUDA call: "launch_call" if it launches kernels or graphs, else "api_call".
[[nodiscard]] std::string call_metric(std::string_view name);

// Note on why rows of calls are not used as launch costs.
inline constexpr const char* profiled_calls =
    "calls were timed under the profiler, which slows them, so they are not used as launch cost (enqueue)";

// Pairs the start of a call with the start of the kernel that it launched, in whichever order the profile
// contains them.
class LaunchPairs {
 public:
  // The limit on entries whose counterpart has not been read yet.
  static constexpr std::size_t max_waiting = std::size_t{1} << 17U;

  // `id` is the correlation id of both, `start` is in µs.
  void call(std::uint64_t id, double start) { match(id, start, calls_, kernels_, 1); }
  void kernel(std::uint64_t id, double start) { match(id, start, kernels_, calls_, -1); }

  // Adds the time from the start of the call to the start of the kernel, including the time that the kernel
  // waits for kernels launched earlier.
  void rows(Import& result) const {
    if (delay_.count > 0) {
      result.rows.push_back({.metric = "launch_to_start",
                             .value = delay_.mean,
                             .unit = "us",
                             .sd = delay_.sd(),
                             .count = delay_.count});
    }
    if (gave_up_)
      result.notes.emplace_back(
          "kernels are far from their launches in the file: launch_to_start covers only some of them");
  }

 private:
  using Waiting = std::unordered_map<std::uint64_t, double>;

  void match(std::uint64_t id, double start, Waiting& own, Waiting& others, double sign) {
    if (const auto found = others.find(id); found != others.end()) {
      delay_.add(sign * (found->second - start));
      others.erase(found);
      return;
    }
    if (own.size() >= max_waiting) {
      own.clear();
      gave_up_ = true;
    }
    own.emplace(id, start);
  }

  Waiting calls_, kernels_;
  Moments delay_;
  bool gave_up_ = false;
};

// The longest stretch at the beginning or the end of `names` in which a sequence of `period` of them repeats
// at least twice; empty unless that is at least half of them.
struct RepeatedStretch {
  std::size_t first = 0, length = 0, period = 0;
  [[nodiscard]] bool whole() const { return period > 0 && length % period == 0; }
};
[[nodiscard]] RepeatedStretch repeated_stretch(const std::vector<std::int64_t>& names);

class RepeatedKernels {
 public:
  // Adds a kernel. Call in the order of their start; times are in ns.
  void add(std::int64_t name, std::int64_t start, double duration);

  // The kernels of one batch, as mean times over the batches of the second half of the trace (the first half
  // includes the warm-up); the batch begins after the longest pause. Each is a `layer_time` in us of the
  // kernel `name`, which is still an id, so `of` is empty. Empty if no sequence of kernels repeats at least
  // three times without interruption: other work is between them, or the batches are launched as graphs.
  struct Kernel {
    std::int64_t name;
    Measurement time;
  };
  [[nodiscard]] std::vector<Kernel> batch() const;

  // The same for a trace of a few batches: from the longest stretch at the beginning or the end of the trace
  // in which a sequence repeats at least twice, if that is at least half of the trace. Times are medians. A
  // batch begins with the first kernel of a stretch of whole batches, else after the longest pause.
  [[nodiscard]] std::vector<Kernel> batch_of_few() const;

 private:
  struct One {
    std::int64_t name, start;
    double duration;
  };
  [[nodiscard]] static std::vector<std::int64_t> names_of(std::span<const One> ones);
  [[nodiscard]] static std::vector<Kernel> in_order(std::span<const One> ones, std::size_t period,
                                                    bool whole);

  std::vector<One> kernels_;  // the most recent kernels
};

}  // namespace jostle::calibration
