#include "cli/plan/write.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "analyses/deploy/deploy.hpp"
#include "cli/options.hpp"
#include "input/printable.hpp"

namespace jostle::cli {

void add_write(CLI::App& command, std::vector<std::string>& write) {
  const std::vector<std::string> tools = analyses::deploy_tools();
  command
      .add_option_function<std::vector<std::string>>(
          "--write",
          [&write, tools](const std::vector<std::string>& given) {
            if (const std::string wrong = one_of(tools)(given.front()); !wrong.empty())
              throw CLI::ValidationError("--write", wrong);
            write = given;
          },
          "Write the best point in the words of a tool, to the new folder DIR")
      ->type_size(2)
      ->expected(1)
      ->type_name(fmt::format("{} DIR", fmt::join(tools, "|")));
}

ExitCode write_for_tool(const BestPoint& best, const std::vector<std::string>& write,
                        const output::OutputFolder& folder, Terminal& terminal) {
  const std::string &tool = write.front(), path = input::printable(write.back(), 400);
  const analyses::Deployment made =
      analyses::deployment(tool, best.scenario, best.device, std::filesystem::path(best.study).filename());
  std::string told;
  for (const analyses::Unsaid& one : made.unsaid) told += "not said: " + one.text() + "\n";
  if (made.files.empty()) {
    terminal.complain(fmt::format("{}: not written; {} runs none of the processes\n{}", path, tool, told));
    return ExitCode::failed;
  }
  for (const analyses::DeployedFile& file : made.files) {
    folder.add(file.path, file.text);
    told += fmt::format("{}/{}\n", path, file.path);
  }
  folder.commit();
  terminal.note(told);
  return ExitCode::done;
}

}  // namespace jostle::cli
