// Any bytes as a study: either it is read and its points can be asked for, or there is a problem to show.
#include <cstdint>
#include <string>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/candidates.hpp"
#include "analyses/study/check.hpp"
#include "analyses/study/columns.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;
using fuzz::require;

void check_problems(const input::Problems& problems) {
  require(!problems.empty(), "a refusal has a reason");
  fuzz::require_printable(problems.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static analyses::Profiles profiles;
  input::Problems problems;
  const auto study = analyses::parse_study({reinterpret_cast<const char*>(data), size}, "fuzz.yaml",
                                           "/nonexistent", problems);
  require(study.has_value() == problems.empty(), "there is a study exactly when there is no problem");
  if (!study) {
    check_problems(problems);
    return 0;
  }
  require(analyses::axis_columns(*study).size() == study->axes.size(), "every key has a column");
  if (study->fleet && !analyses::check_fleet(*study, problems)) {
    check_problems(problems);
    return 0;
  }
  constexpr std::uint64_t most = 20;  // points: each is read as a scenario
  if (analyses::grid_size(*study) > most || (study->sampling && study->sampling->points > 20)) return 0;
  const auto checked = analyses::check_points(*study, profiles, 1, nullptr, problems);
  require(checked.has_value() == problems.empty(), "points are right exactly when there is no problem");
  if (!checked) {
    check_problems(problems);
    return 0;
  }
  for (const analyses::CheckedPoint& point : checked->points)
    require(point.is_supported() || !checked->problems.at(point.problem).empty(),
            "a point that is not supported says why");
  return 0;
}
