// A result for people: each process with its interval, the totals, and where the time went.
#pragma once

#include <string>

#include "cli/terminal/terminal.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::cli {

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string report(const scenarios::Result& result, int width, bool colour);

// A sentence for each entry with processes that do not keep up, after an empty line; empty if all do.
[[nodiscard]] std::string overload_lines(const scenarios::Result& result, int width, bool colour);

// "stable up to 87 % of this load": `share` of the load could be served, rounded down.
[[nodiscard]] std::string stable_up_to(double share);

// That sharing the GPU is assumed, and what would settle it, after an empty line; empty where it is not.
[[nodiscard]] std::string sharing_lines(const scenarios::Result& result, int width);

// Names on standard error the processes that do not fit into memory; whether all do.
bool say_who_fits(const std::string& file, const scenarios::Result& result, Terminal& terminal);

}  // namespace jostle::cli
