// The module with TBB and SQLite that the command loads on demand.
#include "cli/on_demand/on_demand.hpp"

extern "C" [[gnu::visibility("default")]] const jostle::cli::Studies* jostle_studies() {
  static constexpr jostle::cli::Studies functions{.parallel_backend = jostle::scenarios::parallel_backend,
                                                  .bind_double = sqlite3_bind_double,
                                                  .bind_int64 = sqlite3_bind_int64,
                                                  .bind_null = sqlite3_bind_null,
                                                  .bind_text64 = sqlite3_bind_text64,
                                                  .busy_handler = sqlite3_busy_handler,
                                                  .close = sqlite3_close,
                                                  .close_v2 = sqlite3_close_v2,
                                                  .column_bytes = sqlite3_column_bytes,
                                                  .column_count = sqlite3_column_count,
                                                  .column_double = sqlite3_column_double,
                                                  .column_int64 = sqlite3_column_int64,
                                                  .column_name = sqlite3_column_name,
                                                  .column_text = sqlite3_column_text,
                                                  .column_type = sqlite3_column_type,
                                                  .db_config = sqlite3_db_config,
                                                  .deserialize = sqlite3_deserialize,
                                                  .errcode = sqlite3_errcode,
                                                  .errmsg = sqlite3_errmsg,
                                                  .exec = sqlite3_exec,
                                                  .finalize = sqlite3_finalize,
                                                  .limit = sqlite3_limit,
                                                  .malloc64 = sqlite3_malloc64,
                                                  .open_v2 = sqlite3_open_v2,
                                                  .prepare_v2 = sqlite3_prepare_v2,
                                                  .progress_handler = sqlite3_progress_handler,
                                                  .reset = sqlite3_reset,
                                                  .sleep = sqlite3_sleep,
                                                  .step = sqlite3_step,
                                                  .stmt_readonly = sqlite3_stmt_readonly};
  return &functions;
}
