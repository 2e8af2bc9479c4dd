// The scenarios and studies that commands are given: their files, and the options that change them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/store.hpp"
#include "cli/subcommand.hpp"
#include "profiles/document_kind.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {

// The scenario files of a command line. All are read and checked first; if one is invalid, none is run.

// The options that `run` and `check` share.
struct ScenarioFiles {
  std::vector<std::string> files;
  scenarios::LoadOptions options;
};
void add_scenario_files(CLI::App& subcommand, ScenarioFiles& files);

// The scenarios in the order of the files; none if one is invalid, with its problems on standard error. A key
// that the models would ignore is a problem too.
[[nodiscard]] std::optional<std::vector<scenarios::Scenario>> read(const ScenarioFiles& files,
                                                                   Terminal& terminal);

// Study files on the command line.

// A valid study and its checked points.
struct ReadyStudy {
  analyses::Study study;
  analyses::CheckedStudy checked;
};

// A study file of a command line, and the kinds of studies that the command accepts.
struct StudyFile {
  std::string path;
  std::vector<profiles::DocumentKind> kinds;
};
// The study in the file; none, with a problem, if it is invalid or of another kind.
[[nodiscard]] std::optional<analyses::Study> read_study(const StudyFile& file, input::Problems& problems);

struct StudyCheck {
  unsigned threads = 0;                               // 0: as many as there are cores
  std::function<void(analyses::Study&)> change = {};  // modifies the study before its points are checked
};

// Reads and checks the study and all its points. None if it is invalid or of another kind.
[[nodiscard]] std::optional<ReadyStudy> ready_study(const StudyFile& file, analyses::Profiles& profiles,
                                                    Context& context, const StudyCheck& check = {});

// Assigns the study to the store (Store::begin), and reports the outcomes that were damaged.
void begin(analyses::Store& store, const ReadyStudy& study, analyses::Replace replace, Terminal& terminal);

// Reports the outcomes that the store found damaged, and their treatment (`done`).
void tell_damage(const analyses::Store& store, std::string_view done, Terminal& terminal);

// The title of a study: the name of its scenario, or else of its file.
[[nodiscard]] std::string title_of(const analyses::Study& study);

// Adds the option --replace.
void add_replace(CLI::App& command, analyses::Replace& replace);

// Adds the option --threads N: the number of `what` ("Points") that run in parallel.
void add_threads(CLI::App& command, unsigned& threads, const std::string& what = "Points");

}  // namespace jostle::cli
