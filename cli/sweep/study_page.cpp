#include "cli/sweep/study_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/compare/cause.hpp"
#include "analyses/compare/compare.hpp"
#include "analyses/metrics/metric.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/study/columns.hpp"
#include "analyses/study/points.hpp"
#include "analyses/study/sweep.hpp"
#include "analyses/verdict/slower.hpp"
#include "cli/page/html_page.hpp"
#include "cli/query/query.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/counted.hpp"
#include "output/json.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

using analyses::SqlStatement;
using analyses::Study;
using Json = nlohmann::ordered_json;

constexpr std::array metrics{"sm_active", "issue_slot", "tensor_active"};

// Metrics that are not columns of the view, from the JSON result; each is the mean or maximum over several
// processes.
constexpr std::string_view details = R"(
SELECT
  (SELECT avg(json_extract(value, '$.ec_ms.launch')) FROM json_each(result, '$.processes')) AS ec_launch_ms,
  (SELECT avg(json_extract(value, '$.ec_ms.reschedule')) FROM json_each(result, '$.processes')) AS ec_reschedule_ms,
  (SELECT avg(json_extract(value, '$.ec_ms.compute')) FROM json_each(result, '$.processes')) AS ec_compute_ms,
  (SELECT avg(json_extract(value, '$.ec_ms.blocking')) FROM json_each(result, '$.processes')) AS ec_blocking_ms,
  (SELECT avg(json_extract(value, '$.sync_ms.mean')) FROM json_each(result, '$.processes')) AS sync_ms,
  (SELECT max(json_extract(value, '$.tokens.ttft_ms.p50')) FROM json_each(result, '$.processes')) AS ttft_p50_ms,
  (SELECT max(json_extract(value, '$.tokens.ttft_ms.p99')) FROM json_each(result, '$.processes')) AS ttft_p99_ms,
  (SELECT max(json_extract(value, '$.tokens.itl_ms.p50')) FROM json_each(result, '$.processes')) AS itl_p50_ms,
  (SELECT max(json_extract(value, '$.tokens.itl_ms.p99')) FROM json_each(result, '$.processes')) AS itl_p99_ms,
  (SELECT sum(json_extract(value, '$.tokens.tokens_per_s')) FROM json_each(result, '$.processes')) AS tokens_per_s,
  json_extract(result, '$.system.tokens.energy_mj.mean') AS energy_per_token_mj,
  (SELECT sum(json_extract(value, '$.tokens.weights_mb')) FROM json_each(result, '$.processes')) AS weights_mb,
  (SELECT sum(json_extract(value, '$.tokens.kv_cache_mb')) FROM json_each(result, '$.processes')) AS kv_cache_mb,
  json_extract(result, '$.system.memory.needed_mb') AS memory_needed_mb,
  json_extract(result, '$.system.memory.capacity_mb') AS memory_capacity_mb,
  json_extract(result, '$.system.gpu.sm_active') AS sm_active,
  json_extract(result, '$.system.gpu.issue_slot') AS issue_slot,
  json_extract(result, '$.system.gpu.tensor_active') AS tensor_active,
  json_extract(result, '$.system.gpu.clock_mhz') AS mean_gpu_mhz,
  json_extract(result, '$.system.cpu.clock_mhz[0]') AS mean_cpu_mhz,
  CAST(json_extract(result, '$.resolved.power_cap.budget') AS REAL) AS power_cap_w,
  json_extract(result, '$.resolved.power_mode') AS power_mode_used
FROM points JOIN outcomes USING (key) ORDER BY point)";

Json value_of(const SqlStatement& rows, int column) {
  Json value = json_cell(rows, column);
  return value.is_number() ? Json(rounded(value.get<double>())) : value;
}

void add_columns(analyses::Database& database, std::string_view sql, Json& to) {
  SqlStatement rows(database, sql);
  std::vector<Json> columns(static_cast<std::size_t>(rows.columns()), Json::array());
  while (rows.step())
    for (int i = 0; i < rows.columns(); ++i)
      columns[static_cast<std::size_t>(i)].push_back(value_of(rows, i));
  for (int i = 0; i < rows.columns(); ++i) to[rows.name(i)] = std::move(columns[static_cast<std::size_t>(i)]);
}

