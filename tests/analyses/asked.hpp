// A study that is right, its points, and a file in memory.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "analyses/plan/candidates.hpp"
#include "analyses/study/sweep.hpp"
#include "input/problems.hpp"

namespace jostle::analyses::testing {

struct Asked {
  explicit Asked(const std::string& text) {
    input::Problems problems;
    study = parse_study(text, "s.yaml", "", problems);
    if (study) checked = check_points(*study, profiles, 0, nullptr, problems);
    if (!checked) throw std::runtime_error(problems.text());
    store.begin(*study, *checked);
  }
  Candidates candidates() { return {{*study, *checked, profiles, store}, 0, nullptr}; }

  Profiles profiles;
  Store store{""};
  std::optional<Study> study;
  std::optional<CheckedStudy> checked;
};

}  // namespace jostle::analyses::testing
