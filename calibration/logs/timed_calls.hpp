// Collects durations of kernels, copies and API calls by name; profilers record millions of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "calibration/logs/measurement.hpp"
#include "calibration/logs/moments.hpp"

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

}  // namespace jostle::calibration
