// What the page of a study holds: every finished point as columns.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyses/study/database.hpp"
#include "cli/study_files.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

// {"study": {"dimensions": [[column, ...], ...], "sampled", "power_limit_w"}, "points": {column: [value,
// ...]}, "cdfs":
// {"interval_us", metric: [a list of 101 shares or null, ...]} or null}. The columns are those of `results`
// (docs/studies.md) and what the charts need beside: calls of the host, the SM array, clocks.
[[nodiscard]] nlohmann::ordered_json study_page(const analyses::Study& study, analyses::Database& database);

// The columns of points alone.
[[nodiscard]] nlohmann::ordered_json points_page(analyses::Database& database);

// Of a study that varies the clocks of CPU and GPU, each by itself: the columns of the points that leave them
// to the governors, simulated here. Null for any other, and where the scenario sets clocks. Throws
// Interrupted.
[[nodiscard]] nlohmann::ordered_json governors_page(const analyses::Study& study,
                                                    analyses::Profiles& profiles, unsigned threads,
                                                    Context& context);

}  // namespace jostle::cli
