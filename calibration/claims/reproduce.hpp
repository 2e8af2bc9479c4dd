// Reproduction of published statements: each is simulated and judged (`jostle reproduce`, docs/claims.md).
//
// Sources: C: concurrent vision inference on Jetson Orin Nano and Nano with trtexec (Chakraborty et al.,
// ISPASS 2025); D: accelerators of AGX Orin at once; E: energy against clocks, governors and batches on Nano,
// Xavier NX and Orin NX; F: a video pipeline on Jetson Nano; G: rooflines of time and energy on AGX Orin.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/claims/check.hpp"
#include "calibration/claims/runs.hpp"

namespace jostle::calibration {

// The basis of the verdict on a statement.
struct Basis {
  enum class Kind {
    given,      // a constant, an identity, or the form of the model
    fitted,     // a parameter or setting was chosen on the statement, or on one that implies it
    predicted,  // nothing was chosen to match it
    not_judged  // the source contradicts itself or tells too little
  };

  Kind kind = Kind::predicted;
  std::string_view chosen;  // the parameters or settings, if fitted
};
[[nodiscard]] std::string_view to_string(Basis::Kind kind);

// The claim of a paper (calibration/statements.csv) and how to check it by simulation.
struct Statement {
  std::string_view id;    // C.., D.., E.., F.., G..: by source
  std::string_view kind;  // of most of its checks: value, trend, bound, model or device
  Basis basis;
  std::string_view text;
  std::function<void(Runs& runs, Checks& checks)> check;
};

// The source of a statement, by its id.
[[nodiscard]] std::string_view source_of(std::string_view id);

// A check that is no comparison of metrics, so it is code rather than rows of calibration/checks.csv.
struct StatementCheck {
  std::string_view id;
  void (*check)(Runs& runs, Checks& checks);
};
[[nodiscard]] std::span<const StatementCheck> network_statements();
[[nodiscard]] std::span<const StatementCheck> roofline_statements();

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

// A row of the page.
struct Deviation {
  std::string cause;  // heading above the row, the cause in common: "the model has one efficiency ..."
  std::string_view subjects;  // the id of a statement; or groups of runs, separated by semicolons
  std::string_view measured;  // what is stated; or quantities of the groups, separated by semicolons
  std::string_view reason, evidence, status;

  [[nodiscard]] std::string why() const;  // the reason, and after it the evidence
};

// The heading of statements without a cause in common.
inline constexpr std::string_view own_reason = "each has a reason of its own";

// The rows in the tables of a page, which must outlive them. Throws std::runtime_error if a row does not have
// five cells.
[[nodiscard]] std::vector<Deviation> parse_deviations(std::string_view page);
// The rows of docs/deviations.md.
[[nodiscard]] const std::vector<Deviation>& deviations();

// The row of a statement, or of a quantity of a group; null if there is none.
[[nodiscard]] const Deviation* deviation_of(std::string_view subject, std::string_view quantity = {});

}  // namespace jostle::calibration
