// The data of the HTML page of a study: every finished point as columns.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/database.hpp"
#include "cli/inputs.hpp"
#include "cli/page/html_page.hpp"
#include "cli/subcommand.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::cli {

// The best point of a study by its objectives within its constraints, or without any the one with the
// greatest throughput. Above 20,000 points without constraints it is not looked for.
struct Conclusion {
  std::string text = {};  // a line each: how many points have no p99 and why, and which is best
  std::optional<scenarios::Verdict> verdict = {};
  std::optional<std::int64_t> point = {};
  std::vector<std::int64_t> within = {};  // all points that meet the constraints
};
[[nodiscard]] Conclusion conclusion_of(const analyses::Study& study, analyses::Database& database);

// The grade of a point's first process, or of its watts; empty: not known.
[[nodiscard]] std::string grade_at(std::int64_t point, bool watts, analyses::Database& database);

// The study as question and answer. The best point is that of the conclusion, or among the points within.
[[nodiscard]] PageWords study_words(const analyses::Study& study, analyses::Database& database,
                                    const Conclusion& conclusion);

// {"study": {"dimensions": [[column, ...], ...], "sampled", "best_point", "power_limit_w"}, "points":
// {column: [value, ...]}, "cdfs": {"interval_us", metric: [a list of 101 shares or null, ...]} or null}; the
// columns are those of `results` (docs/studies.md) and further ones for the charts: execution contexts, SM
// metrics, clocks.
[[nodiscard]] nlohmann::ordered_json study_page(const analyses::Study& study, analyses::Database& database,
                                                const Conclusion& conclusion);

// The columns of the points alone.
[[nodiscard]] nlohmann::ordered_json points_page(analyses::Database& database);

// For a study that varies CPU and GPU clocks independently: the columns of the points with clocks left to the
// governors, which this function simulates. Null for any other study, and if the scenario sets clocks. Throws
// Interrupted.
[[nodiscard]] nlohmann::ordered_json governors_page(const analyses::Study& study,
                                                    analyses::Profiles& profiles, unsigned threads,
                                                    Context& context);

}  // namespace jostle::cli
