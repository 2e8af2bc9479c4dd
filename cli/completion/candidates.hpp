// The possible words at the cursor of a shell: subcommands, options, and the values of options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace jostle::cli {

struct Candidates {
  struct Word {
    std::string word, description;
  };
  std::vector<Word> words;  // all begin with the last typed word
  bool files = false;       // file names are possible too
};

// `typed`: the words of the line after `jostle`, the last of them unfinished and perhaps empty.
[[nodiscard]] Candidates candidates(const CLI::App& app, const std::vector<std::string>& typed);

}  // namespace jostle::cli
