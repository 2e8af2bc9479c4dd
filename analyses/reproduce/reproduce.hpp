// Do published statements come out? Each is simulated and judged: `jostle reproduce`, docs/claims.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyses/reproduce/statements.hpp"

namespace jostle::analyses {

// What came of a statement.
struct Reproduction {
  const Statement* statement = nullptr;
  std::vector<Check> checks;
  std::string grade;    // of the least founded kernel times of its runs; empty: it needed none
  std::string problem;  // why it could not be simulated, or not to the end; else empty

  [[nodiscard]] std::size_t failed() const;
  [[nodiscard]] bool reproduced() const { return problem.empty() && failed() == 0; }
  // Whether it comes out, or the statement tells why it cannot.
  [[nodiscard]] bool expected() const { return reproduced() || !statement->why.empty(); }
  // The failed check that is off the most; a trend that fails comes first. Null if none failed.
  [[nodiscard]] const Check* worst() const;
};

// All statements, sorted by id.
[[nodiscard]] const std::vector<const Statement*>& statements();
[[nodiscard]] const Statement* find_statement(const std::string& id);  // null if there is none

[[nodiscard]] Reproduction reproduce(const Statement& statement, Runs& runs);

}  // namespace jostle::analyses
