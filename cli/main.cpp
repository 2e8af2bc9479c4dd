// The command `jostle`: the implementation is in command_line.hpp, which tests call too.
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/command_line.hpp"

namespace {

// Becomes the laboratory's command, which is beside this one or where it was installed. Returns if there is
// none.
void become_laboratory(char** argv) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& folder : {here, here / JOSTLE_LABORATORY})
    execv((folder / "jostle-laboratory").c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  jostle::cli::open_standard_descriptors();
  if (argc < 2 || !jostle::cli::needs_no_laboratory(argv[1])) become_laboratory(argv);
  return jostle::cli::command_line(argc, argv, jostle::cli::Terminal::detect(), {});
}
