// `jostle help`: prints the help of a command, or its manual page.
#include <memory>

#include "cli/help/manual_page.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/paragraph.hpp"

namespace jostle::cli {
namespace {

ExitCode print_help(const CLI::App& app, const std::vector<std::string>& names, bool manual,
                    Context& context) {
  Terminal& terminal = context.terminal;
  const CLI::App* about = &app;
  std::string called = app.get_name();
  for (const std::string& name : names) {
    const CLI::App* const inner = subcommand_named(*about, name);
    if (inner == nullptr) {
      terminal.note(unexpected_of(*about, name));
      return ExitCode::bad_input;
    }
    about = inner;
    called += " " + name;
  }
  if (manual)
    terminal.print_data(manual_page(*about, called));
  else
    terminal.print(help_text(about->get_formatter()->make_help(about, called, CLI::AppFormatMode::Normal),
                             terminal.width()));
  return ExitCode::done;
}

}  // namespace

void add_help(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("help", "Print the help of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto manual = std::make_shared<bool>(false);
  add_value(*command, "COMMAND", *names, "", "A command, such as run or list devices (default: all)");
  command->add_flag("--manual", *manual, "Print it as a manual page, for man");
  add_examples(*command, {"help run", "help list modes", "help run --manual | man -l -"});
  command->callback([&app, &task, names, manual] {
    task = [&app, names, manual](Context& context) { return print_help(app, *names, *manual, context); };
  });
}

}  // namespace jostle::cli
