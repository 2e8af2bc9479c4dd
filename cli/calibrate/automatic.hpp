// `jostle calibrate auto DIR`: a profile from a probe's folder.
#pragma once

#include <string>

#include "cli/subcommand.hpp"

namespace jostle::cli {

struct AutomaticOptions {
  std::string folder, output, name, html;
  bool host = false;  // the cores and the memory alone
};

[[nodiscard]] ExitCode calibrate_automatically(const AutomaticOptions& options, Context& context);

}  // namespace jostle::cli
