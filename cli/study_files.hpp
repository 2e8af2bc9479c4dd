// Study files as commands take them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "analyses/study/check.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

// A study that is right, and all that its points share.
struct ReadyStudy {
  analyses::Study study;
  analyses::CheckedStudy checked;
};

// Reads it and all its points; none with what is wrong on standard error. `tell`: whether this process is the
// one that says so. `change` may change the study before its points are read.
[[nodiscard]] std::optional<ReadyStudy> ready_study(const std::string& path, unsigned threads,
                                                    analyses::Profiles& profiles, Context& context, bool tell,
                                                    const std::function<void(analyses::Study&)>& change);

// What a study is called: its scenario's name, or else its file.
[[nodiscard]] std::string title_of(const analyses::Study& study);

// --threads N: so many of `what` at a time.
void add_threads(CLI::App& command, unsigned& threads, const std::string& what = "Points");

}  // namespace jostle::cli
