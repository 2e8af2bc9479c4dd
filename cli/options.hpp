// Helpers for options that CLI11 lacks: strict numbers, and the nearest spelling of what is not known.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace jostle::cli {

// A whole number in digits; throws CLI::ValidationError that names the option. (CLI11 takes -1 for a large
// number.)
[[nodiscard]] std::uint64_t whole_number(const std::string& option, const std::string& text);

// Accepts these words only, and tells the nearest.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

// For what was on the command line and no option or subcommand took: a line for each, with the nearest
// spelling.
[[nodiscard]] std::string unexpected(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace jostle::cli