// The cumulative shares of a list of pairs, at 0, 1, ..., 100 %.
Json shares_of(std::string_view cdf) {
  const Json pairs = output::parsed_json_or_discarded(cdf);
  if (!pairs.is_array() || pairs.empty()) return nullptr;
  Json shares = Json::array();
  for (const Json& pair : pairs) shares.push_back(rounded(pair.at(1).get<double>()));
  return shares;
}

Json distributions(analyses::Database& database) {
  std::string sql = "SELECT json_extract(result, '$.system.gpu.metrics.interval_us')";
  for (const char* const metric : metrics)
    sql += fmt::format(", json_extract(result, '$.system.gpu.metrics.{}.cdf')", metric);
  SqlStatement rows(database, sql + " FROM points JOIN outcomes USING (key) ORDER BY point");
  Json found{{"interval_us", nullptr}};
  while (rows.step()) {
    if (!rows.is_null(0)) found["interval_us"] = rows.real(0);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const int column = static_cast<int>(i) + 1;
      found[metrics[i]].push_back(rows.is_null(column) ? Json(nullptr) : shares_of(rows.text(column)));
    }
  }
  return found["interval_us"].is_null() ? Json(nullptr) : found;
}

bool is_clock(const analyses::Axis& axis) {
  return axis.key == "clocks.cpu" || axis.key == "clocks.gpu";
}

// The study without the axes that set clocks.
Study without_clock_axes(const Study& study) {
  Study governed = study;
  governed.axes.clear();
  governed.dimensions.clear();
  governed.sampling.reset();
  governed.interval = false;
  for (const analyses::Dimension& dimension : study.dimensions) {
    analyses::Dimension kept{.axes = {}, .size = dimension.size};
    for (const std::size_t axis : dimension.axes) {
      if (is_clock(study.axes[axis])) continue;
      kept.axes.push_back(governed.axes.size());
      governed.axes.push_back(study.axes[axis]);
    }
    if (!kept.axes.empty()) governed.dimensions.push_back(std::move(kept));
  }
  return governed;
}

// True if the scenario itself fixes clocks, independently of the study's axes.
bool sets_clocks(const input::Value& scenario) {
  const input::Node clocks = scenario.find("clocks"), all = scenario.find("jetson_clocks");
  return (clocks && (clocks->find("cpu") || clocks->find("gpu"))) || (all && all->text == "true");
}

Json power_limit(const Study& study) {
  for (const analyses::Constraint& constraint : study.constraints)
    if (constraint.metric == "system.power_w" && constraint.max) return *constraint.max;
  return nullptr;
}

// The question of a study beside its axes: the best point by each of these metrics.
struct BestRow {
  const char *words, *column, *order;
  std::string_view metric;  // by the name that objectives use
};
constexpr std::array best_rows{
    BestRow{"most images/s", "throughput", "DESC", "system.throughput"},
    BestRow{"least mJ/image", "energy_per_image_mj", "ASC", "system.energy_per_image_mj"},
    BestRow{"lowest p99 ms", "latency_p99_ms", "ASC", "processes.latency_ms.p99"},
    BestRow{"least W", "power_w", "ASC", "system.power_w"}};

