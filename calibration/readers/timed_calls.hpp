// Durations of kernels, copies and API calls by name, as profilers record them by the million.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "calibration/readers/measurement.hpp"
#include "calibration/readers/moments.hpp"

namespace jostle::calibration {

// By name, up to a number of names and bytes of them; what is of further names goes under "(others)".
class TimedCalls {
 public:
  static constexpr std::size_t max_names = 20'000;
  static constexpr std::size_t max_name = 4096;  // longer names are cut
  static constexpr std::size_t max_name_bytes = std::size_t{1} << 24U;

  void add(std::string_view name, double duration_us) { of(name).add(duration_us); }
  void add(std::string_view name, const Moments& moments) { of(name).add(moments); }
  [[nodiscard]] bool empty() const { return by_name_.empty(); }
  [[nodiscard]] Moments all() const;
  // A row over all where `with_total`, then one a name, the most time in total first.
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

// "launch_call" for a CUDA call that launches kernels or graphs, else "api_call".
[[nodiscard]] std::string call_metric(std::string_view name);

// Why rows of calls are no launch cost; for the notes.
inline constexpr const char* profiled_calls =
    "calls were timed under the profiler, which slows them: no launch cost (enqueue) is taken from them";

}  // namespace jostle::calibration
