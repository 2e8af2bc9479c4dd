#include "scenarios/language/template.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>
#include <sstream>

#include "profiles/embedded.hpp"

namespace jostle::scenarios {

[[nodiscard]] std::span<const profiles::EmbeddedFile> embedded_files();

namespace {

constexpr std::string_view folder = "templates/", ending = ".yaml", mark = "#? ";

// The line as the answer has it; none: it is one of the other language's, or a question.
std::optional<std::string> of_language(std::string line, bool cpp) {
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return line;
  const std::string_view of = std::string_view(line).substr(at + mark.size());
  const bool other = of == "C++";
  if (at == 0 || (of != "Python" && !other) || other != cpp) return std::nullopt;
  line.resize(line.find_last_not_of(' ', at - 1) + 1);
  if (other) line[0] = ' ';  // the comment's
  return line;
}

// One process for each model: of the template's, in order, and copies of the last.
std::vector<std::string> with_models(const std::vector<std::vector<std::string>>& processes,
                                     const std::vector<std::string>& defaults,
                                     const std::vector<std::string>& models) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::size_t from = std::min(i, processes.size() - 1);
    for (std::string line : processes[from]) {
      line = boost::replace_all_copy(line, "model: " + defaults[std::min(from, defaults.size() - 1)],
                                     "model: " + models[i]);
      if (i > from && line.find("- name: ") != std::string::npos) line += fmt::format("_{}", i + 1);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const profiles::EmbeddedFile& file : embedded_files())
    names.emplace_back(file.path.substr(folder.size(), file.path.size() - folder.size() - ending.size()));
  return names;
}

std::string_view template_text(std::string_view name) {
  return profiles::embedded_file(embedded_files(), fmt::format("{}{}{}", folder, name, ending)).value();
}

std::optional<std::string> template_default(std::string_view text, std::string_view key) {
  const std::string start = fmt::format("{}{}: ", mark, key);
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t from = at + start.size();
  return std::string(text.substr(from, text.find('\n', from) - from));
}

std::vector<std::string> words_of_list(const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  for (std::string& word : words) boost::trim(word);
  std::erase(words, "");
  return words;
}

std::string filled_template(std::string_view text, const TemplateAnswers& answers) {
  const auto asked = [text](const char* key) { return template_default(text, key).value_or(""); };
  const std::vector<std::string> defaults = words_of_list(asked("models"));
  std::vector<std::string> head, tail;
  std::vector<std::vector<std::string>> processes;
  bool within = false;
  std::istringstream lines_of_text{std::string(text)};
  for (std::string raw; std::getline(lines_of_text, raw);) {
    auto line = of_language(raw, answers.cpp);
    if (!line) continue;
    const auto answer = [&](const char* key, const std::string& given) {
      const std::string usual = asked(key);
      if (!usual.empty() && !given.empty()) *line = boost::replace_all_copy(*line, usual, given);
    };
    answer("board", answers.board);
    answer("comes", answers.comes);
    if (line->starts_with("constraints:")) {
      if (answers.limit == "none") continue;
      answer("limit", answers.limit);
    }
    const bool indented = line->starts_with(' ') || line->starts_with('#');
    if (line->starts_with("  - ")) processes.emplace_back();
    if (within && !indented) within = false;
    if (within && !processes.empty())
      processes.back().push_back(*line);
    else
      (processes.empty() ? head : tail).push_back(*line);
    within = within || line->starts_with("processes:");
  }
  std::string scenario;
  for (const auto& lines :
       {head, with_models(processes, defaults, answers.models.empty() ? defaults : answers.models), tail})
    for (const std::string& line : lines) scenario += line + "\n";
  return scenario;
}

}  // namespace jostle::scenarios
