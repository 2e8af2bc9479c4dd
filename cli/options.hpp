// Helpers for command-line options that CLI11 lacks: strict numbers, and spelling suggestions.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace jostle::cli {

// A whole number in decimal digits; throws CLI::ValidationError, naming the option. (CLI11 reads -1 as a
// large number.)
[[nodiscard]] std::uint64_t whole_number(const std::string& option, const std::string& text);

// Accepts only the values in `words`; the error message suggests the nearest one.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

// Adds an option whose value `type` names in the help ("FILE"), with the text beside it.
template <class Value>
CLI::Option* add_value(CLI::App& command, const char* name, Value& value, const char* type,
                       const std::string& about) {
  return command.add_option(name, value, about)->type_name(type);
}
// The same for one of several words: "text|json".
CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value, const char* words,
                        const std::string& about);

// The error message for the first of the arguments that no option or subcommand accepts, with the nearest
// spelling; empty if all are accepted.
[[nodiscard]] std::string unexpected(const CLI::App& app, const std::vector<std::string>& arguments);

// The error message for an argument of this command itself.
[[nodiscard]] std::string unexpected_of(const CLI::App& command, const std::string& argument);

// The subcommand with that name; null if there is none.
[[nodiscard]] const CLI::App* subcommand_named(const CLI::App& command, const std::string& name);

// Adds `examples` to the end of the command's help. Each holds the arguments of a call of `jostle` that works
// as it stands.
void add_examples(CLI::App& command, std::initializer_list<const char*> examples);

}  // namespace jostle::cli
