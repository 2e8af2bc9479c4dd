// The modules that the command loads when they are needed: functions that use libraries which take long to
// load, compared with a short run.
//
// There are two, since a study does not need ONNX. module.cpp and studies_module.cpp are the
// modules. on_demand.cpp and studies.cpp, which only the command links, define the functions as calls into
// them; other programs link the functions and the libraries directly.
#pragma once

#include <sqlite3.h>

#include "profiles/onnx/onnx.hpp"
#include "scenarios/run/parallel_backend.hpp"

namespace jostle::cli {

// The function that uses ONNX.
struct OnDemand {
  decltype(&profiles::parse_onnx) parse_onnx;
};
inline constexpr const char* on_demand_entry = "jostle_on_demand";  // its function: const OnDemand*()

// The functions of SQLite that jostle calls, each with its result, parameters and arguments; db_config, whose
// parameters are open, is beside them.
#define JOSTLE_SQLITE_FUNCTIONS(X)                                                                      \
  X(bind_double, int, (sqlite3_stmt * s, int i, double v), (s, i, v))                                   \
  X(bind_int64, int, (sqlite3_stmt * s, int i, sqlite3_int64 v), (s, i, v))                             \
  X(bind_null, int, (sqlite3_stmt * s, int i), (s, i))                                                  \
  X(bind_text64, int,                                                                                   \
    (sqlite3_stmt * s, int i, const char* t, sqlite3_uint64 n, void (*end)(void*), unsigned char e),    \
    (s, i, t, n, end, e))                                                                               \
  X(busy_handler, int, (sqlite3 * d, int (*f)(void*, int), void* of), (d, f, of))                       \
  X(close, int, (sqlite3 * d), (d))                                                                     \
  X(close_v2, int, (sqlite3 * d), (d))                                                                  \
  X(column_bytes, int, (sqlite3_stmt * s, int i), (s, i))                                               \
  X(column_count, int, (sqlite3_stmt * s), (s))                                                         \
  X(column_double, double, (sqlite3_stmt * s, int i), (s, i))                                           \
  X(column_int64, sqlite3_int64, (sqlite3_stmt * s, int i), (s, i))                                     \
  X(column_name, const char*, (sqlite3_stmt * s, int i), (s, i))                                        \
  X(column_text, const unsigned char*, (sqlite3_stmt * s, int i), (s, i))                               \
  X(column_type, int, (sqlite3_stmt * s, int i), (s, i))                                                \
  X(deserialize, int,                                                                                   \
    (sqlite3 * d, const char* name, unsigned char* b, sqlite3_int64 n, sqlite3_int64 most, unsigned u), \
    (d, name, b, n, most, u))                                                                           \
  X(errcode, int, (sqlite3 * d), (d))                                                                   \
  X(errmsg, const char*, (sqlite3 * d), (d))                                                            \
  X(exec, int, (sqlite3 * d, const char* q, int (*f)(void*, int, char**, char**), void* of, char** e),  \
    (d, q, f, of, e))                                                                                   \
  X(finalize, int, (sqlite3_stmt * s), (s))                                                             \
  X(limit, int, (sqlite3 * d, int which, int v), (d, which, v))                                         \
  X(malloc64, void*, (sqlite3_uint64 n), (n))                                                           \
  X(open_v2, int, (const char* name, sqlite3** d, int how, const char* vfs), (name, d, how, vfs))       \
  X(prepare_v2, int, (sqlite3 * d, const char* q, int n, sqlite3_stmt** s, const char** rest),          \
    (d, q, n, s, rest))                                                                                 \
  X(progress_handler, void, (sqlite3 * d, int steps, int (*f)(void*), void* of), (d, steps, f, of))     \
  X(reset, int, (sqlite3_stmt * s), (s))                                                                \
  X(sleep, int, (int ms), (ms))                                                                         \
  X(step, int, (sqlite3_stmt * s), (s))                                                                 \
  X(stmt_readonly, int, (sqlite3_stmt * s), (s))

// The needs of studies and of several runs at once: TBB's loop, and SQLite.
struct Studies {
  decltype(&scenarios::parallel_backend) parallel_backend;
  decltype(&sqlite3_db_config) db_config;
#define JOSTLE_MEMBER(name, result, parameters, arguments) decltype(&sqlite3_##name) name;
  JOSTLE_SQLITE_FUNCTIONS(JOSTLE_MEMBER)
#undef JOSTLE_MEMBER
};
inline constexpr const char* studies_entry = "jostle_studies";  // its function: const Studies*()

// The address of `entry` in the module `file`, which is found beside the command or where it was installed.
// Throws std::runtime_error.
[[nodiscard]] void* entry_of(const char* file, const char* entry);

}  // namespace jostle::cli
