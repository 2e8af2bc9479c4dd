// A whole text file into memory, within a limit, with a reason a user can act on when it cannot be had.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "input/problems.hpp"

namespace jostle::input {

// The bytes of `path`. A directory, a device, a missing, unreadable, empty or larger file is a problem.
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                                        Problems& problems);

}  // namespace jostle::input
