// The command `jostle`: the implementation is in command_line.hpp, which tests call too.
#include "cli/command_line.hpp"

int main(int argc, char** argv) {
  jostle::cli::open_standard_descriptors();
  return jostle::cli::command_line(argc, argv, jostle::cli::Terminal::detect());
}
