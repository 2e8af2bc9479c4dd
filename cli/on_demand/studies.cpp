// The functions of TBB and SQLite that the command loads when they are first called.
//
// The linker leaves SQLite out because all of its functions that jostle calls are here. A call of another one
// makes it a library of the command again; a test of the command notices.
#include <cstdarg>

#include "cli/on_demand/on_demand.hpp"

namespace jostle {
namespace {

const cli::Studies& studies() {
  static const cli::Studies& functions =
      *reinterpret_cast<const cli::Studies* (*)()>(cli::entry_of(JOSTLE_STUDIES, cli::studies_entry))();
  return functions;
}

}  // namespace

namespace scenarios {

void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  studies().parallel_backend(count, work, threads);
}

}  // namespace scenarios
}  // namespace jostle

using jostle::studies;

// NOLINTBEGIN(readability-function-size): the parameters are SQLite's.
extern "C" {

int sqlite3_bind_double(sqlite3_stmt* statement, int index, double value) {
  return studies().bind_double(statement, index, value);
}
int sqlite3_bind_int64(sqlite3_stmt* statement, int index, sqlite3_int64 value) {
  return studies().bind_int64(statement, index, value);
}
int sqlite3_bind_null(sqlite3_stmt* statement, int index) {
  return studies().bind_null(statement, index);
}
int sqlite3_bind_text64(sqlite3_stmt* statement, int index, const char* text, sqlite3_uint64 bytes,
                        void (*destroy)(void*), unsigned char encoding) {
  return studies().bind_text64(statement, index, text, bytes, destroy, encoding);
}
int sqlite3_busy_handler(sqlite3* database, int (*handler)(void*, int), void* context) {
  return studies().busy_handler(database, handler, context);
}
int sqlite3_close(sqlite3* database) {
  return studies().close(database);
}
int sqlite3_close_v2(sqlite3* database) {
  return studies().close_v2(database);
}
int sqlite3_column_bytes(sqlite3_stmt* statement, int column) {
  return studies().column_bytes(statement, column);
}
int sqlite3_column_count(sqlite3_stmt* statement) {
  return studies().column_count(statement);
}
double sqlite3_column_double(sqlite3_stmt* statement, int column) {
  return studies().column_double(statement, column);
}
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt* statement, int column) {
  return studies().column_int64(statement, column);
}
const char* sqlite3_column_name(sqlite3_stmt* statement, int column) {
  return studies().column_name(statement, column);
}
const unsigned char* sqlite3_column_text(sqlite3_stmt* statement, int column) {
  return studies().column_text(statement, column);
}
int sqlite3_column_type(sqlite3_stmt* statement, int column) {
  return studies().column_type(statement, column);
}
// The options that jostle sets are all switches: a new value, and where the old one is written.
int sqlite3_db_config(sqlite3* database, int option, ...) {
  va_list arguments;
  va_start(arguments, option);
  const int value = va_arg(arguments, int);
  int* const before = va_arg(arguments, int*);
  va_end(arguments);
  return studies().db_config(database, option, value, before);
}
int sqlite3_deserialize(sqlite3* database, const char* schema, unsigned char* data, sqlite3_int64 size,
                        sqlite3_int64 capacity, unsigned flags) {
  return studies().deserialize(database, schema, data, size, capacity, flags);
}
int sqlite3_errcode(sqlite3* database) {
  return studies().errcode(database);
}
const char* sqlite3_errmsg(sqlite3* database) {
  return studies().errmsg(database);
}
int sqlite3_exec(sqlite3* database, const char* sql, int (*callback)(void*, int, char**, char**),
                 void* context, char** message) {
  return studies().exec(database, sql, callback, context, message);
}
int sqlite3_finalize(sqlite3_stmt* statement) {
  return studies().finalize(statement);
}
int sqlite3_limit(sqlite3* database, int limit, int value) {
  return studies().limit(database, limit, value);
}
void* sqlite3_malloc64(sqlite3_uint64 bytes) {
  return studies().malloc64(bytes);
}
int sqlite3_open_v2(const char* name, sqlite3** database, int flags, const char* vfs) {
  return studies().open_v2(name, database, flags, vfs);
}
int sqlite3_prepare_v2(sqlite3* database, const char* sql, int bytes, sqlite3_stmt** statement,
                       const char** rest) {
  return studies().prepare_v2(database, sql, bytes, statement, rest);
}
void sqlite3_progress_handler(sqlite3* database, int steps, int (*handler)(void*), void* context) {
  studies().progress_handler(database, steps, handler, context);
}
int sqlite3_reset(sqlite3_stmt* statement) {
  return studies().reset(statement);
}
int sqlite3_sleep(int milliseconds) {
  return studies().sleep(milliseconds);
}
int sqlite3_step(sqlite3_stmt* statement) {
  return studies().step(statement);
}
int sqlite3_stmt_readonly(sqlite3_stmt* statement) {
  return studies().stmt_readonly(statement);
}

}  // extern "C"
// NOLINTEND(readability-function-size)
