// What the file of a study looks like: its tables, its view, and how it is told from others and from a
// damaged one. docs/studies.md describes it for users.
//
// A file may come from anybody. Nothing in it is executed: the view is made from the names of its columns.
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

// The view `results`: one row per point with an outcome; a column per axis and main metric. It is stored in
// the file, for other programs, and made anew for this connection, which does not use the stored one.
void store_view(Database& database, const std::vector<AxisColumn>& axes);
void use_view(Database& database, const std::vector<AxisColumn>& axes);

// The axes of the study in the file, from its table `study`. Throws input::Refused if they are damaged.
[[nodiscard]] std::vector<AxisColumn> axes_in(Database& database);

// The file of a study, opened to be read and checked, with its view.
[[nodiscard]] Database read_study(const std::string& path);

// The rows of the table `study`, ordered by name.
using Record = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Record record_in(Database& database);

// The outcomes in a row of `SELECT <outcome_columns()>`.
[[nodiscard]] std::string outcome_columns();
[[nodiscard]] std::string key_in(const SqlStatement& row);
// The version by which the outcomes of the study's points were computed.
enum class WrittenBy { this_version, any_version };
[[nodiscard]] WrittenBy writer_of(Database& database);
// None, with the reason in `problem`, if the row is none that jostle writes: a status without meaning, a
// result that is no JSON, or one by this version without a key that it writes.
[[nodiscard]] std::optional<Outcome> outcome_in(const SqlStatement& row, WrittenBy by, std::string& problem);

[[nodiscard]] std::unordered_set<std::string> finished(Database& database);  // keys with an outcome

// Removes outcomes that are damaged, so that they are computed again.
struct Damage {
  std::size_t outcomes = 0;
  std::string first;  // what is wrong with one of them
};
[[nodiscard]] Damage drop_damaged(Database& database);

}  // namespace jostle::analyses
