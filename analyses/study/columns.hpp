// What the axes of a study are called as columns of a table.
#pragma once

#include <string>
#include <vector>

#include "analyses/study/study.hpp"

namespace jostle::analyses {

struct AxisColumn {
  std::string key;         // of the axis
  std::string name;        // "batch", "gpu_mhz": the last step of the key, or all where that is not enough
  bool is_number = false;  // the values have this one unit, which is in the name, and are shown as numbers
};

// In the order of the axes; the names differ from each other and from those of the figures.
[[nodiscard]] std::vector<AxisColumn> axis_columns(const Study& study);

}  // namespace jostle::analyses
