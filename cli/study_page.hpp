// What the page of a study holds: every finished point as columns.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/studies.hpp"
#include "cli/subcommand.hpp"
#include "scenarios/study/database.hpp"

namespace jostle::cli {

// {"study": {"dimensions": [[column, ...], ...], "sampled", "power_limit_w"}, "points": {column: [value,
// ...]}, "cdfs":
// {"interval_us", metric: [a list of 101 shares or null, ...]} or null}. The columns are those of `results`
// (docs/studies.md) and what the charts need beside: calls of the host, the SM array, clocks.
[[nodiscard]] nlohmann::ordered_json study_page(const scenarios::Study& study, scenarios::Database& database);

// The columns of points alone.
[[nodiscard]] nlohmann::ordered_json points_page(scenarios::Database& database);

// Of a study that varies the clocks of CPU and GPU, each by itself: the columns of the points that leave them
// to the governors, simulated here. Null for any other, and where the scenario sets clocks. Throws
// Interrupted.
[[nodiscard]] nlohmann::ordered_json governors_page(const scenarios::Study& study,
                                                    scenarios::Profiles& profiles, unsigned threads,
                                                    Context& context);

}  // namespace jostle::cli
