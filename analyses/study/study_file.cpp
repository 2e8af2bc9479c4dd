#include "analyses/study/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "input/printable.hpp"
#include "input/problems.hpp"
#include "output/json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

constexpr int application = 0x6a6f7374;  // "jost"
constexpr int newest_format = 1;         // user_version; 0 in files of version 0.1

struct NamedTable {
  const char* name;
  std::string sql;
};

std::vector<NamedTable> tables() {
  std::string metrics;
  for (const MainMetric& metric : main_metrics()) metrics += fmt::format(" {} REAL,", metric.column);
  return {
      {"study", "CREATE TABLE study(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"},
      {"points", "CREATE TABLE points(point INTEGER PRIMARY KEY, key TEXT NOT NULL, settings TEXT NOT NULL)"},
      {"outcomes",
       fmt::format("CREATE TABLE outcomes(key TEXT PRIMARY KEY, status TEXT NOT NULL, problem TEXT,{}"
                   " limited_by TEXT, stop TEXT, result TEXT)",
                   metrics)}};
}

std::string quoted(const std::string& text, char with) {
  std::string result(1, with);
  for (const char c : text) result += c == with ? std::string(2, c) : std::string(1, c);
  return result + with;
}

std::string view(const char* name, const std::vector<AxisColumn>& axes) {
  std::string columns = "point, status";
  for (const AxisColumn& axis : axes) {
    const std::string value =
        fmt::format("json_extract(settings, {})", quoted(fmt::format("$.\"{}\"", axis.key), '\''));
    columns += fmt::format(", {} AS {}", axis.is_number ? fmt::format("CAST({} AS REAL)", value) : value,
                           quoted(axis.name, '"'));
  }
  for (const MainMetric& metric : main_metrics()) columns += fmt::format(", {}", metric.column);
  const auto of_processes = [](const char* expression, const char* column) {
    return fmt::format(
        ", CASE WHEN json_valid(result) THEN (SELECT {} FROM json_each(result, '$.processes')) END AS {}",
        expression, column);
  };
  columns += of_processes("min(json_extract(value, '$.stable'))", "stable");
  columns += of_processes("sum(json_extract(value, '$.offered.mean'))", "offered");
  columns += of_processes("max(json_extract(value, '$.grades.power'))", "power_grade");
  return fmt::format(
      "CREATE {} AS SELECT {}, limited_by, stop, problem FROM points JOIN outcomes USING (key)"
      " ORDER BY point",
      name, columns);
}

[[noreturn]] void refuse(const Database& database, std::string_view why) {
  throw input::Refused(fmt::format("{}: {}", input::printable(database.path(), 400), why));
}

std::optional<std::string> recorded(Database& database, std::string_view name) {
  SqlStatement row(database, "SELECT value FROM study WHERE name = ?1");
  row.bind(1, name);
  return row.step() ? std::optional(std::string(row.text(0))) : std::nullopt;
}

bool is_column_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

void create_tables(Database& database) {
  for (const NamedTable& table : tables()) database.execute(table.sql);
  database.execute(fmt::format("PRAGMA application_id = {}", application));
  database.execute(fmt::format("PRAGMA user_version = {}", newest_format));
}

void check_study_file(Database& database) {
  if (database.number("PRAGMA application_id") != application) refuse(database, "not a study file");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version > newest_format)
    refuse(database, fmt::format("written by a newer version of jostle (format {}; this one knows {})",
                                 version, newest_format));
  SqlStatement stored(database, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1");
  for (const NamedTable& table : tables()) {
    stored.bind(1, std::string_view(table.name));
    const bool same = stored.step() && stored.text(0) == table.sql;
    stored.reset();
    if (!same)
      refuse(database, fmt::format("not a study file of this version (table {} differs)", table.name));
  }
  const auto format = recorded(database, "format");
  if (format && *format != study_format)
    refuse(database, fmt::format("written by another version of jostle (format {}; this one knows {})",
                                 input::printable(*format), study_format));
}

void check_undamaged(Database& database) {
  SqlStatement check(database, "PRAGMA quick_check(1)");
  const std::string found = check.step() ? std::string(check.text(0)) : "no answer";
  if (found != "ok") refuse(database, fmt::format("the file is damaged: {}", input::printable(found, 200)));
}

void store_view(Database& database, const std::vector<AxisColumn>& axes) {
  database.execute("DROP VIEW IF EXISTS main.results");
  database.execute(view("VIEW main.results", axes));
}

void use_view(Database& database, const std::vector<AxisColumn>& axes) {
  database.execute("DROP VIEW IF EXISTS temp.results");
  database.execute(view("TEMP VIEW results", axes));
}

std::vector<AxisColumn> axes_in(Database& database) {
  const auto text = recorded(database, "columns");
  if (!text) return {};  // no sweep has begun in this file
  const Json columns = output::parsed_json_or_discarded(*text);
  std::vector<AxisColumn> axes;
  if (!columns.is_object()) refuse(database, "the file is damaged: its columns cannot be read");
  for (const auto& [key, name] : columns.items()) {
    if (!name.is_string() || !is_column_name(name.get<std::string>()))
      refuse(database, "the file is damaged: a column has no valid name");
    axes.push_back(axis_column(key, name.get<std::string>()));
  }
  return axes;
}

