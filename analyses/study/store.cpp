#include "analyses/study/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyses/study/columns.hpp"
#include "input/hash.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

constexpr int application = 0x6a6f7374;  // "jost"
constexpr const char* format_name = "jostle.study/1";

std::string schema() {
  std::string metrics;
  for (const MainMetric& metric : main_metrics()) metrics += fmt::format(" {} REAL,", metric.column);
  return fmt::format(
      "CREATE TABLE study(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE points(point INTEGER PRIMARY KEY, key TEXT NOT NULL, settings TEXT NOT NULL);"
      "CREATE TABLE outcomes(key TEXT PRIMARY KEY, status TEXT NOT NULL, problem TEXT,{}"
      " limited_by TEXT, stop TEXT, result TEXT);",
      metrics);
}

std::string quoted(const std::string& text, char with) {
  std::string result(1, with);
  for (const char c : text) result += c == with ? std::string(2, c) : std::string(1, c);
  return result + with;
}

// One row per point with an outcome; a column per axis and main metric.
std::string results_view(const std::vector<AxisColumn>& axes) {
  std::string columns = "point, status";
  for (const AxisColumn& axis : axes) {
    const std::string value =
        fmt::format("json_extract(settings, {})", quoted(fmt::format("$.\"{}\"", axis.key), '\''));
    columns += fmt::format(", {} AS {}", axis.is_number ? fmt::format("CAST({} AS REAL)", value) : value,
                           quoted(axis.name, '"'));
  }
  for (const MainMetric& metric : main_metrics()) columns += fmt::format(", {}", metric.column);
  return fmt::format(
      "CREATE VIEW results AS SELECT {}, limited_by, stop, problem FROM points JOIN outcomes USING (key)"
      " ORDER BY point",
      columns);
}

using Record = std::vector<std::pair<std::string, std::string>>;

// The identity of a study; equal for equal points.
Record record_of(const Study& study, const CheckedStudy& checked, const std::vector<AxisColumn>& axes) {
  std::uint64_t hash = input::fnv1a({});
  for (const CheckedPoint& point : checked.points)
    hash = input::fnv1a(point.settings, input::fnv1a(point.key, hash));
  Json columns = Json::object();
  for (const AxisColumn& axis : axes) columns[axis.key] = axis.name;
  return {{"format", format_name},
          {"version", JOSTLE_VERSION},
          {"study", json_text(*study.document)},
          {"columns", columns.dump(-1, ' ', false, Json::error_handler_t::replace)},
          {"points", fmt::format("{}", checked.points.size())},
          {"points_hash", input::hex(hash)}};
}

std::int64_t number(Database& database, const char* sql) {
  SqlStatement statement(database, sql);
  return statement.step() ? statement.integer(0) : 0;
}

// The identity of the study in a file: two files of one study have equal ones.
std::string identity(Database& database, const std::string& schema_name) {
  std::string text;
  SqlStatement rows(database, fmt::format("SELECT name, value FROM {}.study ORDER BY name", schema_name));
  while (rows.step()) {
    text += rows.text(0);
    text += '\n';
    text += rows.text(1);
    text += '\n';
  }
  return text;
}

std::string json_of(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_rows(Database& database, const char* join, const std::function<void(std::string_view)>& to) {
  SqlStatement rows(
      database,
      fmt::format("SELECT point, points.key, settings, status, problem, result FROM points {} outcomes"
                  " ON outcomes.key = points.key ORDER BY point",
                  join));
  const auto text = [&rows](int column) {
    return rows.is_null(column) ? "null" : json_of(rows.text(column));
  };
  while (rows.step()) {
    to(fmt::format("{{\"point\":{},\"key\":{},\"settings\":{},\"status\":{},\"problem\":{},\"result\":{}}}",
                   rows.integer(0), text(1), rows.text(2), text(3), text(4),
                   rows.is_null(5) ? "null" : rows.text(5)));
  }
}

}  // namespace

Store::Store(const std::string& path) : database_(path, Access::write) {
  const bool is_new = number(database_, "SELECT count(*) FROM sqlite_master") == 0;
  if (!is_new && number(database_, "PRAGMA application_id") != application)
    throw DatabaseError(fmt::format("{}: this database is not a study file", input::printable(path, 400)));
  SqlStatement(database_, "PRAGMA journal_mode = WAL").run();
  // NORMAL: a crash of the program loses nothing; a power failure may lose the last outcomes but does not
  // corrupt the file.
  database_.execute("PRAGMA synchronous = NORMAL");
  if (!is_new) return;
  Transaction transaction(database_);
  if (number(database_, "SELECT count(*) FROM sqlite_master") == 0) {
    database_.execute(schema());
    database_.execute(fmt::format("PRAGMA application_id = {}", application));
  }
  transaction.commit();
}

