// Scenarios and studies that Python hands over: a file, or a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/study.hpp"
#include "calibration/document_kind.hpp"
#include "input/problems.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::python {

// An input is wrong: jostle.ScenarioError.
struct Invalid {
  input::Problems problems;
};

struct Source {
  std::optional<std::string> text;  // none: the file
  std::string name;                 // its path, or what messages call the text
};

// What an answer comes with: sentences for warnings.warn().
using Warnings = std::vector<std::string>;

// Shipped profiles, of which every call shares those that were read.
[[nodiscard]] analyses::Profiles& shipped_profiles();

// Throws Invalid.
[[nodiscard]] scenarios::Scenario scenario_of(const Source& source, const scenarios::LoadOptions& options,
                                              Warnings& warnings);

struct ReadyStudy {
  analyses::Study study;
  analyses::CheckedStudy checked;
};
// A study of one of these kinds, with its points checked. Throws Invalid, Interrupted.
[[nodiscard]] analyses::Study study_of(const Source& source,
                                       const std::vector<calibration::DocumentKind>& kinds);
[[nodiscard]] ReadyStudy checked(analyses::Study study, analyses::Profiles& profiles, unsigned threads,
                                 const std::atomic<bool>* interrupt, Warnings& warnings);

}  // namespace jostle::python
