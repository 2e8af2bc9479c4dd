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
#include "analyses/plan/goal.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/study/columns.hpp"
#include "analyses/study/points.hpp"
#include "analyses/study/sweep.hpp"
#include "analyses/verdict/slower.hpp"
#include "cli/page/html_page.hpp"
#include "cli/query/query.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "output/json.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/board_result.hpp"
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
  std::string words, column, order;  // in the view `results`: a column, or another expression over its rows
  std::string metric;                // by the name that objectives use
};
const std::array<BestRow, 4> best_rows{
    {{"most images/s", "throughput", "DESC", "system.throughput"},
     {"least mJ/image", "energy_per_image_mj", "ASC", "system.energy_per_image_mj"},
     {"lowest p99 ms", "latency_p99_ms", "ASC", "processes.latency_ms.p99"},
     {"least W", "power_w", "ASC", "system.power_w"}}};

// A metric that the view has no column for, from the JSON result; without an index the worst process counts.
std::string metric_column(const std::string& metric, bool most) {
  const auto path = scenarios::process_path(metric);
  const std::string which = !path          ? "json_each.key = 'system'"
                            : !path->place ? "true"
                                           : fmt::format("json_each.key = {}", *path->place);
  return fmt::format(
      "(SELECT {0}(coalesce(json_extract(value, '$.{1}.mean'), json_extract(value, '$.{1}'))) FROM points p "
      "JOIN outcomes USING (key), json_each(result, '{2}') WHERE p.point = results.point AND {3})",
      most ? "min" : "max", path ? path->metric : std::string_view(metric).substr(metric.find('.') + 1),
      path ? "$.processes" : "$", which);
}

// The limits that a setting must keep to be the best: in words, and as a condition on points.
struct Within {
  std::string words, condition;
};
Within limits_of(const Study& study, const Conclusion& conclusion) {
  if (study.constraints.empty()) return {};
  const analyses::Goal goal = goal_of(study);
  std::vector<std::string> kept;
  for (std::size_t i = goal.objectives; i < goal.criteria.size(); ++i)
    if (goal.metrics[i] != analyses::headroom_metric)
      kept.push_back(analyses::criterion_words(goal.metrics[i], goal.criteria[i]));
  return {fmt::format(", with {}", fmt::join(kept, " and ")),
          fmt::format(" AND point IN ({})", fmt::join(conclusion.within, ", "))};
}

// The row that the study's first objective asks for; without one, the first.
BestRow asked_row(const Study& study) {
  if (study.objectives.empty()) return best_rows.front();
  const analyses::Objective& first = study.objectives.front();
  const auto* const row = std::ranges::find(best_rows, first.metric, &BestRow::metric);
  if (row != best_rows.end()) return *row;
  return {fmt::format("{} {}", first.maximise ? "highest" : "lowest", analyses::metric_title(first.metric)),
          metric_column(first.metric, first.maximise), first.maximise ? "DESC" : "ASC", first.metric};
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
                                                      {"count", {"processes", "", "processes"}},
                                                      {"device", {"board", "", "board"}},
                                                      {"model", {"network", "", "network"}}};
  if (const auto row = known.find(axis); row != known.end()) return row->second;
  std::ranges::replace(axis, '_', ' ');
  return {axis, "", axis};
}

