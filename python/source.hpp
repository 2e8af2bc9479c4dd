// Scenarios and studies from Python: a file, or a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/study.hpp"
#include "input/problems.hpp"
#include "profiles/document_kind.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::python {

// Thrown for an invalid input; becomes jostle.ScenarioError.
struct Invalid {
  input::Problems problems;
};

struct Source {
  std::optional<std::string> text;  // none: read from the file
  std::string name;                 // path of the file, or name of the text in messages
};

// The warnings of an answer: sentences for warnings.warn().
using Warnings = std::vector<std::string>;

// The shipped profiles; all calls share the ones that have been read.
[[nodiscard]] analyses::Profiles& shipped_profiles();

// Reads the scenario. Throws Invalid.
[[nodiscard]] scenarios::Scenario scenario_of(const Source& source, const scenarios::LoadOptions& options,
                                              Warnings& warnings);

struct ReadyStudy {
  analyses::Study study;
  analyses::CheckedStudy checked;
};
// A study of one of these kinds, with its points checked. Throws Invalid, Interrupted.
[[nodiscard]] analyses::Study study_of(const Source& source,
                                       const std::vector<profiles::DocumentKind>& kinds);
[[nodiscard]] ReadyStudy checked(analyses::Study study, analyses::Profiles& profiles, unsigned threads,
                                 const std::atomic<bool>* interrupt, Warnings& warnings);

}  // namespace jostle::python
