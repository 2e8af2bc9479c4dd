// The command `jostle-laboratory`: all of `jostle`, and the subcommands of the laboratory.
#include "cli/command_line.hpp"
#include "cli/laboratory/laboratory.hpp"

int main(int argc, char** argv) {
  jostle::cli::open_standard_descriptors();
  return jostle::cli::command_line(argc, argv, jostle::cli::Terminal::detect(), jostle::cli::laboratory());
}
