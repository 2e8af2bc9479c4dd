// The module with TBB and SQLite that the command loads on demand.
#include "cli/on_demand/on_demand.hpp"

extern "C" [[gnu::visibility("default")]] const jostle::cli::Studies* jostle_studies() {
#define JOSTLE_ADDRESS(name, result, parameters, arguments) .name = sqlite3_##name,
  static constexpr jostle::cli::Studies functions{.parallel_backend = jostle::scenarios::parallel_backend,
                                                  .db_config = sqlite3_db_config,
                                                  JOSTLE_SQLITE_FUNCTIONS(JOSTLE_ADDRESS)};
#undef JOSTLE_ADDRESS
  return &functions;
}