// The limits that a setting must keep to be the best: in words, and as a condition on columns of results.
struct Within {
  std::string words, condition;
};
Within limits_of(const Study& study) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> columns{
      {{"system.throughput", "throughput"},
       {"system.power_w", "power_w"},
       {"system.energy_per_image_mj", "energy_per_image_mj"},
       {"system.gpu.busy", "gpu_busy"},
       {"processes.throughput", "process_throughput_min"},
       {"processes.latency_ms", "latency_mean_ms"},
       {"processes.latency_ms.p50", "latency_p50_ms"},
       {"processes.latency_ms.p99", "latency_p99_ms"}}};
  std::vector<std::string> kept, left;
  Within within;
  for (const analyses::Constraint& constraint : study.constraints) {
    const auto* const column =
        std::ranges::find(columns, constraint.metric, [](const auto& row) { return row.first; });
    const auto add = [&](const std::optional<double>& limit, bool at_least) {
      if (!limit) return;
      (column == columns.end() ? left : kept)
          .push_back(analyses::criterion_words(constraint.metric, {at_least, limit}));
      if (column != columns.end())
        within.condition += fmt::format(" AND {} {} {}", column->second, at_least ? ">=" : "<=", *limit);
    };
    add(constraint.min, true);
    add(constraint.max, false);
  }
  if (!kept.empty()) within.words = fmt::format(", with {}", fmt::join(kept, " and "));
  if (!left.empty()) within.words += fmt::format(" (only the verdict looks at {})", fmt::join(left, " and "));
  return within;
}

// The row that the study's first objective asks for; without one, the first.
const BestRow& asked_row(const Study& study) {
  if (study.objectives.empty()) return best_rows.front();
  const auto* const row = std::ranges::find(best_rows, study.objectives.front().metric, &BestRow::metric);
  return row == best_rows.end() ? best_rows.front() : *row;
}

