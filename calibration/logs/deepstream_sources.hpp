// Sources of deepstream-app that stand in a list instead of a group each.
#pragma once

#include <cstdint>

#include "calibration/logs/config_groups.hpp"

namespace jostle::calibration {

inline constexpr std::int64_t most_sources = 1024;

// Adds a group [sourceN] for each source that stands in a list: `list` of [source-list], with the keys of
// [source-attr-all], and the lines of the file that `csv-file-path` of `source` names, whose first line names
// the keys.
void expand_source_lists(ConfigGroups& app, input::Problems& problems);

}  // namespace jostle::calibration
