// Reads whole text files, and distinguishes names from paths.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "input/problems.hpp"

namespace jostle::input {

// The bytes of `path`, a file or a pipe of at most `max_bytes` bytes. A directory, a block device, or a file
// that is missing, unreadable, empty or larger is a problem. Throws Interrupted.
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                                        Problems& problems);

// Whether `name` contains a '/'.
[[nodiscard]] bool has_directory(std::string_view name);

// Whether `name` ends in .yaml or .yml.
[[nodiscard]] bool has_yaml_extension(std::string_view name);

// Whether a user who writes `name` means a file rather than something shipped: it contains a '/' or ends in
// .yaml or .yml.
[[nodiscard]] bool is_path(std::string_view name);

}  // namespace jostle::input
