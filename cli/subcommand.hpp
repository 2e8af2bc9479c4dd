// The subcommands of `jostle`. Each is defined in a file that adds its options and sets the task to run.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

struct Context {
  Terminal& terminal;
  const std::atomic<bool>& interrupted;
};

// The work of a subcommand: set while the command line is parsed, run afterwards.
using Task = std::function<ExitCode(Context&)>;

// Makes `run` with these options the task, if the command line has the command.
template <class Options>
void set_task(CLI::App& command, Task& task, const std::shared_ptr<Options>& options,
              ExitCode (*run)(const Options& options, Context& context)) {
  command.callback(
      [&task, options, run] { task = [options, run](Context& context) { return run(*options, context); }; });
}

struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App&, Task&);
};

void add_new(CLI::App& app, Task& task);
void add_run(CLI::App& app, Task& task);
void add_check(CLI::App& app, Task& task);
void add_list(CLI::App& app, Task& task);
void add_show(CLI::App& app, Task& task);
void add_show_device(CLI::App& show, Task& task);
void add_show_model(CLI::App& show, Task& task);
void add_support(CLI::App& app, Task& task);
void add_roofline(CLI::App& app, Task& task);
void add_sweep(CLI::App& app, Task& task);
void add_plan(CLI::App& app, Task& task);
void add_query(CLI::App& app, Task& task);
void add_merge(CLI::App& app, Task& task);
void add_offload(CLI::App& app, Task& task);
void add_profile(CLI::App& app, Task& task);
void add_schema(CLI::App& app, Task& task);
void add_explain(CLI::App& app, Task& task);
void add_compare(CLI::App& app, Task& task);
void add_completion(CLI::App& app, Task& task);
void add_help(CLI::App& app, Task& task);

// The first argument of the calls that the scripts of add_completion() make: `jostle __complete run --fo`.
inline constexpr std::string_view complete_word = "__complete";
// The answer to such a call: one word per line, its description after a tab; the line ":files" if files are
// possible too. `typed`: the words after the first argument, the last of them unfinished.
[[nodiscard]] std::string completions(const CLI::App& app, const std::vector<std::string>& typed);

}  // namespace jostle::cli
