// `--html FILE`: an answer as one page that needs no network: its data, and the charts that draw it (web/).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace jostle::cli {

// --html FILE
void add_html(CLI::App& command, std::string& path);

// The page. `kind` is the command: run, sweep, plan, offload or reproduce; what `data` holds is told where it
// is made, and drawn by web/src/KIND.js.
[[nodiscard]] std::string html_page(std::string_view kind, const std::string& title,
                                    const nlohmann::ordered_json& data);

// Lines of JSON as one array.
[[nodiscard]] nlohmann::ordered_json json_lines(const std::string& text);

// A figure with no more digits than a chart shows.
[[nodiscard]] double rounded(double value);

}  // namespace jostle::cli
