// Writing of output files.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.hpp"
#include "input/printable.hpp"

namespace jostle::cli {

// False, with a message on standard error, if the file cannot be written.
[[nodiscard]] inline bool write_file(const std::string& path, std::string_view text, Terminal& terminal) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) terminal.complain(fmt::format("cannot write '{}'", input::printable(path, 400)));
  return static_cast<bool>(file);
}

}  // namespace jostle::cli
