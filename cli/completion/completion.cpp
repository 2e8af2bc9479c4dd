// Completion in shells: a script for each shell, which calls the command itself for the possible words.
#include <algorithm>
#include <array>
#include <memory>

#include "cli/completion/candidates.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {
namespace {

struct Shell {
  const char* name;
  const char* script;
};

// bash splits words at = and :, which are parts of jostle's words, so the part of the last word that bash has
// already is cut off again.
constexpr const char* bash = R"(# bash completion of jostle
_jostle() {
  local line word cur=${COMP_LINE:0:COMP_POINT} files=0 words
  read -ra words <<<"$cur"
  [[ $cur == *' ' ]] && words+=('')
  local last=${words[-1]} before=
  [[ $last == *[=:]* ]] && before=${last%"${last##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; continue; fi
    word=${line%%$'\t'*}
    COMPREPLY+=("${word#"$before"}")
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  if ((files)); then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${last#"$before"}")
    compopt -o filenames 2>/dev/null
  fi
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=.\ ] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _jostle jostle
)";

constexpr const char* zsh = R"(#compdef jostle
# zsh completion of jostle
_jostle() {
  local line word files=0
  local -a names told open
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; continue; fi
    word=${line%%$'\t'*}
    if [[ $word == *[=.\ ] ]]; then open+=("$word"); continue; fi
    names+=("$word")
    if [[ $line == *$'\t'?* ]]; then told+=("$word  -- ${line#*$'\t'}"); else told+=("$word"); fi
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#names} )) && compadd -Q -l -d told -a names
  (( ${#open} )) && compadd -Q -S '' -a open
  (( files )) && _files
  (( ${#names} + ${#open} + files ))
}
if [[ $funcstack[1] == _jostle ]]; then _jostle "$@"; else compdef _jostle jostle; fi
)";

constexpr const char* fish = R"(# fish completion of jostle
function __jostle_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
    string match -v -- :files $found
    if contains -- :files $found
        __fish_complete_path (commandline -ct)
    end
end
complete -c jostle -f -a '(__jostle_complete)'
)";

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