Database read_study(const std::string& path) {
  Database database(path, Access::read);
  check_study_file(database);
  use_view(database, axes_in(database));
  return database;
}

Record record_in(Database& database) {
  Record record;
  SqlStatement rows(database, "SELECT name, value FROM study ORDER BY name");
  while (rows.step()) record.emplace_back(rows.text(0), rows.text(1));
  return record;
}

std::string outcome_columns() {
  std::string columns = "key, status, problem, ";
  for (const MainMetric& metric : main_metrics()) columns += fmt::format("{}, ", metric.column);
  return columns + "limited_by, stop, result";
}

std::string key_in(const SqlStatement& row) {
  return std::string(row.text(0));
}

namespace {

// The path of the first key of `whole` that `has` lacks; empty if it has all. A null in `whole` matches
// anything, and the first entry of a list in `whole` stands for every entry.
std::string lacking(const Json& has, const Json& whole) {
  if (whole.is_array() && !whole.empty()) {
    if (!has.is_array() || has.empty()) return "0";
    for (std::size_t i = 0; i < has.size(); ++i)
      if (const std::string key = lacking(has[i], whole.front()); !key.empty())
        return fmt::format("{}.{}", i, key);
    return {};
  }
  if (!whole.is_object()) return {};
  for (const auto& [key, value] : whole.items()) {
    const auto found = has.find(key);  // end() if `has` is not an object
    if (found == has.end()) return key;
    if (const std::string below = lacking(*found, value); !below.empty())
      return fmt::format("{}.{}", key, below);
  }
  return {};
}

// A result with the keys that every result has.
const Json& plain_result() {
  static const Json whole = [] {
    scenarios::Result result;
    result.processes.emplace_back();
    return output::parsed_json(to_json(result));
  }();
  return whole;
}

std::string problem_of(const Outcome& outcome, WrittenBy by) {
  const bool has_result = outcome.status == PointStatus::ok || outcome.status == PointStatus::infeasible;
  if (!has_result && outcome.result.empty()) return {};
  const Json result = output::parsed_json_or_discarded(outcome.result);
  if (!result.is_object()) return "its result is no JSON object";
  if (!has_result || by == WrittenBy::any_version) return {};
  const std::string key = lacking(result, plain_result());
  if (!key.empty()) return fmt::format("its result has no key '{}'", key);
  const bool ok = result["status"] == "ok";
  if (ok != (outcome.status == PointStatus::ok)) return "its status is not that of its result";
  return {};
}

}  // namespace

WrittenBy writer_of(Database& database) {
  return recorded(database, "version") == JOSTLE_VERSION ? WrittenBy::this_version : WrittenBy::any_version;
}

std::optional<Outcome> outcome_in(const SqlStatement& row, WrittenBy by, std::string& problem) {
  int column = 1;  // the column after the key
  const auto text = [&] {
    const int at = column++;
    return row.is_null(at) ? std::string() : std::string(row.text(at));
  };
  Outcome outcome;
  const std::string status = text();
  outcome.status = status_named(status);
  problem = status == to_string(outcome.status) ? "" : "its status has no meaning";
  outcome.problem = text();
  for (scenarios::Metric& metric : outcome.metrics) {
    if (!row.is_null(column) && !row.is_number(column)) problem = "a metric is no number";
    if (!row.is_null(column)) metric = row.real(column);
    ++column;
  }
  outcome.limited_by = text();
  outcome.stop = text();
  outcome.result = text();
  if (problem.empty()) problem = problem_of(outcome, by);
  return problem.empty() ? std::optional(std::move(outcome)) : std::nullopt;
}

std::unordered_set<std::string> finished(Database& database) {
  std::unordered_set<std::string> keys;
  SqlStatement rows(database, "SELECT key FROM outcomes");
  while (rows.step()) keys.emplace(rows.text(0));
  return keys;
}

Damage drop_damaged(Database& database) {
  const WrittenBy by = writer_of(database);
  std::vector<std::int64_t> damaged;  // row numbers: a damaged key may not be found by its text
  Damage damage;
  SqlStatement rows(database, fmt::format("SELECT {}, rowid, key IN (SELECT key FROM points) FROM outcomes",
                                          outcome_columns()));
  while (rows.step()) {
    const bool of_a_point = rows.integer(rows.columns() - 1) != 0;
    std::string problem;
    if (outcome_in(rows, of_a_point ? by : WrittenBy::any_version, problem)) continue;
    damaged.push_back(rows.integer(rows.columns() - 2));
    if (damage.first.empty()) damage.first = problem;
  }
  SqlStatement remove(database, "DELETE FROM outcomes WHERE rowid = ?1");
  for (const std::int64_t row : damaged) {
    remove.bind(1, row);
    remove.run();
  }
  damage.outcomes = damaged.size();
  return damage;
}

}  // namespace jostle::analyses
