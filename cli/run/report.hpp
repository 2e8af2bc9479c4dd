// A result as text: each process with its interval, the totals, and the breakdown of the time.
#pragma once

#include <string>

#include "analyses/explain/explain.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/terminal.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {

// The rest behind head_text() on a terminal. Lines of at most `width` columns if no word is longer (60 is
// always enough).
[[nodiscard]] std::string report(const scenarios::Result& result, int width, bool colour);

// The same for the head of a page: without reasons, which add_reasons() adds.
[[nodiscard]] PageWords report_words(const scenarios::Result& result);

// A sentence for each entry with processes that do not keep up.
[[nodiscard]] std::vector<PageWarning> overloads_of(const scenarios::Result& result);

// A sentence for each entry with processes that do not keep up, after an empty line; empty if all do.
[[nodiscard]] std::string overload_lines(const scenarios::Result& result, int width, bool colour);

// The room of a result that has one: "one that is 15 % slower does not keep up with detector's 30 images/s".
[[nodiscard]] std::string room_words(const scenarios::Result& result);

// The stable share of the requests of a process, rounded down: "stable up to 87 % of its requests, all else
// as it is".
[[nodiscard]] std::string stable_up_to(double share);

// A note that sharing the GPU is assumed, and which measurement would replace the assumption, after an empty
// line; empty if it is not assumed.
[[nodiscard]] std::string sharing_lines(const scenarios::Result& result, int width);

// Reports the processes that do not fit into memory on standard error; true if all fit.
bool say_who_fits(const std::string& file, const scenarios::Result& result, Terminal& terminal);

// "; 90 % of measured power within -8 % to +12 % of these": an interval of power relative to its mean; empty
// if there is none.
[[nodiscard]] std::string power_range(const scenarios::Interval& relative);

// Adds the reasons, and the best change; all other reasons go to what is folded.
void add_reasons(PageWords& words, const analyses::Explanation& explanation);

// Runs that an explanation takes, about.
inline constexpr double runs_of_explanation = 15;

// With its 90 % prediction intervals, unless it has them or they would take long. `cpu_seconds`: the expected
// time of one run. One function for the pages of `run` and `explain`, so that both print the same ranges.
// Throws RunError, Interrupted.
[[nodiscard]] scenarios::Result with_interval(const scenarios::Result& result,
                                              const scenarios::Scenario& scenario, double cpu_seconds,
                                              const scenarios::RunControl& control);

}  // namespace jostle::cli
