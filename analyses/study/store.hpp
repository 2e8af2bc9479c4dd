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
#include "analyses/study/outcome.hpp"

namespace jostle::analyses {

class Store {
 public:
  // Opens or creates the file; "" means in memory. Throws DatabaseError, like all members, also for a
  // database of another program.
  explicit Store(const std::string& path);

  // Makes this the file of `study`. Outcomes of another study are kept and can be found by key.
  void begin(const Study& study, const CheckedStudy& checked);

  [[nodiscard]] std::unordered_set<std::string> finished();  // keys with an outcome

  // The outcome with the key, if any.
  [[nodiscard]] std::optional<Outcome> outcome(const std::string& key);

  // Stored when it returns. A key that already has an outcome keeps it.
  void put(const std::string& key, const Outcome& outcome);
  void put(const std::vector<std::pair<std::string, Outcome>>& outcomes);  // all in one transaction

  // Adds the outcomes of another file of the same study; an empty store takes over the study of that file.
  // Throws DatabaseError if the studies, or two outcomes of one point, differ.
  void merge(const std::string& other);

  [[nodiscard]] Database& database() { return database_; }

 private:
  void insert(const std::string& key, const Outcome& outcome);
  Database database_;
};

// The content of the file as lines of JSON: the study, then each point with its outcome, in the order of the
// points. Identical for identical completed studies, however they were run.
void write_content(Database& database, const std::function<void(std::string_view line)>& to);

// The points with an outcome, one line of JSON each.
void write_points(Database& database, const std::function<void(std::string_view line)>& to);

}  // namespace jostle::analyses
