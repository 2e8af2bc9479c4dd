// `jostle check`: reads scenarios as strictly as a run does, tells what will not fit into memory, and runs
// nothing.
#include <fmt/format.h>

#include <memory>

#include "cli/questions.hpp"
#include "cli/report.hpp"
#include "scenarios/run.hpp"

namespace jostle::cli {

void add_check(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("check", "Say what is wrong with scenario files, without running them");
  const auto questions = std::make_shared<Questions>();
  add_questions(*command, *questions);
  command->callback([&task, questions] {
    task = [questions](Context& context) {
      const auto all = read(*questions, context.terminal);
      if (!all) return ExitCode::bad_input;
      for (std::size_t i = 0; i < all->size(); ++i) {
        const scenarios::Scenario& scenario = (*all)[i];
        const std::size_t processes = scenarios::expand(scenario).size();
        context.terminal.print(fmt::format("{}: ok, {} process{} on {}\n", questions->files[i], processes,
                                           processes == 1 ? "" : "es", scenario.device));
        (void)say_who_fits(questions->files[i], scenarios::preview(scenario), context.terminal);
      }
      return ExitCode::done;
    };
  });
}

}  // namespace jostle::cli