// The best point by a row: its number, value and settings; none if no point has the metric.
struct BestPoint {
  std::int64_t point = 0;
  double value = 0;
  std::vector<std::string> settings;  // one per axis
};
std::string setting_of(const SqlStatement& rows, int column) {
  const Json value = json_cell(rows, column);
  if (value.is_number()) return fmt::format("{:.6g}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.is_null() ? none : output::json_text(value);
}
std::optional<BestPoint> best_point(const BestRow& row, const std::vector<std::string>& axes,
                                    const std::string& within, analyses::Database& database) {
  std::string names;
  for (const std::string& axis : axes) names += fmt::format(", \"{}\"", axis);
  SqlStatement best(database,
                    fmt::format("SELECT point, {0}{1} FROM results WHERE status = 'ok' AND {0} IS NOT "
                                "NULL{3} ORDER BY {0} {2}, point LIMIT 1",
                                row.column, names, row.order, within));
  if (!best.step()) return std::nullopt;
  BestPoint found{best.integer(0), best.real(1), {}};
  for (int i = 2; i < best.columns(); ++i) found.settings.push_back(setting_of(best, i));
  return found;
}

// The name of an axis in a sentence, "GPU clock", the unit of its settings, and the head of its column, "GPU
// MHz".
struct PlainAxis {
  std::string name, unit, head;
};
PlainAxis plain_axis(std::string axis) {
  static const std::map<std::string, PlainAxis> known{{"gpu_mhz", {"GPU clock", " MHz", "GPU MHz"}},
                                                      {"cpu_mhz", {"CPU clock", " MHz", "CPU MHz"}},
                                                      {"emc_mhz", {"memory clock", " MHz", "memory MHz"}},
                                                      {"count", {"processes", "", "processes"}}};
  if (const auto row = known.find(axis); row != known.end()) return row->second;
  std::ranges::replace(axis, '_', ' ');
  return {axis, "", axis};
}

// The change of the metric from the best point to the worst along one dimension: "batch 1 in place of 16
// alone takes it from 1107 to 285".
struct Along {
  double ratio = 1;
  std::string words;
  std::int64_t worst = 0;  // point
};
Along along(const BestRow& row, const std::vector<std::string>& moved, const std::vector<std::string>& axes,
            const BestPoint& best, analyses::Database& database) {
  std::string where;
  for (const std::string& axis : axes)
    if (std::ranges::find(moved, axis) == moved.end())
      where +=
          fmt::format(" AND \"{0}\" IS (SELECT \"{0}\" FROM results WHERE point = {1})", axis, best.point);
  const bool most = std::string_view(row.order) == "DESC";
  SqlStatement rows(database,
                    fmt::format("SELECT \"{0}\", {1}, point FROM results WHERE status = 'ok' AND {1} IS NOT "
                                "NULL{2} ORDER BY {1} {3}, point LIMIT 1",
                                moved.front(), row.column, where, most ? "ASC" : "DESC"));
  if (!rows.step()) return {};
  const double worst = rows.real(1), low = std::min(worst, best.value), high = std::max(worst, best.value);
  const std::string there = setting_of(rows, 0);
  const std::string& here =
      best.settings[static_cast<std::size_t>(std::ranges::find(axes, moved.front()) - axes.begin())];
  if (there == here || !(low > 0)) return {};
  const auto [name, unit, head] = plain_axis(moved.front());
  return {high / low,
          fmt::format("{} {}{} in place of {}{} alone takes it from {} to {}", name, there, unit, here, unit,
                      significant(best.value, 3), significant(worst, 3)),
          rows.integer(2)};
}

// The scenario of a text; none if the loader refuses it.
std::optional<scenarios::Scenario> scenario_of(const std::string& text) {
  const std::string origin = "-", directory;
  input::Problems ignored;
  return scenarios::parse_scenario({text, origin, directory}, scenarios::shipped_catalogue(), {}, ignored);
}

// The scenario of a point that ran, as its result has it.
std::optional<scenarios::Scenario> scenario_of(analyses::Database& database, std::int64_t point) {
  SqlStatement rows(database,
                    fmt::format("SELECT json_extract(result, '$.resolved') FROM points JOIN outcomes "
                                "USING (key) WHERE point = {}",
                                point));
  if (!rows.step() || rows.is_null(0)) return std::nullopt;
  return scenario_of(std::string(rows.text(0)));
}

// Why the worst point along a dimension differs from the best: a run of each. Empty: it is not told.
std::string reason(analyses::Database& database, const BestRow& row, std::int64_t best, const Along& along) {
  const auto a = scenario_of(database, best), b = scenario_of(database, along.worst);
  if (!a || !b) return {};
  try {
    const auto compared = analyses::compare(*a, *b, {.most = 1}, {});
    return fmt::format(
        "{}", fmt::join(analyses::causes_for(row.metric, compared, {"the best setting", "it"}), "; "));
  } catch (const scenarios::RunError&) {
    return {};  // a profile of one's own that lies elsewhere now
  }
}

// The effects of the axes around the best point, the greatest change first.
std::vector<Along> changes_of(const Study& study, const BestRow& row, const std::vector<std::string>& axes,
                              const BestPoint& best, analyses::Database& database) {
  std::vector<Along> all;
  for (const analyses::Dimension& dimension : study.dimensions) {
    std::vector<std::string> moved;
    for (const std::size_t axis : dimension.axes) moved.push_back(axes[axis]);
    if (moved.empty() || dimension.size < 2) continue;
    if (Along found = along(row, moved, axes, best, database); !found.words.empty())
      all.push_back(std::move(found));
  }
  std::ranges::stable_sort(all, std::greater{}, &Along::ratio);
  return all;
}

// The three greatest of these effects, and why the first is one.
void add_changes(const std::vector<Along>& changes, const BestRow& row, const BestPoint& best,
                 analyses::Database& database, std::vector<std::string>& why) {
  constexpr std::size_t most = 3;
  if (changes.empty()) return;
  const std::string because = reason(database, row, best.point, changes.front());
  why.push_back("from the best setting, " + changes.front().words + (because.empty() ? "" : ": " + because));
  std::vector<std::string> others;
  for (std::size_t i = 1; i < std::min(changes.size(), most); ++i) others.push_back(changes[i].words);
  if (!others.empty()) why.push_back(fmt::format("and {}", fmt::join(others, "; ")));
}

// The best point by each metric that some point has: its value, where it is, and what limits it there. The
// row that is asked for comes first.
Table best_points(const Study& study, const std::vector<std::string>& axes, const std::string& within,
                  analyses::Database& database) {
  std::vector<Column> columns{left(""), right("value")};
  for (const std::string& axis : axes)
    columns.push_back(left(plain_axis(axis).head, 50 + static_cast<int>(columns.size())));
  columns.push_back(left("limited by", 40));
  Table table(columns);
  const BestRow& asked = asked_row(study);
  std::vector<const BestRow*> order{&asked};
  for (const BestRow& row : best_rows)
    if (&row != &asked) order.push_back(&row);
  for (const BestRow* const row : order) {
    const auto best = best_point(*row, axes, within, database);
    if (!best) continue;
    std::vector<std::string> cells{row->words, significant(best->value, 3)};
    cells.insert(cells.end(), best->settings.begin(), best->settings.end());
    SqlStatement limit(database, fmt::format("SELECT limited_by FROM results WHERE point = {}", best->point));
    cells.push_back(limit.step() ? setting_of(limit, 0) : none);
    table.add(std::move(cells), row == &asked ? Style::strong : Style::plain);
  }
  return table;
}

std::vector<std::pair<std::string, std::int64_t>> counts_of(analyses::Database& database, const char* sql) {
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (SqlStatement rows(database, sql); rows.step();)
    found.emplace_back(rows.is_null(0) ? "" : std::string(rows.text(0)),
                       static_cast<std::int64_t>(rows.real(1)));
  return found;
}

// "resnet50 101, yolov8n 20" of pairs; at most three.
std::string counts_words(const std::vector<std::pair<std::string, std::int64_t>>& counts) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(counts.size(), 3); ++i) {
    std::string name = counts[i].first.empty() ? "not known" : counts[i].first;
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, counts[i].second);
  }
  return text;
}

