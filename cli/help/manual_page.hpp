// The help of a command as a manual page (man-pages(7)), from the same options and descriptions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace jostle::cli {

// `called`: the command's full name, such as "jostle run".
[[nodiscard]] std::string manual_page(const CLI::App& command, const std::string& called);

}  // namespace jostle::cli
