// A minimal SQLite wrapper for studies: statements with bound values, errors as exceptions.
//
// Files are not trusted: their views and triggers are disabled, their schema is untrusted, internal tables
// cannot be written, and SQLite's limits are those of studies. Ctrl-C ends every statement and every wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace jostle::analyses {

// A failed statement: wrong SQL, a full disk, another writer that does not finish.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Access { read, write };  // write: creates the file if it does not exist

class Database {
 public:
  // Opens a database; "" means in memory. Waits up to 30 s for other writers. Throws DatabaseError, like all
  // members; input::Refused if the file cannot be opened, is no database or is damaged; Interrupted.
  Database(const std::string& path, Access access);

  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t number(const char* sql);  // the first cell of the result; 0 if there is none
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// One statement (more than one is an error). Parameters count from 1, columns from 0. The database must
// outlive it.
class SqlStatement {
 public:
  SqlStatement(Database& database, std::string_view sql);

  void bind(int index, std::string_view text);
  void bind(int index, std::int64_t number);
  void bind(int index, std::optional<double> number);  // none: NULL
  void bind_null(int index);

  // Steps to the next row. Returns false at the end, after which the statement can be reused.
  bool step();
  void run();    // steps to the end
  void reset();  // stops before the end, so that it can be reused

  [[nodiscard]] bool only_reads() const;
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string name(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] bool is_number(int column) const;
  [[nodiscard]] bool is_integer(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // valid until the next step
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A transaction: rolled back unless commit() is called.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace jostle::analyses
