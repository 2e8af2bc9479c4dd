#include "cli/page/html_page.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "output/json.hpp"
#include "web/report_page.hpp"

namespace jostle::cli {

void add_html(CLI::App& command, std::string& path) {
  command.add_option("--html", path, "Write the result as a self-contained HTML page with charts")
      ->type_name("FILE");
}

std::string html_page(std::string_view kind, const std::string& title, const nlohmann::ordered_json& data) {
  nlohmann::ordered_json all{
      {"schema", "jostle.report/1"}, {"kind", kind}, {"version", JOSTLE_VERSION}, {"title", title}};
  all.update(data);
  constexpr std::string_view mark = "<!--data-->";
  const std::string_view page = report_page();
  const std::size_t at = page.find(mark);
  std::string text(page.substr(0, at));
  // Escapes "<", which JSON has in strings only, so that no string ends the <script> element.
  for (const char c : output::json_text(all)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text.append(page.substr(at + mark.size()));
}

nlohmann::ordered_json json_lines(const std::string& text) {
  auto lines = nlohmann::ordered_json::array();
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(output::parsed_json(line));
  return lines;
}

double rounded(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  double back = value;
  std::from_chars(text.data(), text.data() + text.size(), back);
  return back;
}

}  // namespace jostle::cli
