// `jostle help`: prints the help of a command, or its manual page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/paragraph.hpp"

namespace jostle::cli {
namespace {

// Text escaped so that roff prints it unchanged.
std::string roff(const std::string& text) {
  std::string safe;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) safe += "\\&";
    line_begins = c == '\n';
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe;
}

// The command's name as one word: "jostle-run".
std::string hyphenated(const std::string& called) {
  std::string name = called;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  return command.get_options(
      [positional](const CLI::Option* option) { return option->get_positional() == positional; });
}

std::string synopsis(const CLI::App& command, const std::string& called) {
  std::string text = fmt::format(".SH SYNOPSIS\n.B {}\n", roff(called));
  if (!options_of(command, false).empty()) text += "[\\fIOPTIONS\\fR]\n";
  for (const CLI::Option* option : options_of(command, true)) {
    std::string shown = fmt::format("\\fI{}\\fR", roff(option->get_name(true)));
    if (option->get_items_expected_max() > 1) shown += "...";
    text += (option->get_required() ? shown : "[" + shown + "]") + "\n";
  }
  if (!command.get_subcommands(nullptr).empty()) text += "\\fICOMMAND\\fR\n";
  return text;
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  const auto add = [&names](const std::string& name) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (names.empty()) return fmt::format("\\fI{}\\fR", roff(option.get_name(true)));
  const std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  return type.empty() ? names : fmt::format("{} \\fI{}\\fR", names, roff(type));
}

std::string entries(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return {};
  std::string text = fmt::format(".SH {}\n", title);
  for (const CLI::Option* option : options)
    text += fmt::format(".TP\n{}\n{}\n", names_of(*option), roff(option->get_description()));
  return text;
}

// Sections made of the footer: EXAMPLES and EXIT STATUS for the lines below "Examples:" and "Exit status:",
// NOTES for other lines. Line breaks are kept.
std::string notes(const std::string& footer) {
  std::string text, line, pending = ".SH NOTES\n.nf\n";
  bool open = false;
  for (std::istringstream lines(footer); std::getline(lines, line);) {
    if (line == "Examples:" || line == "Exit status:") {
      if (open) text += ".fi\n";
      open = false;
      pending = line == "Examples:" ? ".SH EXAMPLES\n.nf\n" : ".SH EXIT STATUS\n.nf\n";
      continue;
    }
    if (line.empty() && !open) continue;
    if (!open) text += pending;
    open = true;
    text += line.empty() ? ".sp\n" : roff(line) + "\n";
  }
  return text + (open ? ".fi\n" : "");
}

// The help of a command as a manual page (man-pages(7)), from the same options and descriptions. `called`:
// the command's full name, such as "jostle run".
std::string manual_page(const CLI::App& command, const std::string& called) {
  std::string title = hyphenated(called);
  std::ranges::transform(title, title.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string about = command.get_description();
  std::ranges::replace(about, '\n', ' ');
  if (about.starts_with("jostle: ")) about.erase(0, 8);
  std::string text = fmt::format(".TH {} 1 \"\" \"jostle {}\" \"User Commands\"\n", title, JOSTLE_VERSION) +
                     fmt::format(".SH NAME\n{} \\- {}\n", hyphenated(called), roff(about)) +
                     synopsis(command, called) + entries("ARGUMENTS", options_of(command, true));
  const auto subcommands = command.get_subcommands(nullptr);
  if (!subcommands.empty()) text += ".SH COMMANDS\n";
  for (const CLI::App* sub : subcommands)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(sub->get_name()), roff(sub->get_description()));
  text += entries("OPTIONS", options_of(command, false)) + notes(command.get_footer());
  return text + (called == "jostle" ? ".SH SEE ALSO\n\\fBjostle help\\fR \\fICOMMAND\\fR\n"
                                    : ".SH SEE ALSO\n.BR jostle (1)\n");
}

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
