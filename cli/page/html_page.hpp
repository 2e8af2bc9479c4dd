// `--html FILE`: a result as a self-contained HTML page with its data and its charts (web/).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace jostle::cli {

// Adds the option --html FILE.
void add_html(CLI::App& command, std::string& path);

// The page. `kind` is the command: run, sweep, plan, offload or reproduce. The function that builds `data`
// documents it; web/src/KIND.js draws it.
[[nodiscard]] std::string html_page(std::string_view kind, const std::string& title,
                                    const nlohmann::ordered_json& data);

// Lines of JSON as one array.
[[nodiscard]] nlohmann::ordered_json json_lines(const std::string& text);

// A number rounded to six significant digits, enough for a chart.
[[nodiscard]] double rounded(double value);

}  // namespace jostle::cli
