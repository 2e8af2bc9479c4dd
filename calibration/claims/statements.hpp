// Published statements: the claim of a paper (calibration/statements.csv) and how to check it by simulation.
//
// Sources: C: concurrent vision inference on Jetson Orin Nano and Nano with trtexec (Chakraborty et al.,
// ISPASS 2025); D: accelerators of AGX Orin at once; E: energy against clocks, governors and batches on Nano,
// Xavier NX and Orin NX; F: a video pipeline on Jetson Nano; G: rooflines of time and energy on AGX Orin.
#pragma once

#include <functional>
#include <span>
#include <string_view>

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

}  // namespace jostle::calibration
