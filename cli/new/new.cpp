// `jostle new`: a commented scenario, from a template or from the answers to five questions.

#include "cli/new/new.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/problems.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "profiles/embedded.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::scenarios {
[[nodiscard]] std::span<const profiles::EmbeddedFile> embedded_files();
}

namespace jostle::cli {
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
      line = CLI::detail::find_and_replace(line, "model: " + defaults[std::min(from, defaults.size() - 1)],
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
  for (const profiles::EmbeddedFile& file : scenarios::embedded_files())
    names.emplace_back(file.path.substr(folder.size(), file.path.size() - folder.size() - ending.size()));
  return names;
}

std::string_view template_text(std::string_view name) {
  return profiles::embedded_file(scenarios::embedded_files(), fmt::format("{}{}{}", folder, name, ending))
      .value();
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
  for (std::string word : CLI::detail::split(text, ','))
    if (!CLI::detail::trim(word).empty()) words.push_back(word);
  return words;
}

std::string filled_template(std::string_view text, const TemplateAnswers& answers) {
  const auto asked = [text](const char* key) { return template_default(text, key).value_or(""); };
  const std::vector<std::string> defaults = words_of_list(asked("models"));
  std::vector<std::string> head, tail;
  std::vector<std::vector<std::string>> processes;
  bool within = false;
  for (const std::string& raw : CLI::detail::split(std::string(text), '\n')) {
    auto line = of_language(raw, answers.cpp);
    if (!line) continue;
    const auto answer = [&](const char* key, const std::string& given) {
      const std::string usual = asked(key);
      if (!usual.empty() && !given.empty()) *line = CLI::detail::find_and_replace(*line, usual, given);
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

}  // namespace jostle::cli

namespace jostle::cli {
namespace {

struct NewOptions {
  std::string name, output;
  analyses::Replace replace = analyses::Replace::no;
};

// Asks until `take` has no complaint about the answer; an empty answer is the default. False at the end of
// the input after a complaint.
bool ask(Terminal& terminal, const std::string& question, const std::string& usual,
         const std::function<std::string(const std::string&)>& take) {
  for (bool again = false;; again = true) {
    terminal.note(fmt::format("{} [{}] ", question, usual));
    std::string line;
    const bool more = static_cast<bool>(std::getline(std::cin, line));
    if (!more && again) return false;
    const std::string problem = take(line.empty() ? usual : line);
    if (problem.empty()) {
      if (!more) terminal.note("\n");
      return true;
    }
    terminal.note((more ? "" : "\n") + problem + "\n");
    if (!more) return false;
  }
}

// The words that the loader has of the scenario; empty: nothing.
std::string problem_of(const std::string& text) {
  input::Problems problems;
  (void)scenarios::parse_scenario({text, "the scenario", ""}, scenarios::shipped_catalogue(), {}, problems);
  if (problems.empty()) return {};
  const input::Problem& first = problems.list().front();
  return first.message + (first.hint.empty() ? "" : " (" + first.hint + ")");
}

// The template that suits what comes in, and its rate: "cameras 15 /s".
std::string take_source(const std::string& answer, std::string& name, std::string& comes) {
  const std::size_t space = answer.find(' ');
  name = answer.substr(0, space);
  comes = space == std::string::npos ? "" : answer.substr(answer.find_first_not_of(' ', space));
  const std::vector<std::string> names = template_names();
  if (std::ranges::find(names, name) != names.end()) return {};
  return fmt::format("unknown '{}' ({})", name, input::spelling_hint(name, names));
}

bool has_gpu(const std::string& board) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(board, problems);
  return !profile || profile->spec->has_gpu();
}

// The answers of a person, or of a file with a line each.
std::optional<std::string> asked_scenario(Terminal& terminal) {
  TemplateAnswers answers;
  std::string name;
  const std::vector<std::string>& boards = profiles::device_names();
  const bool known_board =
      ask(terminal, "Which board?", "jetson-orin-nano-super", [&](const std::string& answer) {
        answers.board = answer;
        if (std::ranges::find(boards, answer) != boards.end()) return std::string();
        return fmt::format("unknown '{}' ({})", answer, input::spelling_hint(answer, boards));
      });
  if (!known_board) return std::nullopt;
  const auto checked = [&] { return problem_of(filled_template(template_text(name), answers)); };
  if (!ask(terminal,
           fmt::format("What comes in, {}; with a rate if you like?", fmt::join(template_names(), ", ")),
           has_gpu(answers.board) ? "robot" : "cpu", [&](const std::string& answer) {
             const std::string problem = take_source(answer, name, answers.comes);
             return problem.empty() ? checked() : problem;
           }))
    return std::nullopt;
  const std::string_view text = template_text(name);
  if (!ask(terminal, "Which models?", template_default(text, "models").value(),
           [&](const std::string& answer) {
             answers.models = words_of_list(answer);
             return checked();
           }))
    return std::nullopt;
  if (text.find("#? C++") != std::string_view::npos &&
      !ask(terminal, "Python or C++?", "Python", [&](const std::string& answer) {
        answers.cpp = answer == "C++" || answer == "c++";
        return answers.cpp || answer == "Python" || answer == "python" ? checked() : "Python or C++";
      }))
    return std::nullopt;
  if (!ask(terminal, "What must hold: the greatest latency, or none?",
           template_default(text, "limit").value(), [&](const std::string& answer) {
             answers.limit = answer;
             return checked();
           }))
    return std::nullopt;
  return filled_template(text, answers);
}

ExitCode make(const NewOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (!options.output.empty() && options.replace == analyses::Replace::no &&
      std::filesystem::exists(options.output))
    return terminal.refuse(options.output + " exists; --replace replaces it");
  const auto file = output::open_if_given(options.output);
  const auto text = options.name.empty() ? asked_scenario(terminal)
                                         : std::optional(filled_template(template_text(options.name), {}));
  if (!text) return ExitCode::bad_input;
  if (!file) {
    terminal.print_data(*text);
    return ExitCode::done;
  }
  output::write_whole(*file, *text);
  terminal.note(fmt::format("{0}: jostle run {0}\n", options.output));
  return ExitCode::done;
}

}  // namespace

void add_new(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("new", "Write a commented scenario, from a template or by five questions");
  const auto options = std::make_shared<NewOptions>();
  add_choice(*command, "--template", options->name,
             fmt::format("{}", fmt::join(template_names(), "|")).c_str(),
             "The template as it is (default: questions: board, what comes in, models, Python or C++, what "
             "must hold)");
  add_value(*command, "-o,--output", options->output, "FILE", "The file to write (default: standard output)");
  add_replace(*command, options->replace);
  add_examples(*command, {"new", "new --template robot -o robot.yaml"});
  set_task(*command, task, options, make);
}

}  // namespace jostle::cli
