// What may stand where the cursor of a shell is: subcommands, options, and the words that options take.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace jostle::cli {

struct Candidates {
  struct Word {
    std::string word, description;
  };
  std::vector<Word> words;  // that begin as the last of those typed
  bool files = false;       // and the names of files
};

// `typed`: the words of the line behind `jostle`, the last of them unfinished and perhaps empty.
[[nodiscard]] Candidates candidates(const CLI::App& app, const std::vector<std::string>& typed);

}  // namespace jostle::cli