// The metric of the best setting on a board whose times are `factor` times as long; none: it does not keep
// up.
std::optional<double> if_slower(const Study& study, const BestRow& row, const BestPoint& best,
                                double factor) {
  input::Problems problems;
  const auto scenario = scenario_at(study, analyses::Points(study)[static_cast<std::uint64_t>(best.point)],
                                    scenarios::shipped_catalogue(), problems);
  if (!scenario) throw scenarios::RunError(problems.text());
  scenarios::RunControl control;
  control.every_percentile = true;
  const analyses::ResultMetrics slower(*run(analyses::on_slower_board(*scenario, factor), control));
  const std::string metric(row.metric);
  const auto value = slower.find(metric, analyses::Worst::greatest);
  if (!value || slower.overloaded()) return std::nullopt;
  return analyses::in_scenario_time(metric, *value, factor);
}

// The prediction interval of the total images/s of a point, or of its watts, if the study has computed it.
scenarios::Interval interval_at(std::int64_t point, bool watts, analyses::Database& database) {
  SqlStatement rows(
      database, fmt::format("SELECT {} FROM results WHERE point = {}",
                            watts ? "power_low_w, power_high_w" : "throughput_low, throughput_high", point));
  if (!rows.step() || rows.is_null(0) || rows.is_null(1)) return std::nullopt;
  return std::pair(rows.real(0), rows.real(1));
}

// How many settings the model's error could put in front of the best: the computed error if there is one,
// else the usual one. Empty without a grade.
std::string rank_decision(const Study& study, const BestRow& row, const BestPoint& best,
                          const std::string& within, analyses::Database& database) {
  const bool watts = row.metric == "system.power_w" || row.metric == "system.energy_per_image_mj";
  SqlStatement graded(database,
                      fmt::format("SELECT json_extract(result, '$.processes[0].{}') FROM points JOIN "
                                  "outcomes USING (key) WHERE point = {}",
                                  watts ? "grades.power" : "grade", best.point));
  const scenarios::Interval computed = row.metric == "system.power_w" || row.metric == "system.throughput"
                                           ? interval_at(best.point, watts, database)
                                           : std::nullopt;
  scenarios::Metric error;
  if (computed && computed->first > 0)
    error = std::max(computed->second / best.value, best.value / computed->first) - 1;
  else if (graded.step() && !graded.is_null(0))
    error = scenarios::usual_error_share(std::string(graded.text(0)));
  const char* const kind = computed ? "computed" : "usual";
  if (!error || !(best.value > 0)) return {};
  const auto worse =
      watts ? std::optional(best.value * (1 + *error)) : if_slower(study, row, best, 1 + *error);
  if (!worse)
    return fmt::format(
        "If the model is off by its {} {:.0f} %, the best setting does not keep up with its requests: "
        "measure it before you choose it",
        kind, 100 * *error);
  const bool most = std::string_view(row.order) == "DESC";
  SqlStatement near(
      database, fmt::format("SELECT count(*) FROM results WHERE status = 'ok' AND point != {} AND {} {} {}{}",
                            best.point, row.column, most ? ">=" : "<=", *worse, within));
  const std::int64_t others = near.step() ? near.integer(0) : 0;
  if (others == 0)
    return fmt::format("The best setting stays the best if the model is off by its {} {:.0f} % for it alone",
                       kind, 100 * *error);
  return fmt::format(
      "{} within the model's {} error, {:.0f} %, of the best: they share most of that error, but "
      "measure before you choose among them by their rank",
      others == 1 ? "1 other setting lies" : fmt::format("{} other settings lie", others), kind,
      100 * *error);
}

