// Study files on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/check.hpp"
#include "calibration/document_kind.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

// A valid study and its checked points.
struct ReadyStudy {
  analyses::Study study;
  analyses::CheckedStudy checked;
};

// A study file of a command line, and the kinds of studies that the command takes.
struct StudyFile {
  std::string path;
  std::vector<calibration::DocumentKind> kinds;
};
// The study in the file; none, with a problem, if it is invalid or of another kind.
[[nodiscard]] std::optional<analyses::Study> read_study(const StudyFile& file, input::Problems& problems);

// Reads and checks the study and all its points. None if it is invalid; problems and warnings go to standard
// error if `report` (of several MPI ranks one reports). `change` may modify the study before its points are
// checked.
[[nodiscard]] std::optional<ReadyStudy> ready_study(const StudyFile& file, unsigned threads,
                                                    analyses::Profiles& profiles, Context& context,
                                                    bool report,
                                                    const std::function<void(analyses::Study&)>& change);

// The title of a study: the name of its scenario, or else of its file.
[[nodiscard]] std::string title_of(const analyses::Study& study);

// --threads N: how many of `what` ("Points") run in parallel.
void add_threads(CLI::App& command, unsigned& threads, const std::string& what = "Points");

}  // namespace jostle::cli
