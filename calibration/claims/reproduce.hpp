// Reproduction of published statements: each is simulated and judged (`jostle reproduce`, docs/claims.md).
#pragma once

#include <string>
#include <vector>

#include "calibration/claims/statements.hpp"

namespace jostle::calibration {

// The result for a statement.
struct Reproduction {
  const Statement* statement = nullptr;
  std::vector<Check> checks;
  std::string grade;    // weakest grade of the kernel times in its runs; empty: no run was needed
  std::string problem;  // reason why the simulation failed; else empty

  [[nodiscard]] std::size_t failed() const;
  [[nodiscard]] std::size_t judged() const;  // checks that hold or fail
  [[nodiscard]] bool reproduced() const { return problem.empty() && judged() > 0 && failed() == 0; }
  // Returns whether it is reproduced, or docs/deviations.md tells why it is not.
  [[nodiscard]] bool expected() const;
  // The failed check with the largest error, or a failed trend. Null if none failed.
  [[nodiscard]] const Check* worst() const;
};

// All statements, sorted by id.
[[nodiscard]] const std::vector<const Statement*>& statements();
[[nodiscard]] const Statement* find_statement(const std::string& id);  // null if there is none

// Runs the checks of a statement. If the statement is not judged, neither are its checks.
[[nodiscard]] Reproduction reproduce(const Statement& statement, Runs& runs);

}  // namespace jostle::calibration
