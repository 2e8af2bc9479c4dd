#include "analyses/study/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyses/study/columns.hpp"
#include "input/hash.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "output/json.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

// The identity of a study, which is equal for studies with equal points.
Record record_of(const Study& study, const CheckedStudy& checked, const std::vector<AxisColumn>& axes) {
  std::uint64_t hash = input::fnv1a({});
  const Points points(study);
  for (std::size_t i = 0; i < checked.points.size(); ++i)
    hash =
        input::fnv1a(settings_json(study, points[i]), input::fnv1a(input::hex(checked.points[i].key), hash));
  Json columns = Json::object();
  for (const AxisColumn& axis : axes) columns[axis.key] = axis.name;
  return {{"format", study_format},
          {"version", JOSTLE_VERSION},
          {"study", json_text(*study.document)},
          {"columns", output::json_text(columns)},
          {"points", fmt::format("{}", checked.points.size())},
          {"points_hash", input::hex(hash)}};
}

// A short description of a study from its document.
std::string described(const std::string& document) {
  const Json study = output::parsed_json_or_discarded(document);
  const Json scenario = study.is_object() ? study.value("scenario", Json::object()) : Json::object();
  if (!scenario.is_object()) return "that cannot be read";
  const Json name = scenario.value("name", Json());
  std::string text =
      name.is_string()
          ? fmt::format("'{}'", input::printable(name.get<std::string>()))
          : fmt::format("of {}", input::printable(output::json_text(scenario.value("device", Json()))));
  const Json axes = study.value("sweep", Json::object());
  std::string varied;
  if (axes.is_object())
    for (const auto& [key, values] : axes.items()) varied += (varied.empty() ? "" : ", ") + key;
  return varied.empty() ? text : fmt::format("{}, varying {}", text, input::printable(varied, 120));
}

std::string value_in(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record, name, &Record::value_type::first);
  return found == record.end() ? std::string() : found->second;
}

Json scenario_in(const Record& record) {
  const Json study = output::parsed_json_or_discarded(value_in(record, "study"));
  return study.is_object() ? study.value("scenario", Json()) : Json();
}

// Returns whether the study of `now`, with its points, only adds to the study in the file.
bool extends(Database& database, const Record& there, const Record& now, const Study& study) {
  if (value_in(there, "study") == value_in(now, "study")) return true;  // perhaps from another version
  if (scenario_in(there) != scenario_in(now)) return false;
  std::unordered_set<std::uint64_t> settings;  // hashes
  const Points points(study);
  for (std::uint64_t i = 0; i < points.size(); ++i)
    settings.insert(input::fnv1a(settings_json(study, points[i])));
  SqlStatement rows(database, "SELECT settings FROM points");
  while (rows.step()) {
    if (!settings.contains(input::fnv1a(rows.text(0)))) return false;
  }
  return true;
}

// Returns whether the file has exactly these points.
bool holds(Database& database, const Study& study, const CheckedStudy& checked) {
  const Points points(study);
  SqlStatement rows(database, "SELECT point, key, settings FROM points ORDER BY point");
  std::size_t count = 0;
  while (rows.step()) {
    if (count == checked.points.size() || rows.integer(0) != static_cast<std::int64_t>(count) ||
        rows.text(1) != input::hex(checked.points[count].key) ||
        rows.text(2) != settings_json(study, points[count]))
      return false;
    ++count;
  }
  return count == checked.points.size();
}

void write_rows(Database& database, const char* join, const std::function<void(std::string_view)>& to) {
  SqlStatement rows(
      database,
      fmt::format("SELECT point, points.key, settings, status, problem, result FROM points {} outcomes"
                  " ON outcomes.key = points.key ORDER BY point",
                  join));
  const auto text = [&rows](int column) {
    return rows.is_null(column) ? "null" : output::json_string(rows.text(column));
  };
  while (rows.step()) {
    to(fmt::format("{{\"point\":{},\"key\":{},\"settings\":{},\"status\":{},\"problem\":{},\"result\":{}}}",
                   rows.integer(0), text(1), rows.text(2), text(3), text(4),
                   rows.is_null(5) ? "null" : rows.text(5)));
  }
}

}  // namespace

Store::Store(const std::string& path)
    : claim_(path.empty() ? std::nullopt : std::optional<output::Claim>(std::in_place, path)),
      lock_(path.empty() ? std::nullopt : std::optional<FileLock>(std::in_place, path)),
      database_(path, Access::write) {
  const bool is_new = database_.number("SELECT count(*) FROM sqlite_master") == 0;
  if (!is_new) {
    check_study_file(database_);
    check_undamaged(database_);
  }
  SqlStatement(database_, "PRAGMA journal_mode = WAL").run();
  // NORMAL: a crash of the program loses nothing. A power failure may lose the last outcomes but does not
  // corrupt the file.
  database_.execute("PRAGMA synchronous = NORMAL");
  if (!is_new) return;
  Transaction transaction(database_);
  create_tables(database_);
  transaction.commit();
}

void Store::committed() {
  if (lock_) lock_->keep();
  use_view(database_, axes_in(database_));
}

