// Split conformal prediction (Vovk, Gammerman and Shafer 2005): how wide an interval must be, from what
// intervals around held-out runs would have needed. No distribution is assumed: only that the next run is
// like these.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace jostle::analyses {

// What one held-out value needed. Values of one run are not independent: together they weigh as one.
struct Needed {
  double half_width = 0;
  std::string run;
};

// The half-width that holds the next run with 90 % probability: of n runs the ceil(0.9 (n + 1))-th smallest
// need. None for fewer than nine runs, which cannot tell. (With several values a run: the smallest that runs
// of weight 0.9 (n + 1) do not exceed; Dunn, Wasserman and Ramdas 2022.)
[[nodiscard]] std::optional<double> conformal_half_width(std::vector<Needed> needed);

// The number of different runs.
[[nodiscard]] std::size_t runs_in(const std::vector<Needed>& needed);

}  // namespace jostle::analyses
