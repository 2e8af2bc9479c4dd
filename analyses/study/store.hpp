// A study's file: SQLite, its schema that of docs/studies.md.
//
// What is put in is there after a kill: each put is a transaction of its own, written ahead (WAL).
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
  // Opens or makes the file; "" keeps it in memory. Throws DatabaseError, as all here, also for a file that
  // is another program's.
  explicit Store(const std::string& path);

  // Makes the file that of this study. Outcomes of another that it held stay: they are found again by key.
  void begin(const Study& study, const CheckedStudy& checked);

  [[nodiscard]] std::unordered_set<std::string> finished();  // keys that have an outcome

  // That of the point with the key, if it has one.
  [[nodiscard]] std::optional<Outcome> outcome(const std::string& key);

  // Done when it returns. A key that is there already keeps its outcome.
  void put(const std::string& key, const Outcome& outcome);
  void put(const std::vector<std::pair<std::string, Outcome>>& outcomes);  // all in one transaction

  // Adds the outcomes of another file of the same study; that of the first makes this one's study where it
  // has none. Throws DatabaseError where the studies, or two outcomes of one point, differ.
  void merge(const std::string& other);

  [[nodiscard]] Database& database() { return database_; }

 private:
  void insert(const std::string& key, const Outcome& outcome);
  Database database_;
};

// What the file says, in lines of JSON: the study, then each point with its outcome in the order of the
// points. Equal for equal studies run to the end, however they were run.
void write_content(Database& database, const std::function<void(std::string_view line)>& to);

// The points that have an outcome, a line of JSON each.
void write_points(Database& database, const std::function<void(std::string_view line)>& to);

}  // namespace jostle::analyses
