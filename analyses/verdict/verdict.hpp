// The answer to the limits or the objective of a scenario: what the run gives, how sure that is, whether the
// limits are met, and what would have to be otherwise for them to break.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/objective.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

// The processes that the number in a metric's path names: those of an entry of the scenario, or the one of
// that index in the result, as in studies.
enum class NumbersOf { entries, processes };

// AskedLimits, and the numbers in their metrics.
struct AskedLimits {
  std::vector<scenarios::Constraint> constraints;
  NumbersOf numbers = NumbersOf::entries;
};
// The scenario's constraints, or without any its objective as a constraint without a limit; empty: neither.
[[nodiscard]] AskedLimits limits_of(const scenarios::Scenario& scenario);

// Every limit against the result, one each for `min` and `max`.
[[nodiscard]] std::vector<scenarios::Judged> judged(const AskedLimits& limits,
                                                    const scenarios::Result& result);

// The same over results of several seeds: means of the values, without intervals.
[[nodiscard]] std::vector<scenarios::Judged> judged(const AskedLimits& limits,
                                                    const std::vector<scenarios::Result>& results);

// How far a value is from its limit, relative to that; negative if it misses it. `least`: as of Judged.
[[nodiscard]] double room_to(double limit, bool least, double value);

// How far boards may be from a metric, in words, with the source: "real boards differ by some 25 %, grade
// datasheet"; empty without a grade. The grade of a result is that of what the metric rests on.
[[nodiscard]] std::string usual_error_words(const std::string& grade);
[[nodiscard]] std::string grade_of_metric(const std::string& metric, const scenarios::Result& result);
// A value with its unit, to three digits; of a limit to six.
[[nodiscard]] std::string value_words(const scenarios::Judged& judged);
[[nodiscard]] std::string limit_phrase(const scenarios::Judged& judged);
// "22 to 47 ms"; "22 ms and more" without an upper end. "3 of 10 boards do not keep up, latency
// grows there".
[[nodiscard]] std::string band_words(const scenarios::Interval& pi90, const std::string& unit);
[[nodiscard]] std::string too_slow_words(const scenarios::Metric& share);
// "detector p99 32 ms (9 of 10 boards: 22 to 47), under 50: yes". `usual`: usual_error_words().
[[nodiscard]] std::string sentence_of(const scenarios::Judged& judged, const std::string& usual);

// The verdict on these limits; `all` has at least one. Its text names the limit that decides. `grade_of`: the
// grade of a metric.
using GradeOfMetric = std::function<std::string(const std::string& metric)>;
[[nodiscard]] scenarios::Verdict verdict_of(std::vector<scenarios::Judged> all,
                                            std::optional<scenarios::Breaks> breaks,
                                            const GradeOfMetric& grade_of);

// The smallest of four changes that breaks a limit which the scenario meets: more requests, slower networks,
// slower stages around them, and lower clocks of cores and GPU, each up to twice. One run of each at twice,
// then a bisection of those that may be the smallest over the values of `worse_steps` in breaks.cpp, so that
// its value is one that was run. Runs them in parallel. Throws Interrupted.
[[nodiscard]] scenarios::Breaks breaks_of(const scenarios::Scenario& scenario, const AskedLimits& limits,
                                          const scenarios::RunControl& control);
inline constexpr int runs_of_breaks = 20;

// Adds the values and answers of limits of results of other seeds to those of the run's own.
void add_draws(std::vector<scenarios::Judged>& all, const AskedLimits& limits,
               const std::vector<scenarios::Result>& others);

// Sets the room of a result of the scenario: where a process is so busy that a board may not keep up which is
// slower by the usual error, runs of slower boards (on_slower_board) tell if it does and how much slower it
// may be. Governors answer there. Throws Interrupted.
void find_room(scenarios::Result& result, const scenarios::Scenario& scenario,
               const scenarios::RunControl& control);

// The networks of a result, each entry once: "yolov8n fp16 and 2 x resnet50 int8".
[[nodiscard]] std::string networks_of(const scenarios::Result& result);

// The question of a result's run, without its question mark; `board`: the board in words. "Does
// jetson-nano, power mode 5W, keep detector p99 under 50 ms, running yolo11n int8"; without limits "How many
// images a second does yolo11n int8 get on jetson-nano, power mode 5W, and how long does one take".
[[nodiscard]] std::string question_of(const scenarios::Result& result, const std::string& board);

// Sets the verdict of a result of the scenario; with a control also what breaks limits that are met. Nothing
// without limits and an objective.
void judge(scenarios::Result& result, const scenarios::Scenario& scenario,
           const scenarios::RunControl* control = nullptr);

// Runs the scenario as run() does, on `profile` if given, and judges it. What breaks a limit that is met is
// looked for if that takes less than ten seconds (scenarios::worth_telling_s); run_with_interval() always
// looks. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<scenarios::Result> run_and_judge(const scenarios::Scenario& scenario,
                                                             const scenarios::RunControl& control,
                                                             const profiles::Profile* profile = nullptr);

}  // namespace jostle::analyses
