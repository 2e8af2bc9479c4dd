// The file of a study: SQLite, with the schema of docs/studies.md.
//
// Each put() is a transaction with write-ahead logging, so it survives if the process is killed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/database.hpp"
#include "analyses/study/file_lock.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/study_file.hpp"
#include "output/claim.hpp"

namespace jostle::analyses {

// Permission to replace another study in the file.
enum class Replace { no, yes };

class Store {
 public:
  // Opens or creates the file and locks it; "" means in memory. Throws input::Refused if the file is not that
  // of a study, is damaged, or another process writes to it; DatabaseError, like all members.
  explicit Store(const std::string& path);
  Store(const Store&) = delete;  // statements refer to the database
  Store& operator=(const Store&) = delete;

  // Makes this the file of `study`. If the file belongs to another study, throws input::Refused, or with
  // Replace::yes keeps its outcomes, which can be found by key. A study with the same scenario and at least
  // the points in the file extends the study there.
  void begin(const Study& study, const CheckedStudy& checked, Replace replace = Replace::no);
  // Damaged outcomes that begin() or merge() dropped. Their points are to be computed again.
  [[nodiscard]] const Damage& damage() const { return damage_; }

  [[nodiscard]] std::unordered_set<std::string> finished() { return analyses::finished(database_); }

  // The outcome with the key, if any.
  [[nodiscard]] std::optional<Outcome> outcome(const std::string& key);

  // The outcome is stored on return. A key that already has an outcome keeps it.
  void put(const std::string& key, const Outcome& outcome);
  void put(const std::vector<std::pair<std::string, Outcome>>& outcomes);  // all in one transaction

  // Adds the outcomes of other files of the same study, all or none. An empty store takes over the study of
  // the first file. Throws input::Refused if the studies, or two outcomes of one point, differ.
  void merge(const std::vector<std::string>& others);

  [[nodiscard]] const std::string& path() const { return database_.path(); }
  [[nodiscard]] Database& database() { return database_; }  // with the view `results`

 private:
  void insert(const std::string& key, const Outcome& outcome);
  void add(const std::string& other);
  void committed();

  std::optional<output::Claim> claim_;  // empty in memory
  std::optional<FileLock> lock_;        // released after the database is closed
  Database database_;
  std::optional<SqlStatement> insert_;  // insert()'s, once it was called
  Damage damage_;
};

// Writes the content of the file as lines of JSON: the study, then each point with its outcome, in the order
// of the points. Completed studies with equal content give identical lines, however they were run.
void write_content(Database& database, const std::function<void(std::string_view line)>& to);

// Writes the points with an outcome, one line of JSON each.
void write_points(Database& database, const std::function<void(std::string_view line)>& to);

}  // namespace jostle::analyses
