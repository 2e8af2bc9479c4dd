// What the command returns to the shell; a contract with scripts.
#pragma once

namespace jostle::cli {

enum class ExitCode {
  done = 0,
  failed = 1,     // anything that is not below
  bad_input = 2,  // usage, or a file that is wrong: nothing was run
  no_fit = 3,     // a process did not fit into memory; the others were run
  interrupted = 130
};

}  // namespace jostle::cli
