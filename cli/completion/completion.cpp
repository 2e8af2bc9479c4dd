// Completion in shells: a script for each shell, which calls the command itself for the possible words.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analyses/explain/what_if.hpp"
#include "analyses/schema/schema.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/study_file.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::cli {
namespace {

// The possible words at the cursor of a shell: subcommands, options, and the values of options.
struct Candidates {
  struct Word {
    std::string word, description;
  };
  std::vector<Word> words;  // all begin with the last typed word
  bool files = false;       // file names are possible too
};

using Words = std::vector<Candidates::Word>;

Words plain(const std::vector<std::string>& words) {
  Words list;
  for (const std::string& word : words) list.push_back({word, {}});
  return list;
}

// The words typed so far: all complete ones, and the one that is being completed.
struct Line {
  const std::vector<std::string>& typed;
  const std::string& last;
};

// Completes a key of scenarios up to its next dot, and after "KEY=" the key's values.
Words assignments(const Line& line) {
  const std::size_t equals = line.last.find('=');
  Words list;
  if (equals != std::string::npos) {
    const std::string key = line.last.substr(0, equals);
    for (const std::string& word : analyses::words_at("scenario", key))
      list.push_back({key + "=" + word, {}});
    return list;
  }
  const std::size_t dot = line.last.rfind('.');
  const std::string outer = dot == std::string::npos ? "" : line.last.substr(0, dot);
  const std::string before = dot == std::string::npos ? "" : outer + ".";
  for (const analyses::SchemaKey& key : analyses::keys_at("scenario", outer))
    list.push_back({before + key.name + (key.has_keys ? "." : "="), key.description});
  if (list.empty() && !outer.empty())  // a list
    for (const char* const index : {"0", "*"})
      if (!analyses::keys_at("scenario", before + index).empty())
        list.push_back({before + index + ".", "an entry"});
  return list;
}

// The power modes of the device that is on the line.
Words modes(const Line& line) {
  for (const std::string& word : line.typed) {
    if (std::ranges::find(profiles::device_names(), word) == profiles::device_names().end()) continue;
    input::Problems problems;
    Words list;
    if (const auto profile = profiles::shipped_profile(word, problems))
      for (const board::PowerMode& mode : profile->spec->power_modes) list.push_back({mode.name, {}});
    return list;
  }
  return {};
}

// The columns of the file on the line, or else of every study, each after the typed part of the statement.
Words columns(const Line& line) {
  const std::size_t space = line.last.find_last_of(" ,(");
  const std::string before = space == std::string::npos ? "" : line.last.substr(0, space + 1);
  Words list;
  if (before.empty()) return {{"SELECT ", "columns FROM results"}};
  try {
    for (const std::string& word : line.typed) {
      if (!word.ends_with(".sqlite") && !word.ends_with(".db")) continue;
      analyses::Database database = analyses::read_study(word);
      const analyses::SqlStatement rows(database, "SELECT * FROM results LIMIT 0");
      for (int i = 0; i < rows.columns(); ++i) list.push_back({before + rows.name(i), {}});
    }
  } catch (const std::exception&) {  // no such file yet
    list.clear();
  }
  if (list.empty())
    for (const analyses::MainMetric& metric : analyses::main_metrics())
      list.push_back({before + metric.column, {}});
  list.push_back({before + "FROM results", {}});
  return list;
}

template <const char* const& what>
Words words_of(const Line&) {
  return plain(analyses::words(what));
}
constexpr const char *device = "device", *model = "model", *precision = "precision", *runtime = "runtime";

// The completions of an option or positional, by its name. `at`: the only command that the row is for; empty:
// all.
struct Takes {
  std::string_view name, at;
  Words (*words)(const Line&);
};
constexpr Takes all_takes[] = {
    {"DEVICE", "", words_of<device>},
    {"NAME", "device", words_of<device>},
    {"NAME", "model", words_of<model>},
    {"MODEL", "", words_of<model>},
    {"PRECISION", "", words_of<precision>},
    {"--device", "", words_of<device>},
    {"--profile", "", words_of<device>},
    {"--network", "", words_of<model>},
    {"--model", "", words_of<model>},
    {"--precision", "", words_of<precision>},
    {"--runtime", "", words_of<runtime>},
    {"--mode", "", modes},
    {"--power-mode", "", modes},
    {"--set", "", assignments},
    {"--set-b", "", assignments},
    {"--what-if", "", [](const Line&) { return plain(analyses::what_if_names()); }},
    {"KIND", "", [](const Line&) { return plain(analyses::schema_names()); }},
    {"SHELL", "",
     [](const Line&) {
       return plain({"bash", "zsh", "fish"});
     }},
    {"SQL", "", columns}};

// Options and positionals that take no file name.
constexpr std::string_view no_files[] = {
    "--set",     "--set-b", "--what-if", "--precision", "--mode", "--power-mode", "--runtime",
    "PRECISION", "KIND",    "SHELL",     "SQL",         "N",      "I/N",          "P"};

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

// The choices in a type name such as "table|json|csv".
std::optional<Words> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return std::nullopt;
  Words list;
  std::string word;
  for (std::istringstream words(type); std::getline(words, word, '|');) list.push_back({word, {}});
  return list;
}

