// The format of the file of a study: its tables, its view, and the checks that distinguish it from other and
// from damaged files. docs/studies.md describes it for users.
//
// Files are not trusted. Nothing in them is executed: the view is created from the names of its columns.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyses/study/columns.hpp"
#include "analyses/study/database.hpp"
#include "analyses/study/outcome.hpp"

namespace jostle::analyses {

inline constexpr const char* study_format = "jostle.study/1";

// Creates the tables in an empty database.
void create_tables(Database& database);

// Throws input::Refused if this is not the file of a study, or was written by a newer version.
void check_study_file(Database& database);
// Throws input::Refused if the file is damaged (PRAGMA quick_check, which reads all of it).
void check_undamaged(Database& database);

// Creates the view `results`: one row per point with an outcome, a column per axis and main metric.
// store_view() stores it in the file for other programs; use_view() creates it for this connection, which
// does not use the stored view.
void store_view(Database& database, const std::vector<AxisColumn>& axes);
void use_view(Database& database, const std::vector<AxisColumn>& axes);

// The axes of the study in the file, from its table `study`. Throws input::Refused if they are damaged.
[[nodiscard]] std::vector<AxisColumn> axes_in(Database& database);

// Opens and checks the file of a study for reading, with its view.
[[nodiscard]] Database read_study(const std::string& path);

// The rows of the table `study`, ordered by name.
using Record = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Record record_in(Database& database);

// The outcome columns of a `SELECT`, and the key in one of its rows.
[[nodiscard]] std::string outcome_columns();
[[nodiscard]] std::string key_in(const SqlStatement& row);
// The version that computed the outcomes of the study's points.
enum class WrittenBy { this_version, any_version };
[[nodiscard]] WrittenBy writer_of(Database& database);
// The outcome in a row. None, with the reason in `problem`, if jostle would not write such a row: an unknown
// status, a result that is not JSON, or a result by this version that lacks a key.
[[nodiscard]] std::optional<Outcome> outcome_in(const SqlStatement& row, WrittenBy by, std::string& problem);

[[nodiscard]] std::unordered_set<std::string> finished(Database& database);  // keys with an outcome

// Removes outcomes that are damaged, so that they are computed again.
struct Damage {
  std::size_t outcomes = 0;
  std::string first;  // the problem of one of them
};
[[nodiscard]] Damage drop_damaged(Database& database);

}  // namespace jostle::analyses