// The settings that one would rather choose along one dimension, and why not: of a scale the next ones on
// either side, else the best other one.
struct Along {
  double change = 0;  // the greatest, relative to the best
  std::string words;
  std::int64_t point = -1;  // the one with this change; negative: the words tell why already
};
struct Other {
  std::string setting;
  double at = 0, value = 0, watts = 0, rate = 0, asked = 0;
  std::int64_t point = 0;
  bool keeps_up = true;
  // True if it has fewer images/s because fewer are asked for.
  [[nodiscard]] bool is_asked_less(const BestRow& row, const Other& best) const {
    return row.metric == "system.throughput" && keeps_up && asked > 0 && asked < best.asked;
  }
};
// "0.3 % more, as it takes 4.2 % more power for 3.8 % more images/s"
std::string against(const BestRow& row, const Other& best, const Other& other) {
  constexpr double noticeable = 1e-3;
  const auto moved = [](double from, double to) {
    return fmt::format("{} {}", analyses::percent_words(to / from - 1), to < from ? "less" : "more");
  };
  std::string text = moved(best.value, other.value);
  if (row.metric == "system.energy_per_image_mj" && std::abs(other.value / best.value - 1) > noticeable)
    text += fmt::format(", as it takes {} power for {} images/s", moved(best.watts, other.watts),
                        moved(best.rate, other.rate));
  const bool better = row.order == "DESC" ? other.value > best.value : other.value < best.value;
  if (!other.keeps_up) return text + "; but it does not keep up";
  if (other.is_asked_less(row, best)) return text + ", as fewer are asked for";
  return text + (better ? "; but a limit is missed" : "");
}
Along along(const BestRow& row, const std::vector<std::string>& moved, const std::vector<std::string>& axes,
            const BestPoint& best, analyses::Database& database) {
  std::string where;
  for (const std::string& axis : axes)
    if (std::ranges::find(moved, axis) == moved.end())
      where +=
          fmt::format(" AND \"{0}\" IS (SELECT \"{0}\" FROM results WHERE point = {1})", axis, best.point);
  SqlStatement rows(
      database,
      fmt::format("SELECT \"{0}\", {1}, power_w, throughput, point, stable, offered FROM results WHERE "
                  "status = 'ok' AND {1} > 0{2} ORDER BY {1} {3}, point",
                  moved.front(), row.column, where, row.order));
  std::vector<Other> others;
  std::optional<Other> here;
  bool scale = true;
  while (rows.step()) {
    const Json cell = json_cell(rows, 0);
    scale = scale && cell.is_number();
    const Other one{.setting = setting_of(rows, 0),
                    .at = scale ? cell.get<double>() : 0,
                    .value = rows.real(1),
                    .watts = rows.real(2),
                    .rate = rows.real(3),
                    .asked = rows.is_null(6) ? 0 : rows.real(6),
                    .point = rows.integer(4),
                    .keeps_up = rows.is_null(5) || rows.integer(5) != 0};
    if (one.point == best.point)
      here = one;
    else
      others.push_back(one);
  }
  if (!here || others.empty()) return {};
  if (scale) {
    std::erase_if(others, [&, all = others](const Other& far) {
      return std::ranges::any_of(all, [&](const Other& one) {
        return (one.at > here->at) == (far.at > here->at) &&
               std::abs(one.at - here->at) < std::abs(far.at - here->at);
      });
    });
  } else {
    others.resize(1);
  }
  const auto [name, unit, head] = plain_axis(moved.front());
  Along found;
  for (const Other& other : others) {
    const double change = std::abs(other.value / here->value - 1);
    found.words += found.words.empty() ? fmt::format("{} {}{} in place of {}{}: ", name, other.setting, unit,
                                                     here->setting, unit)
                                       : fmt::format("; {}{}: ", other.setting, unit);
    found.words += against(row, *here, other);
    const bool is_told = !other.keeps_up || other.is_asked_less(row, *here);
    if (!is_told && change >= found.change) found = {change, std::move(found.words), other.point};
  }
  return found;
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

// Why a point along a dimension differs from the best: a run of each. Empty: it is not told.
std::string reason(analyses::Database& database, const BestRow& row, std::int64_t best, const Along& along) {
  const auto a = scenario_of(database, best), b = scenario_of(database, along.point);
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
  std::ranges::stable_sort(all, std::greater{}, &Along::change);
  return all;
}

// A sentence for each, and why the first is one; of energy they say it themselves.
void add_changes(const std::vector<Along>& changes, const BestRow& row, const BestPoint& best,
                 analyses::Database& database, std::vector<std::string>& why) {
  for (const Along& change : changes) {
    why.push_back((why.empty() ? analyses::metric_title(row.metric) + " with " : "") + change.words);
    if (change.point < 0 || why.size() > 1 || row.metric == "system.energy_per_image_mj") continue;
    if (std::string because = reason(database, row, best.point, change); !because.empty())
      why.push_back(std::move(because));
  }
}

// The best point by each metric that some point has: its value, where it is, and what limits it there. The
// row that is asked for comes first.
Table best_points(const Study& study, const std::vector<std::string>& axes, const std::string& within,
                  const std::optional<BestPoint>& asked_best, analyses::Database& database) {
  std::vector<Column> columns{left(""), right("value")};
  for (const std::string& axis : axes)
    columns.push_back(left(plain_axis(axis).head, 50 + static_cast<int>(columns.size())));
  Table table(columns);
  std::vector<BestRow> order{asked_row(study)};
  for (const BestRow& row : best_rows)
    if (row.metric != order.front().metric) order.push_back(row);
  for (const BestRow& row : order) {
    const bool asked = &row == &order.front();
    const auto best = asked ? asked_best : best_point(row, axes, within, database);
    if (!best) continue;
    std::vector<std::string> cells{row.words, significant(best->value, 3)};
    cells.insert(cells.end(), best->settings.begin(), best->settings.end());
    table.add(std::move(cells), asked ? Style::strong : Style::plain);
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
  const scenarios::Interval computed = row.metric == "system.power_w" || row.metric == "system.throughput"
                                           ? interval_at(best.point, watts, database)
                                           : std::nullopt;
  scenarios::Metric error;
  if (computed && computed->first > 0)
    error = std::max(computed->second / best.value, best.value / computed->first) - 1;
  else
    error = scenarios::usual_error_share(grade_at(best.point, watts, database));
  const char* const kind = computed ? "computed" : "usual";
  if (!error || !(best.value > 0)) return {};
  const auto worse =
      watts ? std::optional(best.value * (1 + *error)) : if_slower(study, row, best, 1 + *error);
  if (!worse)
    return fmt::format(
        "If the model is off by its {} {:.0f} %, the best setting does not keep up with its requests: "
        "measure it before you choose it",
        kind, 100 * *error);
  const bool most = row.order == "DESC";
  const double tied = best.value * (most ? 1 - analyses::tie : 1 + analyses::tie);
  SqlStatement near(
      database, fmt::format("SELECT count(*), sum({1} {2} {5}) FROM results WHERE status = 'ok' AND point != "
                            "{0} AND {1} {2} {3}{4}",
                            best.point, row.column, most ? ">=" : "<=", *worse, within, tied));
  const std::int64_t others = near.step() ? near.integer(0) : 0;
  if (others == 0)
    return fmt::format("The best setting stays the best if the model is off by its {} {:.0f} % for it alone",
                       kind, 100 * *error);
  return fmt::format(
      "{} within the model's {} error, {:.0f} %, of the best{}: they share most of that error, but "
      "measure before you choose among them by their rank",
      others == 1 ? "1 other setting lies" : fmt::format("{} other settings lie", others), kind, 100 * *error,
      near.integer(1) > 0
          ? fmt::format(", {} of them equal to it within {:.0f} %", near.integer(1), 100 * analyses::tie)
          : "");
}

// The most frequent reasons for points without figures.
Passage problems_of(analyses::Database& database) {
  Passage passage{"what failed"};
  const auto counts = counts_of(
      database,
      "SELECT problem, count(*) FROM results WHERE status != 'ok' GROUP BY problem ORDER BY count(*) DESC");
  if (!counts.empty()) passage.lines.push_back("points without figures, by reason: " + counts_words(counts));
  return passage;
}

// The scenario of the best point in words; without one that which the axes vary, if it is one without their
// values.
PageWords scenario_words(const Study& study, const std::optional<BestPoint>& best,
                         analyses::Database& database) {
  const auto found =
      best ? scenario_of(database, best->point) : scenario_of(analyses::json_text(*study.scenario));
  if (!found) return {};
  PageWords words = page_words(scenarios::in_words(scenarios::to_json(*found)));
  const analyses::Asked asked = analyses::asked_of(
      *found, analyses::settings_json(
                  study, analyses::Points(study)[static_cast<std::uint64_t>(best ? best->point : 0)]));
  if (best)
    words.answer.push_back(
        {"", {}, {fmt::format("the best one: {}: {}", words.scenario, fmt::join(words.processes, "; "))}});
  words.scenario = asked.board;
  words.processes = {asked.networks};
  return words;
}

// An axis in the question; of boards and networks also which.
std::string varied_words(const analyses::Axis& axis, const std::string& column) {
  constexpr std::size_t most = 4;
  const PlainAxis plain = plain_axis(column);
  if (plain.name != "board" && plain.name != "network") return plain.name;
  std::vector<std::string> values;
  for (const input::Node& value : axis.values) values.push_back(input::file_name(value->text));
  if (values.size() > most) {
    values.resize(most - 1);
    values.push_back(fmt::format("{} more", axis.values.size() - values.size()));
  }
  return fmt::format("{} ({})", plain.name, fmt::join(values, ", "));
}

// `best`: the point that the study asks for within its limits; none if there is none.
PageWords words_of(const Study& study, const std::vector<std::string>& axes, const Within& within,
                   const std::optional<BestPoint>& best, analyses::Database& database) {
  PageWords words = scenario_words(study, best, database);
  std::int64_t all = 0;
  const auto status =
      counts_of(database, "SELECT status, count(*) FROM results GROUP BY status ORDER BY count(*) DESC");
  for (const auto& [name, count] : status) all += count;
  std::vector<std::string> varied;
  for (const analyses::Dimension& dimension : study.dimensions)
    for (const std::size_t axis : dimension.axes)
      if (dimension.size > 1) varied.push_back(varied_words(study.axes[axis], axes[axis]));
  const BestRow asked = asked_row(study);
  words.question = fmt::format("Which of {} of {} gives the {}{}", input::counted(all, "setting"),
                               fmt::join(varied, ", "), asked.words, within.words);
  if (best) add_changes(changes_of(study, asked, axes, *best, database), asked, *best, database, words.why);
  if (!best && !within.condition.empty())
    words.answer.push_back({"", {}, {"no setting" + within.words + " was found"}});
  if (words.answer.empty()) words.answer.emplace_back();
  words.answer.back().tables = {best_points(study, axes, within.condition, best, database)};
  if (status.size() > 1) words.missing.push_back("points: " + counts_words(status));
  words.more.push_back(problems_of(database));
  if (!best) return words;
  SqlStatement held(database, fmt::format("SELECT limited_by FROM results WHERE point = {}", best->point));
  const std::string limit = held.step() ? setting_of(held, 0) : std::string(none);
  if (limit != none && limit != "power_mode")  // a clock that is set is not held down
    words.why.push_back("at the best setting " + scenarios::limit_in_words(limit));
  if (std::string decision = rank_decision(study, asked, *best, within.condition, database);
      !decision.empty())
    words.trust.push_back(std::move(decision));
  for (const bool watts : {false, true}) {
    const std::string grade = grade_at(best->point, watts, database);
    if (grade.empty()) continue;
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

std::string grade_at(std::int64_t point, bool watts, analyses::Database& database) {
  SqlStatement rows(database, fmt::format("SELECT json_extract(result, '$.processes[0].{}') FROM points JOIN "
                                          "outcomes USING (key) WHERE point = {}",
                                          watts ? "grades.power" : "grade", point));
  return rows.step() && !rows.is_null(0) ? std::string(rows.text(0)) : std::string();
}

PageWords study_words(const Study& study, analyses::Database& database, const Conclusion& conclusion) {
  std::vector<std::string> axes;
  for (const auto& column : analyses::axis_columns(study)) axes.push_back(column.name);
  const Within within = limits_of(study, conclusion);
  const std::string where =
      conclusion.point ? fmt::format(" AND point = {}", *conclusion.point) : within.condition;
  const bool none_meets = conclusion.verdict && !conclusion.point;
  const auto best = none_meets ? std::nullopt : best_point(asked_row(study), axes, where, database);
  PageWords words = words_of(study, axes, within, best, database);
  words.verdict = conclusion.verdict;
  return words;
}

Json study_page(const Study& study, analyses::Database& database, const Conclusion& conclusion) {
  const auto columns = analyses::axis_columns(study);
  Json dimensions = Json::array();
  for (const analyses::Dimension& dimension : study.dimensions) {
    Json names = Json::array();
    for (const std::size_t axis : dimension.axes) names.push_back(columns[axis].name);
    dimensions.push_back(std::move(names));
  }
  return {{"words", words_json(study_words(study, database, conclusion))},
          {"study",
           {{"dimensions", std::move(dimensions)},
            {"sampled", study.sampling.has_value()},
            {"best_point", conclusion.point ? Json(*conclusion.point) : Json(nullptr)},
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