void Store::begin(const Study& study, const CheckedStudy& checked) {
  const std::vector<AxisColumn> axes = axis_columns(study);
  const Record record = record_of(study, checked, axes);
  Transaction transaction(database_);
  Record there;
  {
    SqlStatement rows(database_, "SELECT name, value FROM study");
    while (rows.step()) there.emplace_back(rows.text(0), rows.text(1));
  }
  Record sorted = record;
  std::ranges::sort(sorted);
  if (there == sorted) return;
  database_.execute("DROP VIEW IF EXISTS results; DELETE FROM study; DELETE FROM points");
  database_.execute(results_view(axes));
  SqlStatement about(database_, "INSERT INTO study VALUES (?1, ?2)");
  for (const auto& [name, value] : record) {
    about.bind(1, name);
    about.bind(2, value);
    about.run();
  }
  SqlStatement insert(database_, "INSERT INTO points VALUES (?1, ?2, ?3)");
  for (std::size_t i = 0; i < checked.points.size(); ++i) {
    insert.bind(1, static_cast<std::int64_t>(i));
    insert.bind(2, checked.points[i].key);
    insert.bind(3, checked.points[i].settings);
    insert.run();
  }
  transaction.commit();
}

std::unordered_set<std::string> Store::finished() {
  std::unordered_set<std::string> keys;
  SqlStatement rows(database_, "SELECT key FROM outcomes");
  while (rows.step()) keys.emplace(rows.text(0));
  return keys;
}

std::optional<Outcome> Store::outcome(const std::string& key) {
  SqlStatement row(database_, "SELECT * FROM outcomes WHERE key = ?1");
  row.bind(1, std::string_view(key));
  if (!row.step()) return std::nullopt;
  int column = 1;  // after the key
  const auto text = [&] {
    const int at = column++;
    return row.is_null(at) ? std::string() : std::string(row.text(at));
  };
  Outcome outcome;
  outcome.status = status_named(text());
  outcome.problem = text();
  for (scenarios::Metric& metric : outcome.metrics) {
    if (!row.is_null(column)) metric = row.real(column);
    ++column;
  }
  outcome.limited_by = text();
  outcome.stop = text();
  outcome.result = text();
  return outcome;
}

void Store::insert(const std::string& key, const Outcome& outcome) {
  std::string values = "?1, ?2, ?3";
  for (std::size_t i = 0; i < main_metric_count + 3; ++i) values += fmt::format(", ?{}", i + 4);
  SqlStatement statement(database_, fmt::format("INSERT OR IGNORE INTO outcomes VALUES ({})", values));
  int column = 0;
  const auto text = [&](const std::string& value) {
    if (value.empty())
      statement.bind_null(++column);
    else
      statement.bind(++column, std::string_view(value));
  };
  text(key);
  text(to_string(outcome.status));
  text(outcome.problem);
  for (const scenarios::Metric& metric : outcome.metrics) statement.bind(++column, metric);
  text(outcome.limited_by);
  text(outcome.stop);
  text(outcome.result);
  statement.run();
}

void Store::put(const std::string& key, const Outcome& outcome) {
  insert(key, outcome);  // a single statement is a transaction
}

void Store::put(const std::vector<std::pair<std::string, Outcome>>& outcomes) {
  if (outcomes.empty()) return;
  Transaction transaction(database_);
  for (const auto& [key, outcome] : outcomes) insert(key, outcome);
  transaction.commit();
}

void Store::merge(const std::string& other) {
  const std::string name = input::printable(other, 400);
  {
    Database readable(other, Access::read);  // throws if the file cannot be read
    if (number(readable, "PRAGMA application_id") != application)
      throw DatabaseError(fmt::format("{}: not a study file", name));
  }
  SqlStatement attach(database_, "ATTACH ?1 AS other");
  attach.bind(1, std::string_view(reading_uri(other)));
  attach.run();
  {
    Transaction transaction(database_);
    if (number(database_, "SELECT count(*) FROM study") == 0) {
      database_.execute(
          "INSERT INTO study SELECT * FROM other.study; INSERT INTO points SELECT * FROM other.points");
      SqlStatement view(database_, "SELECT sql FROM other.sqlite_master WHERE name = 'results'");
      if (view.step()) database_.execute(std::string(view.text(0)));
    }
    if (identity(database_, "main") != identity(database_, "other"))
      throw DatabaseError(fmt::format("{}: belongs to another study", name));
    SqlStatement differing(database_,
                           "SELECT a.key FROM main.outcomes a JOIN other.outcomes b USING (key)"
                           " WHERE a.status <> b.status OR a.result IS NOT b.result LIMIT 1");
    if (differing.step())
      throw DatabaseError(fmt::format("{}: its outcome of point {} differs from the one already merged", name,
                                      differing.text(0)));
    database_.execute(
        "INSERT OR IGNORE INTO outcomes SELECT * FROM other.outcomes"
        " WHERE key IN (SELECT key FROM other.points) ORDER BY key");
    transaction.commit();
  }
  database_.execute("DETACH other");
}

void write_content(Database& database, const std::function<void(std::string_view line)>& to) {
  Json about = Json::object();
  SqlStatement rows(database, "SELECT name, value FROM study ORDER BY name");
  while (rows.step()) about[std::string(rows.text(0))] = std::string(rows.text(1));
  to(about.dump(-1, ' ', false, Json::error_handler_t::replace));
  write_rows(database, "LEFT JOIN", to);
}

void write_points(Database& database, const std::function<void(std::string_view line)>& to) {
  write_rows(database, "JOIN", to);
}

}  // namespace jostle::analyses
