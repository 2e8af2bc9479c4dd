// Study files as commands take them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/subcommand.hpp"
#include "scenarios/study/check.hpp"

namespace jostle::cli {

// A study that is right, and all that its points share.
struct ReadyStudy {
  scenarios::Study study;
  scenarios::CheckedStudy checked;
};

// Reads it and all its points; none with what is wrong on standard error. `tell`: whether this process is the
// one that says so. `change` may change the study before its points are read.
[[nodiscard]] std::optional<ReadyStudy> ready_study(const std::string& path, unsigned threads,
                                                    scenarios::Profiles& profiles, Context& context,
                                                    bool tell,
                                                    const std::function<void(scenarios::Study&)>& change);

// What a study is called: its scenario's name, or else its file.
[[nodiscard]] std::string title_of(const scenarios::Study& study);

// --threads N: so many of `what` at a time.
void add_threads(CLI::App& command, unsigned& threads, const std::string& what = "Points");

}  // namespace jostle::cli
