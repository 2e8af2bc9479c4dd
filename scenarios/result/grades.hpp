// The grades of a prediction: the quality of the data behind its kernel times, its GPU sharing and its power.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::scenarios {

struct Result;

// Grades, best first: measured, interpolated, fitted, datasheet, assumed.
struct Grades {
  std::string kernels = "measured";
  std::optional<std::string> sharing;  // absent: the process does not share the GPU
  std::optional<std::string> power;    // absent: the board's power is not modelled
};

// The lower of the two grades.
[[nodiscard]] const std::string& lower_grade(const std::string& a, const std::string& b);

// The grade of throughput and latency: the lower of kernels and sharing.
[[nodiscard]] std::string lowest(const Grades& grades);

// The lowest of all processes of a result; empty if it has none.
[[nodiscard]] std::string lowest(const Result& result);

// The meaning of a grade in a few words, as docs/profiles.md has it: "a judgement, not measured".
// Empty for a word that is no grade.
[[nodiscard]] std::string_view meaning(std::string_view grade);

// How far a measurement on a real board may be from a prediction of this grade, as docs/profiles.md has it:
// "some 25 %". "an unknown share" for a word that is no grade.
[[nodiscard]] std::string_view usual_error(std::string_view grade);

// The same as a number, 0.25; of "30 % or more", 0.3. None for a word that is no grade.
[[nodiscard]] std::optional<double> usual_error_share(std::string_view grade);

// A sentence that says that the way of sharing the GPU is assumed, and which log would settle it. Empty if it
// is not assumed.
[[nodiscard]] std::string sharing_note(const Result& result);

// The grade of the watts: the board's, so that of any process; absent if the board's power is not modelled.
[[nodiscard]] std::optional<std::string> power_grade(const Result& result);

}  // namespace jostle::scenarios
