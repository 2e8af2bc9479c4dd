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

// The needs of studies and of several runs at once: TBB's loop, and the functions of SQLite that jostle
// calls.
struct Studies {
  decltype(&scenarios::parallel_backend) parallel_backend;
  decltype(&sqlite3_bind_double) bind_double;
  decltype(&sqlite3_bind_int64) bind_int64;
  decltype(&sqlite3_bind_null) bind_null;
  decltype(&sqlite3_bind_text64) bind_text64;
  decltype(&sqlite3_busy_handler) busy_handler;
  decltype(&sqlite3_close) close;
  decltype(&sqlite3_close_v2) close_v2;
  decltype(&sqlite3_column_bytes) column_bytes;
  decltype(&sqlite3_column_count) column_count;
  decltype(&sqlite3_column_double) column_double;
  decltype(&sqlite3_column_int64) column_int64;
  decltype(&sqlite3_column_name) column_name;
  decltype(&sqlite3_column_text) column_text;
  decltype(&sqlite3_column_type) column_type;
  decltype(&sqlite3_db_config) db_config;
  decltype(&sqlite3_deserialize) deserialize;
  decltype(&sqlite3_errcode) errcode;
  decltype(&sqlite3_errmsg) errmsg;
  decltype(&sqlite3_exec) exec;
  decltype(&sqlite3_finalize) finalize;
  decltype(&sqlite3_limit) limit;
  decltype(&sqlite3_malloc64) malloc64;
  decltype(&sqlite3_open_v2) open_v2;
  decltype(&sqlite3_prepare_v2) prepare_v2;
  decltype(&sqlite3_progress_handler) progress_handler;
  decltype(&sqlite3_reset) reset;
  decltype(&sqlite3_sleep) sleep;
  decltype(&sqlite3_step) step;
  decltype(&sqlite3_stmt_readonly) stmt_readonly;
};
inline constexpr const char* studies_entry = "jostle_studies";  // its function: const Studies*()

// The address of `entry` in the module `file`, which is found beside the command or where it was installed.
// Throws std::runtime_error.
[[nodiscard]] void* entry_of(const char* file, const char* entry);

}  // namespace jostle::cli
