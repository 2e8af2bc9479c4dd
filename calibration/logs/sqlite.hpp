// Provides read-only access to an untrusted SQLite file; tables and columns are looked up, not assumed.
//
// Part of the readers of databases; not for use elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/study/database.hpp"
#include "calibration/logs/source.hpp"

namespace jostle::calibration::sqlite {

class Database {
 public:
  explicit Database(Source& source);
  // The failure, if there was one; otherwise empty.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // True for real tables only: no views, no virtual tables.
  [[nodiscard]] bool has_table(std::string_view name) const;
  // The first of `columns` that the table has.
  [[nodiscard]] std::optional<std::string> column(const std::string& table,
                                                  const std::vector<std::string>& columns);

 private:
  friend class Rows;
  // Does something with the database, whose failure is kept.
  template <class F>
  void attempt(const F& f);

  std::optional<analyses::Database> database_;
  std::vector<std::string> tables_;
  std::string failure_;
};

// The rows of a SELECT, one after another; none after a failure.
class Rows {
 public:
  Rows(Database& database, const std::string& sql);
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_text(int column) const { return !is_null(column) && !statement_->is_number(column); }
  [[nodiscard]] bool is_null(int column) const { return statement_->is_null(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return statement_->integer(column); }
  [[nodiscard]] double real(int column) const { return statement_->real(column); }
  [[nodiscard]] std::string_view text(int column) const { return statement_->text(column); }

 private:
  Database& database_;
  std::optional<analyses::SqlStatement> statement_;
};

}  // namespace jostle::calibration::sqlite