void Store::begin(const Study& study, const CheckedStudy& checked, Replace replace) {
  const std::vector<AxisColumn> axes = axis_columns(study);
  const Record record = record_of(study, checked, axes);
  Transaction transaction(database_);
  const Record there = record_in(database_);
  if (!there.empty() && replace == Replace::no && !extends(database_, there, record, study))
    throw input::Refused(
        fmt::format("{}: holds another study, {} ({} points); write to another file, or add --replace to put "
                    "this study in "
                    "its place",
                    input::printable(database_.path(), 400), described(value_in(there, "study")),
                    input::printable(value_in(there, "points"))));
  Record sorted = record;
  std::ranges::sort(sorted);
  if (there != sorted || !holds(database_, study, checked)) {
    database_.execute("DELETE FROM study; DELETE FROM points");
    SqlStatement about(database_, "INSERT INTO study VALUES (?1, ?2)");
    for (const auto& [name, value] : record) {
      about.bind(1, name);
      about.bind(2, value);
      about.run();
    }
    SqlStatement insert(database_, "INSERT INTO points VALUES (?1, ?2, ?3)");
    const Points points(study);
    for (std::size_t i = 0; i < checked.points.size(); ++i) {
      insert.bind(1, static_cast<std::int64_t>(i));
      insert.bind(2, input::hex(checked.points[i].key));
      insert.bind(3, settings_json(study, points[i]));
      insert.run();
    }
  }
  store_view(database_, axes);
  damage_ = drop_damaged(database_);
  transaction.commit();
  committed();
}

std::optional<Outcome> Store::outcome(const std::string& key) {
  SqlStatement row(database_, fmt::format("SELECT {} FROM outcomes WHERE key = ?1", outcome_columns()));
  row.bind(1, std::string_view(key));
  std::string problem;
  return row.step() ? outcome_in(row, WrittenBy::any_version, problem) : std::nullopt;
}

void Store::insert(const std::string& key, const Outcome& outcome) {
  if (!insert_) {
    std::string values = "?1, ?2, ?3";
    for (std::size_t i = 0; i < main_metric_count + 3; ++i) values += fmt::format(", ?{}", i + 4);
    insert_.emplace(database_, fmt::format("INSERT OR IGNORE INTO outcomes VALUES ({})", values));
  }
  SqlStatement& statement = *insert_;
  statement.reset();  // one that failed stands where it was
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

// Reads the other file through its own connection instead of attaching it, so that its schema has no effect
// here.
void Store::add(const std::string& other) {
  const std::string name = input::printable(other, 400);
  Database theirs(other, Access::read);
  check_study_file(theirs);
  check_undamaged(theirs);
  if (record_in(database_).empty()) {
    SqlStatement about(database_, "INSERT INTO study VALUES (?1, ?2)");
    for (const auto& [row, value] : record_in(theirs)) {
      about.bind(1, row);
      about.bind(2, value);
      about.run();
    }
    SqlStatement points(theirs, "SELECT point, key, settings FROM points ORDER BY point");
    SqlStatement insert(database_, "INSERT INTO points VALUES (?1, ?2, ?3)");
    while (points.step()) {
      insert.bind(1, points.integer(0));
      insert.bind(2, points.text(1));
      insert.bind(3, points.text(2));
      insert.run();
    }
    store_view(database_, axes_in(database_));
  }
  if (record_in(database_) != record_in(theirs))
    throw input::Refused(fmt::format("{}: belongs to another study", name));
  const WrittenBy by = writer_of(theirs);
  SqlStatement rows(theirs, fmt::format("SELECT {} FROM outcomes WHERE key IN (SELECT key FROM points)"
                                        " ORDER BY key",
                                        outcome_columns()));
  while (rows.step()) {
    const std::string key = key_in(rows);
    std::string problem;
    const auto outcome = outcome_in(rows, by, problem);
    if (!outcome)
      throw input::Refused(fmt::format("{}: the outcome of point {} is damaged ({}); sweep that file again",
                                       name, input::printable(key), input::printable(problem)));
    const auto known = this->outcome(key);
    if (known && (known->status != outcome->status || known->result != outcome->result))
      throw input::Refused(fmt::format("{}: its outcome of point {} differs from the one already merged",
                                       name, input::printable(key)));
    if (!known) insert(key, *outcome);
  }
}

void Store::merge(const std::vector<std::string>& others) {
  Transaction transaction(database_);
  damage_ = drop_damaged(database_);
  for (const std::string& other : others) add(other);
  transaction.commit();
  committed();
}

void write_content(Database& database, const std::function<void(std::string_view line)>& to) {
  Json about = Json::object();
  SqlStatement rows(database, "SELECT name, value FROM study ORDER BY name");
  while (rows.step()) about[std::string(rows.text(0))] = std::string(rows.text(1));
  to(output::json_text(about));
  write_rows(database, "LEFT JOIN", to);
}

void write_points(Database& database, const std::function<void(std::string_view line)>& to) {
  write_rows(database, "JOIN", to);
}

}  // namespace jostle::analyses
