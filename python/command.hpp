// The command `jostle` inside of Python's process, for what Python asks as the command does: it imports logs,
// validates, reproduces and writes pages.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace jostle::python {

struct CommandEnd {
  int code = 0;  // cli/terminal/exit_code.hpp
  std::string output, messages;
};

// Runs the command with these arguments (without its name) and keeps what it prints, as if both were files.
// `progress` and Ctrl-C are those of call.hpp; signal handlers stay Python's.
[[nodiscard]] CommandEnd command(const std::vector<std::string>& arguments, pybind11::object progress);

// Runs the command in place of this process's own work: it prints, and installs its signal handlers. Returns
// the exit code.
[[nodiscard]] int command_line(const std::vector<std::string>& arguments);

}  // namespace jostle::python
