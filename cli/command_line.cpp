#include "cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <sstream>
#include <string_view>

#include "cli/options.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/file_id.hpp"
#include "input/interruption.hpp"
#include "input/problems.hpp"

namespace jostle::cli {
namespace {

constexpr const char* description =
    "jostle: predicts the throughput and latency of every process that shares a GPU and a few\n"
    "CPU cores, and shows where the time goes.";

constexpr const char* epilogue =
    "A file - is standard input.\n"
    "\n"
    "Results go to standard output, everything else to standard error.\n"
    "COLUMNS sets the width of tables and help, NO_COLOR disables colour.\n"
    "\n"
    "Exit status:\n"
    "  0    done\n"
    "  1    failed\n"
    "  2    wrong usage, invalid input, or an output that cannot be opened; nothing was run\n"
    "  3    a process does not fit into memory (`run` runs the others), or heat shuts the board down. Of "
    "`probe`, `record`: a part failed or was set aside\n"
    "  130  interrupted (143: by SIGTERM, 129: by SIGHUP)";

// In the order of `jostle --help`. Those without a function are the laboratory's.
constexpr std::array subcommands{
    Subcommand{"new", add_new},
    Subcommand{"run", add_run},
    Subcommand{"check", add_check},
    Subcommand{"explain", add_explain},
    Subcommand{"compare", add_compare},
    Subcommand{"list", add_list},
    Subcommand{"show", add_show},
    Subcommand{"validate", nullptr},
    Subcommand{"calibrate", nullptr},
    Subcommand{"support", add_support},
    Subcommand{"roofline", add_roofline},
    Subcommand{"reproduce", nullptr},
    Subcommand{"import", nullptr},
    Subcommand{"probe", nullptr},
    Subcommand{"record", nullptr},
    Subcommand{"profile", add_profile},
    Subcommand{"sweep", add_sweep},
    Subcommand{"plan", add_plan},
    Subcommand{"query", add_query},
    Subcommand{"merge", add_merge},
    Subcommand{"offload", add_offload},
    Subcommand{"schema", add_schema},
    Subcommand{"completion", add_completion},
    Subcommand{"help", add_help},
};

bool is_of_laboratory(std::string_view word) {
  const auto found = std::ranges::find(subcommands, word, &Subcommand::name);
  return found != subcommands.end() && found->add == nullptr;
}

// Adds the requested subcommand. Adds all if no argument names one, and for those that describe all.
void add_subcommands(CLI::App& app, Task& task, std::string_view asked, Laboratory laboratory) {
  const bool tells_of_all = asked == "help" || asked == "completion";
  const bool alone =
      !tells_of_all && std::ranges::find(subcommands, asked, &Subcommand::name) != subcommands.end();
  for (const Subcommand& each : subcommands) {
    if (alone && each.name != asked) continue;
    const auto other = std::ranges::find(laboratory, each.name, &Subcommand::name);
    if (each.add != nullptr)
      each.add(app, task);
    else if (other != laboratory.end())
      other->add(app, task);
  }
}

// Prints help, version or error message through the terminal and returns our own exit code instead of
// CLI11's.
int print_parse_result(const CLI::App& app, const CLI::ParseError& error, Terminal& terminal) {
  std::ostringstream output, message;
  const int code = app.exit(error, output, message);
  if (code == 0) {
    terminal.print(help_text(output.str(), terminal.width()));
    return static_cast<int>(ExitCode::done);
  }
  // Misspelt words come first: they often cause the message that something is missing.
  const std::string misspelt = unexpected(app, app.remaining(true));
  terminal.note(misspelt.empty() ? message.str() : misspelt + "Run with --help for more information.\n");
  return static_cast<int>(ExitCode::bad_input);
}

// If a signal ended the command, the exit status is the signal's: any missing result is missing because of
// it.
int exit_status(ExitCode code, Terminal& terminal) {
  const int signal = ending_signal();
  if (signal == 0 || code == ExitCode::done || code == ExitCode::no_fit) return static_cast<int>(code);
  if (signal != SIGINT) terminal.complain(signal == SIGTERM ? "ended by SIGTERM" : "ended by SIGHUP");
  return 128 + signal;
}

}  // namespace

bool needs_no_laboratory(std::string_view word) {
  const auto found = std::ranges::find(subcommands, word, &Subcommand::name);
  return found != subcommands.end() && found->add != nullptr && word != "help" && word != "completion";
}

int command_line(int argc, const char* const* argv, const Terminal::Settings& settings, Laboratory laboratory,
                 const std::atomic<bool>* interrupted) {
  Terminal terminal(settings);
  if (interrupted == nullptr) input::forget_reads();
  try {
    CLI::App app{description, "jostle"};
    app.set_version_flag("--version", version_text,
                         "Print the version, the commit and what data are inside, and exit");
    app.require_subcommand(1);
    app.get_formatter()->column_width(description_column(terminal.width()));
    Task task;
    add_subcommands(app, task, argc > 1 ? argv[1] : "", laboratory);
    app.footer(epilogue);  // set after the subcommands, which would inherit it
    add_examples(app, {"run gate.yaml", "explain gate.yaml", "sweep study.yaml -o study.sqlite",
                       "plan study.yaml", "help run"});
    if (argc > 1 && laboratory.empty() && is_of_laboratory(argv[1])) {
      terminal.complain(
          std::string(argv[1]) +
          " is in jostle-laboratory, which is not beside this command: build or install all of jostle");
      return static_cast<int>(ExitCode::failed);
    }
    if (std::ranges::count(std::span(argv, static_cast<std::size_t>(argc)), std::string_view("-")) > 1) {
      terminal.complain("standard input (-) can be read once only");
      return static_cast<int>(ExitCode::bad_input);
    }
    if (argc > 1 && std::string_view(argv[1]) == complete_word) {  // a shell's request
      terminal.print_data(completions(app, {argv + 2, argv + argc}));
      return static_cast<int>(ExitCode::done);
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return print_parse_result(app, error, terminal);
    }
    Context context{terminal, interrupted != nullptr ? *interrupted : handle_signals()};
    return exit_status(task(context), terminal);
  } catch (const input::Interrupted&) {
    terminal.complain("interrupted");
    return exit_status(ExitCode::interrupted, terminal);
  } catch (const input::Refused& error) {
    terminal.complain(error.what());
    return exit_status(ExitCode::bad_input, terminal);
  } catch (const OutputError& error) {
    if (!error.closed()) terminal.complain(error.what());
  } catch (const std::exception& error) {
    terminal.complain(error.what());
  }
  return exit_status(ExitCode::failed, terminal);
}

}  // namespace jostle::cli
