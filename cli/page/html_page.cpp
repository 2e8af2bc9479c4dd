#include "cli/page/html_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/terminal/paragraph.hpp"
#include "input/printable.hpp"
#include "output/json.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/result_text.hpp"
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
namespace {

using WordsJson = nlohmann::ordered_json;

// With a capital in front, unless the first word is a name with a digit or a dash, and a full stop behind.
std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  const std::size_t end = text.find_first_of(" :,");
  const bool plain_word =
      text.substr(0, end).find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  if (plain_word) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (text.back() != '.' && text.back() != '?') text += '.';
  return text;
}

WordsJson sentences(const std::vector<std::string>& lines) {
  WordsJson json = WordsJson::array();
  for (const std::string& line : lines)
    if (!line.empty()) json.push_back(as_sentence(line));
  return json;
}

WordsJson passages(const std::vector<Passage>& all) {
  WordsJson json = WordsJson::array();
  for (const Passage& passage : all) {
    WordsJson one{{"title", passage.title}, {"lines", sentences(passage.lines)}, {"wide", passage.wide}};
    if (!passage.tables.empty()) one["table"] = passage.tables.front().json();
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string passage_text(const Passage& passage, int width, bool colour) {
  if (passage.tables.empty() && passage.lines.empty()) return {};
  std::string text = "\n";
  if (!passage.title.empty())
    text += styled(input::printable(passage.title, 200), Style::strong, colour) + "\n";
  for (const Table& table : passage.tables) text += table.text(width, colour);
  for (const std::string& line : passage.lines) text += paragraph(line, width, 2);
  return text;
}

std::string verdict_line(const std::optional<scenarios::Verdict>& verdict, int width, bool colour) {
  if (!verdict || verdict->text.empty()) return {};
  std::string text = paragraph(verdict->text, width, 0);
  text.pop_back();
  return styled(text, verdict->met == false ? Style::bad : Style::strong, colour) + "\n";
}

std::string head_text(const PageWords& words, int width, bool colour, const std::string& also) {
  std::string text = paragraph(words.question + "?", width, 0);
  if (!words.scenario.empty() || !words.processes.empty())
    text += paragraph(
        fmt::format("{}{}{}", words.scenario, words.scenario.empty() || words.processes.empty() ? "" : ": ",
                    fmt::join(words.processes, "; ")),
        width, 2);
  scenarios::Verdict answer = words.verdict.value_or(scenarios::Verdict());
  if (!words.verdict && !words.answer.empty() && !words.answer.front().lines.empty())
    answer.text = words.answer.front().lines.front();
  text += verdict_line(answer, width, colour) + also;
  if (!words.why.empty()) text += paragraph(fmt::format("why: {}", fmt::join(words.why, "; ")), width, 0);
  if (!words.trust.empty()) text += paragraph("how sure: " + words.trust.front(), width, 0);
  return text;
}

std::string words_text(const PageWords& words, int width, bool colour) {
  std::string text = head_text(words, width, colour);
  for (const Passage& passage : words.answer)
    if (words.verdict || &passage != &words.answer.front())  // else the head has it
      text += passage_text(passage, width, colour);
  for (const std::string& line : words.missing) text += paragraph(line, width, 2);
  if (!words.best.empty()) text += paragraph(words.best, width, 2);
  for (const PageWarning& warning : words.warnings)
    text += paragraph(fmt::format("{}: {}", warning.title, warning.text), width, 2);
  for (std::size_t i = 1; i < words.trust.size(); ++i) text += paragraph(words.trust[i], width, 2);
  for (const Passage& passage : words.more) text += passage_text(passage, width, colour);
  return text;
}

PageWords page_words(const scenarios::InWords& scenario) {
  return {.verdict = {}, .scenario = scenario.board, .processes = scenario.processes, .run = scenario.run};
}

std::string grade_sentence(const std::string& of, const std::string& grade, const std::string& range) {
  const std::string far = range.empty()
                              ? fmt::format("a real board may differ by {}", scenarios::usual_error(grade))
                              : fmt::format("9 of 10 real boards should show {}", range);
  if (grade.empty()) return fmt::format("{}: {}", of, far);
  return fmt::format("{}: {} ({}: {})", of, far, grade, scenarios::meaning(grade));
}

nlohmann::ordered_json words_json(PageWords words) {
  constexpr std::size_t most = 2;  // sentences on how sure it is that are not folded
  if (words.trust.size() > most) {
    words.more.push_back({"how sure, in detail", {}, {words.trust.begin() + most, words.trust.end()}});
    words.trust.resize(most);
  }
  WordsJson json{{"scenario", words.scenario},
                 {"processes", words.processes},
                 {"run", words.run},
                 {"question", words.question},
                 {"answer", passages(words.answer)},
                 {"missing", sentences(words.missing)},
                 {"why", sentences(words.why)},
                 {"best", as_sentence(words.best)},
                 {"trust", sentences(words.trust)},
                 {"warnings", WordsJson::array()},
                 {"more", passages(words.more)}};
  if (words.verdict) {
    json["verdict"] = scenarios::json_of(*words.verdict);
    json["verdict"]["text"] = as_sentence(words.verdict->text);
  }
  for (const PageWarning& warning : words.warnings)
    json["warnings"].push_back({{"title", warning.title}, {"text", as_sentence(warning.text)}});
  return json;
}

}  // namespace jostle::cli
