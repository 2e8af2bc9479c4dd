// Provides read-only access to an untrusted SQLite file; tables and columns are looked up, not assumed.
//
// Part of the readers of databases; not for use elsewhere.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/source.hpp"

namespace jostle::calibration::sqlite {

class Database;

// The rows of a SELECT, one after another.
class Rows {
 public:
  Rows(Database& database, const std::string& sql);
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_text(int column) const { return type(column) == SQLITE_TEXT; }
  [[nodiscard]] bool is_null(int column) const { return type(column) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  [[nodiscard]] std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  [[nodiscard]] int type(int column) const { return sqlite3_column_type(statement_.get(), column); }

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

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
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  void fail();

  std::unique_ptr<sqlite3, Close> handle_;
  std::vector<std::string> tables_;
  std::string failure_;
};

}  // namespace jostle::calibration::sqlite
