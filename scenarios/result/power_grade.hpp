// The grade of the watts of a result.
#pragma once

#include <optional>
#include <string>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The board's, so that of any process; absent if the board's power is not modelled.
[[nodiscard]] inline std::optional<std::string> power_grade(const Result& result) {
  for (const ProcessResult& process : result.processes)
    if (process.grades.power) return process.grades.power;
  return std::nullopt;
}

}  // namespace jostle::scenarios