// "At the best setting the power mode holds the clocks down".
std::string limit_words(const BestPoint& best, analyses::Database& database) {
  SqlStatement rows(database, fmt::format("SELECT limited_by FROM results WHERE point = {}", best.point));
  std::string limit = rows.step() ? setting_of(rows, 0) : std::string(none);
  if (limit == none) return {};
  std::ranges::replace(limit, '_', ' ');
  return limit == "none" ? "at the best setting nothing holds the clocks down"
                         : fmt::format("at the best setting the clocks are held down by: {}", limit);
}

// The limits that held clocks down in all settings, and the most frequent reasons for points without figures.
Passage limits_and_problems(analyses::Database& database) {
  Passage passage{"what held clocks down, and what failed"};
  const auto add = [&](const char* words, const char* sql) {
    if (const auto counts = counts_of(database, sql); !counts.empty())
      passage.lines.push_back(words + counts_words(counts));
  };
  add("settings by what held their clocks down: ",
      "SELECT limited_by, count(*) FROM results WHERE status = 'ok' GROUP BY limited_by ORDER BY count(*) "
      "DESC");
  add("points without figures, by reason: ",
      "SELECT problem, count(*) FROM results WHERE status != 'ok' GROUP BY problem ORDER BY count(*) DESC");
  return passage;
}

// The scenario that the axes vary, in words; empty if it is none without their values.
PageWords varied_words(const Study& study) {
  const auto base = scenario_of(analyses::json_text(*study.scenario));
  if (!base) return {};
  PageWords words = page_words(scenarios::in_words(scenarios::to_json(*base)));
  words.scenario = "varied from: " + words.scenario;
  return words;
}

// `best`: the point that the study asks for within its limits; none if there is none.
PageWords study_words(const Study& study, const std::vector<std::string>& axes, const Within& within,
                      const std::optional<BestPoint>& best, analyses::Database& database) {
  PageWords words = varied_words(study);
  std::int64_t all = 0;
  const auto status =
      counts_of(database, "SELECT status, count(*) FROM results GROUP BY status ORDER BY count(*) DESC");
  for (const auto& [name, count] : status) all += count;
  std::vector<std::string> varied;
  for (const analyses::Dimension& dimension : study.dimensions)
    for (const std::size_t axis : dimension.axes)
      if (dimension.size > 1) varied.push_back(plain_axis(axes[axis]).name);
  const BestRow& asked = asked_row(study);
  words.question = fmt::format("Which of {} of {} gives the {}{}", input::counted(all, "setting"),
                               fmt::join(varied, ", "), asked.words, within.words);
  if (best) add_changes(changes_of(study, asked, axes, *best, database), asked, *best, database, words.why);
  if (!best && !within.condition.empty())
    words.answer.push_back({"", {}, {"no setting" + within.words + " was found"}});
  words.answer.push_back({"", {best_points(study, axes, within.condition, database)}});
  if (status.size() > 1) words.missing.push_back("points: " + counts_words(status));
  words.more.push_back(limits_and_problems(database));
  if (!best) return words;
  if (std::string limit = limit_words(*best, database); !limit.empty()) words.why.push_back(std::move(limit));
  if (std::string decision = rank_decision(study, asked, *best, within.condition, database);
      !decision.empty())
    words.trust.push_back(std::move(decision));
  for (const bool watts : {false, true}) {
    SqlStatement rows(database,
                      fmt::format("SELECT json_extract(result, '$.processes[0].{}') FROM points JOIN "
                                  "outcomes USING (key) WHERE point = {}",
                                  watts ? "grades.power" : "grade", best->point));
    if (!rows.step() || rows.is_null(0)) continue;
    const std::string grade(rows.text(0));
    if (const auto pi90 = interval_at(best->point, watts, database))
      words.trust.push_back(
          grade_sentence(watts ? "Power" : "Throughput", grade,
                         fmt::format("{} to {} {}", significant(pi90->first, 3), significant(pi90->second, 3),
                                     watts ? "W" : "images/s")));
    else
      words.trust.push_back(grade_sentence(watts ? "Power and energy" : "Throughput and latency", grade));
  }
  return words;
}

}  // namespace

