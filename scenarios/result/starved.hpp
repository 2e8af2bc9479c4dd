// Warnings about processes and streams that were served nothing although they could have been.
#pragma once

#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// One sentence for each, which says where most of its time went: "process 1 served nothing in 4 s: it waited
// for a core for 100 % of the time".
[[nodiscard]] std::vector<std::string> starved(const Result& result);
// Puts these sentences before the other warnings.
void warn_of_starved(Result& result);

}  // namespace jostle::scenarios