void add_values(const CLI::App& command, const CLI::Option& option, const Line& line, Candidates& found) {
  if (auto list = choices(option)) {
    found.words = std::move(*list);
    return;
  }
  const std::string name = name_of(option);
  for (const Takes& takes : all_takes) {
    if (takes.name == name && (takes.at.empty() || takes.at == command.get_name()))
      found.words = takes.words(line);
  }
  const auto has = [](std::string_view word) {
    return std::ranges::find(no_files, word) != std::end(no_files);
  };
  found.files = !has(name) && !has(option.get_type_name());
}

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return command.get_option_no_throw(word.substr(0, word.find('=')));
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

// The positional after `before` others; one that may be repeated takes all that follow.
const CLI::Option* positional(const CLI::App& command, std::size_t before) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    last = option;
    if (before-- == 0) return option;
  }
  return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

void add_names(const CLI::App& command, bool options, Candidates& found) {
  if (options) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames())
        found.words.push_back({"--" + name, option->get_description()});
    return;
  }
  for (const CLI::App* sub : command.get_subcommands(nullptr))
    if (!sub->get_name().empty()) found.words.push_back({sub->get_name(), sub->get_description()});
}

// `typed`: the words of the line after `jostle`, the last of them unfinished and perhaps empty.
Candidates candidates(const CLI::App& app, const std::vector<std::string>& typed) {
  Candidates found;
  if (typed.empty()) return found;
  const Line line{typed, typed.back()};
  const CLI::App* command = &app;
  std::size_t positionals = 0;
  const CLI::Option* waiting = nullptr;  // the option that waits for its value
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    const std::string& word = typed[i];
    if (std::exchange(waiting, nullptr) != nullptr) continue;
    if (word.starts_with("-") && word != "-") {
      const CLI::Option* const option = option_named(*command, word);
      if (takes_value(option) && word.find('=') == std::string::npos) waiting = option;
      continue;
    }
    const CLI::App* const sub = subcommand_named(*command, word);
    if (sub != nullptr && positionals == 0)
      command = sub;
    else
      ++positionals;
  }
  if (waiting != nullptr) {
    add_values(*command, *waiting, line, found);
  } else if (const std::size_t equals = line.last.find('=');
             line.last.starts_with("--") && equals != std::string::npos) {
    const std::string before = line.last.substr(0, equals + 1), value = line.last.substr(equals + 1);
    if (const CLI::Option* const option = option_named(*command, line.last); takes_value(option))
      add_values(*command, *option, {typed, value}, found);
    for (Candidates::Word& word : found.words) word.word.insert(0, before);
  } else if (line.last.starts_with("-")) {
    add_names(*command, true, found);
  } else {
    if (positionals == 0) add_names(*command, false, found);
    if (command->get_name() == "help") add_names(app, false, found);
    if (const CLI::Option* const option = positional(*command, positionals))
      add_values(*command, *option, line, found);
  }
  std::erase_if(found.words,
                [&line](const Candidates::Word& word) { return !word.word.starts_with(line.last); });
  return found;
}

struct Shell {
  const char* name;
  const char* script;
};

// bash splits words at = and :, which are parts of jostle's words, so the part of the last word that bash has
// already is cut off again.
constexpr const char* bash =
#include "cli/completion/bash.inc"
    ;

constexpr const char* zsh =
#include "cli/completion/zsh.inc"
    ;

constexpr const char* fish =
#include "cli/completion/fish.inc"
    ;

constexpr std::array shells{Shell{"bash", bash}, Shell{"zsh", zsh}, Shell{"fish", fish}};

}  // namespace

std::string completions(const CLI::App& app, const std::vector<std::string>& typed) {
  const Candidates found = candidates(app, typed);
  std::string text;
  for (const auto& [word, description] : found.words)
    text += word + (description.empty() ? "" : "\t" + description) + "\n";
  return text + (found.files ? ":files\n" : "");
}

void add_completion(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("completion", "Print the completion script of a shell");
  const auto shell = std::make_shared<std::string>();
  add_value(*command, "SHELL", *shell, "", "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command->footer(
      "\nPackages install it. By hand:\n"
      "  bash  source <(jostle completion bash), in ~/.bashrc\n"
      "  zsh   source <(jostle completion zsh), in ~/.zshrc, after compinit\n"
      "  fish  jostle completion fish | source");
  add_examples(*command, {"completion bash", "completion zsh"});
  command->callback([&task, shell] {
    task = [shell](Context& context) {
      context.terminal.print_data(std::ranges::find(shells, *shell, &Shell::name)->script);
      return ExitCode::done;
    };
  });
}

}  // namespace jostle::cli
