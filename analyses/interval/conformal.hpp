// Split conformal prediction (Vovk, Gammerman and Shafer 2005): finds the width of an interval from the
// widths that held-out runs would have needed. It assumes no distribution, only that the next run is
// exchangeable with these.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace jostle::analyses {

// The half-width that one held-out value needed. Values of one run are not independent: together they weigh
// as one.
struct Needed {
  double half_width = 0;
  std::string run;
};

// The half-width that contains the next run with 90 % probability: for n runs, the ceil(0.9 (n + 1))-th
// smallest of the needed ones. None for fewer than nine runs, which are too few. (With several values per
// run: the smallest half-width that suffices for values of total weight 0.9 (n + 1); Dunn, Wasserman and
// Ramdas 2022.)
[[nodiscard]] std::optional<double> conformal_half_width(std::vector<Needed> needed);

// The number of different runs.
[[nodiscard]] std::size_t runs_in(const std::vector<Needed>& needed);

}  // namespace jostle::analyses
