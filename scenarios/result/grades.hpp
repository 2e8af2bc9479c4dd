// What a prediction rests on, and how far that can be trusted: its kernel times, how processes share the
// GPU, and the board's power.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::scenarios {
struct Result;

// Best first: measured, interpolated, fitted, datasheet, assumed.
struct Grades {
  std::string kernels = "measured";
  std::optional<std::string> sharing;  // absent: nothing else is on the GPU
  std::optional<std::string> power;    // absent: the board's power is not known
};

// The lower of the two grades.
[[nodiscard]] const std::string& lower_grade(const std::string& a, const std::string& b);

// Of throughput and latency: the lower of kernels and sharing.
[[nodiscard]] std::string lowest(const Grades& grades);

// Where processes share the GPU in a way that is assumed: one sentence that says so, and which log would
// settle it. Otherwise empty.
[[nodiscard]] std::string sharing_note(const Result& result);

}  // namespace jostle::scenarios
