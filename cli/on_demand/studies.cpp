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

#define JOSTLE_CALL(name, result, parameters, arguments) \
  result sqlite3_##name parameters {                     \
    return studies().name arguments;                     \
  }
JOSTLE_SQLITE_FUNCTIONS(JOSTLE_CALL)
#undef JOSTLE_CALL

// The options that jostle sets are all switches: a new value, and where the old one is written.
int sqlite3_db_config(sqlite3* database, int option, ...) {
  va_list arguments;
  va_start(arguments, option);
  const int value = va_arg(arguments, int);
  int* const before = va_arg(arguments, int*);
  va_end(arguments);
  return studies().db_config(database, option, value, before);
}

}  // extern "C"
// NOLINTEND(readability-function-size)