Json points_page(analyses::Database& database) {
  Json points = Json::object();
  add_columns(database, "SELECT * FROM results", points);
  add_columns(database, details, points);
  return points;
}

Json study_page(const Study& study, analyses::Database& database, const Conclusion& conclusion) {
  const auto columns = analyses::axis_columns(study);
  Json dimensions = Json::array();
  for (const analyses::Dimension& dimension : study.dimensions) {
    Json names = Json::array();
    for (const std::size_t axis : dimension.axes) names.push_back(columns[axis].name);
    dimensions.push_back(std::move(names));
  }
  std::vector<std::string> axes;
  for (const auto& column : columns) axes.push_back(column.name);
  const Within within = limits_of(study);
  const BestRow& asked = asked_row(study);
  const bool is_the_objective = study.objectives.empty() || study.objectives.front().metric == asked.metric;
  const std::string where = conclusion.point && is_the_objective
                                ? fmt::format(" AND point = {}", *conclusion.point)
                                : within.condition;
  const bool none_meets = conclusion.verdict && !conclusion.point;
  const auto best = none_meets ? std::nullopt : best_point(asked, axes, where, database);
  PageWords words = study_words(study, axes, within, best, database);
  words.verdict = conclusion.verdict;
  return {{"words", words_json(words)},
          {"study",
           {{"dimensions", std::move(dimensions)},
            {"sampled", study.sampling.has_value()},
            {"best_point", best ? Json(best->point) : Json(nullptr)},
            {"power_limit_w", power_limit(study)}}},
          {"points", points_page(database)},
          {"cdfs", distributions(database)}};
}

Json governors_page(const Study& study, analyses::Profiles& profiles, unsigned threads, Context& context) {
  constexpr std::size_t max_governed_points = 1000;  // keeps the extra cost low
  const auto clocks = std::ranges::count_if(study.dimensions, [&](const analyses::Dimension& dimension) {
    return dimension.axes.size() == 1 && is_clock(study.axes[dimension.axes.front()]);
  });
  if (clocks < 2 || sets_clocks(*study.scenario)) return nullptr;
  const Study governed = without_clock_axes(study);
  std::size_t count = 1;
  for (const analyses::Dimension& dimension : governed.dimensions) count *= dimension.size;
  if (count > max_governed_points) return nullptr;
  input::Problems problems;
  const auto checked = analyses::check_points(governed, profiles, threads, &context.interrupted, problems);
  if (!checked) return nullptr;
  analyses::Store store("");
  store.begin(governed, *checked);
  analyses::SweepControl control;
  control.threads = threads;
  control.interrupt = &context.interrupted;
  if (analyses::sweep({governed, *checked, profiles, store}, control).interrupted)
    throw scenarios::Interrupted();
  return points_page(store.database());
}

}  // namespace jostle::cli
