// Reads whole files, and distinguishes names from paths.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "input/problems.hpp"

namespace jostle::input {

// On a command line, `-` is standard input.
[[nodiscard]] bool is_standard_input(std::string_view path);
// The printable name of a file in messages: "<standard input>" for `-`.
[[nodiscard]] std::string file_name(const std::string& path);

// The bytes of `path`, a file, a pipe or `-`, of at most `max_bytes` bytes; none, with the reason in
// `problem`, if it is a directory or a device, or missing, unreadable or larger. Standard input is read once
// and kept: a later call gets the same text. Throws Interrupted.
[[nodiscard]] std::optional<std::string> read_bytes(const std::string& path, std::size_t max_bytes,
                                                    std::string& problem);

// `text` without the byte order mark (UTF-8) that spreadsheets and editors put in front.
[[nodiscard]] std::string_view without_mark(std::string_view text);

// Reads text like read_bytes(), but without a byte order mark; an empty file is a problem too.
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                                        Problems& problems);

// True if `name` contains a '/'.
[[nodiscard]] bool has_directory(std::string_view name);

// True if `name` ends in .yaml or .yml.
[[nodiscard]] bool has_yaml_extension(std::string_view name);

// True if a user who writes `name` means a file rather than a shipped profile or network: it contains a '/'
// or ends in .yaml or .yml.
[[nodiscard]] bool is_path(std::string_view name);

}  // namespace jostle::input
