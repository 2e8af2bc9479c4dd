#include "cli/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::cli {
namespace {

// The innermost subcommand in use, or the app itself.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

}  // namespace

std::uint64_t whole_number(const std::string& option, const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc{} && read.ptr == end) return number;
  throw CLI::ValidationError(
      option, fmt::format("'{}' is not a whole number from 0 to {}", input::printable(text), UINT64_MAX));
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](std::string& word) -> std::string {
    for (const std::string& known : words) {
      if (known == word) return {};
    }
    return fmt::format("unknown '{}' ({})", input::printable(word), input::spelling_hint(word, words));
  };
  return {check, "", "one_of"};
}

CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value, const char* words,
                        const std::string& about) {
  return add_value(command, name, value, words, about)->check(one_of(CLI::detail::split(words, '|')));
}

std::string unexpected(const CLI::App& app, const std::vector<std::string>& arguments) {
  return arguments.empty() ? std::string{} : unexpected_of(innermost(app), arguments.front());
}

std::string unexpected_of(const CLI::App& command, const std::string& argument) {
  std::vector<std::string> options, commands;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (const CLI::App* sub : command.get_subcommands(nullptr)) commands.push_back(sub->get_name());

  const bool option = argument.starts_with("-");
  const std::string name = argument.substr(0, argument.find('='));
  const std::string near = input::nearest(name, option ? options : commands);
  return fmt::format("{}: {} '{}'{}\n", command.get_display_name(), option ? "unknown option" : "unexpected",
                     input::printable(name), near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

const CLI::App* subcommand_named(const CLI::App& command, const std::string& name) {
  const auto named = command.get_subcommands([&name](const CLI::App* sub) { return sub->check_name(name); });
  return named.empty() ? nullptr : named.front();
}

void add_examples(CLI::App& command, std::initializer_list<const char*> examples) {
  std::string text = command.get_footer();
  text += text.empty() ? "\nExamples:\n" : "\n\nExamples:\n";
  for (const char* const example : examples) text += fmt::format("  jostle {}\n", example);
  text.pop_back();
  command.footer(text);
}

}  // namespace jostle::cli
