// The command `jostle-laboratory`: all of `jostle`, and the subcommands of the laboratory.
#include "cli/command_line.hpp"
#include "cli/laboratory/laboratory.hpp"

int main(int argc, char** argv) {
  using namespace jostle::cli;
  open_standard_descriptors();
  return command_line(argc, argv, Terminal::detect(), laboratory());
}
