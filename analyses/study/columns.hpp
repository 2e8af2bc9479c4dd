// Column names for the axes of a study.
#pragma once

#include <string>
#include <vector>

#include "analyses/study/study.hpp"

namespace jostle::analyses {

struct AxisColumn {
  std::string key;         // key of the axis
  std::string name;        // "batch", "gpu_mhz": the last step of the key, or the whole key if ambiguous
  bool is_number = false;  // the values have one unit, which is part of the name, and are shown as numbers
};

// The column for a key and a name from axis_columns().
[[nodiscard]] AxisColumn axis_column(std::string key, std::string name);

// The columns in the order of the axes. Names differ from each other and from those of the metrics.
[[nodiscard]] std::vector<AxisColumn> axis_columns(const Study& study);

}  // namespace jostle::analyses
