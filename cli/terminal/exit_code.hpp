// Exit codes of the command. Scripts depend on them.
#pragma once

namespace jostle::cli {

enum class ExitCode {
  done = 0,
  failed = 1,        // any other error
  bad_input = 2,     // wrong usage, an invalid file, or an output that cannot be opened; nothing was run
  no_fit = 3,        // a process did not fit into memory; the others were run
  set_aside = 3,     // a part of a probe failed, or the machine's state changed in it; the others are done
  interrupted = 130  // SIGINT; after SIGTERM 143, after SIGHUP 129: 128 + the signal
};

}  // namespace jostle::cli
