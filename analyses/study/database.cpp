#include "analyses/study/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <utility>

#include "input/interruption.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::analyses {
namespace {

constexpr int busy_timeout_ms = 30'000, busy_pause_ms = 20;
constexpr int steps_between_polls = 10'000;

// A path as a file: URI of SQLite.
std::string file_uri(const std::string& path, const std::string& query) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?" + query;
}

int open(const std::string& name, int flags, sqlite3*& handle) {
  return sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
}

// The URI for reading a database without creating other files next to it.
std::string reading_uri(const std::string& path) {
  std::error_code error;
  // Without a write-ahead log nobody writes to the file. It is then opened as immutable, which creates no
  // log.
  const std::string file = std::filesystem::canonical(path, error).string();  // the log is beside the file
  const bool written_to = std::filesystem::exists(file + "-wal", error);
  return file_uri(path, written_to ? "mode=ro" : "mode=ro&immutable=1");
}

// Rejects other files before SQLite opens them: it would wait for the other end of a pipe.
void check_regular(const std::string& path, Access access) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::regular ||
      (access == Access::write && status.type() == std::filesystem::file_type::not_found))
    return;
  throw input::Refused(fmt::format("{}: {}", input::printable(path, 400),
                                   status.type() == std::filesystem::file_type::not_found ? "no such file"
                                   : error                                                ? error.message()
                                           : "is not a regular file"));
}

int wait_for_others(void*, int times) {
  if (input::interruption() || times * busy_pause_ms > busy_timeout_ms) return 0;
  sqlite3_sleep(busy_pause_ms);
  return 1;
}

void harden(sqlite3* handle) {
  for (const auto& [option, value] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),  // except those of TEMP
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
    sqlite3_db_config(handle, option, value, nullptr);
  for (const auto& [limit, value] :
       {std::pair(SQLITE_LIMIT_ATTACHED, 0), std::pair(SQLITE_LIMIT_LENGTH, 1 << 27),
        std::pair(SQLITE_LIMIT_SQL_LENGTH, 1 << 20), std::pair(SQLITE_LIMIT_EXPR_DEPTH, 200),
        std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), std::pair(SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        std::pair(SQLITE_LIMIT_WORKER_THREADS, 0)})
    sqlite3_limit(handle, limit, value);
}

}  // namespace

Database::Database(const std::string& path, Access access) : path_(path) {
  const bool memory = path.empty();
  if (!memory) check_regular(path, access);
  sqlite3* handle = nullptr;
  const int flags =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const std::string name = memory                   ? ":memory:"
                           : access == Access::read ? reading_uri(path)
                                                    : file_uri(path, "mode=rwc");
  int opened = open(name, flags, handle);
  handle_.reset(handle);
  if (opened == SQLITE_OK) harden(handle);
  if (opened == SQLITE_OK && access == Access::read &&
      sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) ==
          SQLITE_CANTOPEN) {
    // The folder is read-only, so that nobody else writes to the file either: it is opened as immutable.
    handle_.reset();
    opened = open(file_uri(path, "mode=ro&immutable=1"), flags, handle);
    handle_.reset(handle);
    if (opened == SQLITE_OK) harden(handle);
  }
  if (opened != SQLITE_OK) fail();
  sqlite3_busy_handler(handle_.get(), wait_for_others, nullptr);
  sqlite3_progress_handler(
      handle_.get(), steps_between_polls, [](void*) { return input::interruption() ? 1 : 0; }, nullptr);
  execute("PRAGMA temp_store = MEMORY");
}

void Database::fail() const {
  const int code = handle_ ? sqlite3_errcode(handle_.get()) & 0xff : SQLITE_NOMEM;
  if (code == SQLITE_INTERRUPT || code == SQLITE_BUSY) input::throw_if_interrupted();
  const std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : "no memory";
  const std::string message =
      path_.empty() ? reason : fmt::format("{}: {}", input::printable(path_, 400), reason);
  switch (code) {
    case SQLITE_CORRUPT:
      throw input::Refused(message + ": the file is damaged");
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw input::Refused(message);
    default:
      throw DatabaseError(message);
  }
}

std::int64_t Database::number(const char* sql) {
  SqlStatement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool SqlStatement::only_reads() const {
  return sqlite3_stmt_readonly(statement_.get()) != 0;
}

int SqlStatement::columns() const {
  return sqlite3_column_count(statement_.get());
}

SqlStatement::SqlStatement(Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, &rest) !=
      SQLITE_OK)
    database.fail();
  statement_.reset(statement);
  if (!statement_) throw DatabaseError("an empty SQL statement");
  if (sql.substr(static_cast<std::size_t>(rest - sql.data())).find_first_not_of(" \t\r\n;") != sql.npos)
    throw DatabaseError("more than one SQL statement");
}

void SqlStatement::bind(int index, std::string_view text) {
  if (sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
      SQLITE_OK)
    database_.fail();
}

void SqlStatement::bind(int index, std::int64_t number) {
  if (sqlite3_bind_int64(statement_.get(), index, number) != SQLITE_OK) database_.fail();
}

void SqlStatement::bind(int index, std::optional<double> number) {
  if (!number) return bind_null(index);
  if (sqlite3_bind_double(statement_.get(), index, *number) != SQLITE_OK) database_.fail();
}

void SqlStatement::bind_null(int index) {
  if (sqlite3_bind_null(statement_.get(), index) != SQLITE_OK) database_.fail();
}

bool SqlStatement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) database_.fail();
  sqlite3_reset(statement_.get());
  return false;
}

void SqlStatement::reset() {
  sqlite3_reset(statement_.get());
}

void SqlStatement::run() {
  while (step()) {
  }
}

std::string SqlStatement::name(int column) const {
  const char* const name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? "" : name;
}

bool SqlStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool SqlStatement::is_number(int column) const {
  return is_integer(column) || sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT;
}

bool SqlStatement::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

std::string_view SqlStatement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text), size);
}

double SqlStatement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::int64_t SqlStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace jostle::analyses
