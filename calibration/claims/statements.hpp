// Published statements as data: the claim of a paper and how to check it by simulation.
#pragma once

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
  void (*check)(Runs& runs, Checks& checks);
};

// The source of an id: "Chakraborty et al., ISPASS 2025".
[[nodiscard]] std::string_view source_of(const Statement& statement);

// How a statement is checked, by its id. calibration/statements.csv has the rest of it.
struct StatementCheck {
  std::string_view id;
  void (*check)(Runs& runs, Checks& checks);
};

// The checks by subject. Sources: C: concurrent vision inference on Jetson Orin Nano and Nano with
// trtexec; D: accelerators of AGX Orin at once; E: energy against clocks, governors and batches on Nano,
// Xavier NX and Orin NX; F: a video pipeline on Jetson Nano; G: rooflines of time and energy on AGX Orin.
[[nodiscard]] std::span<const StatementCheck> throughput_statements();
[[nodiscard]] std::span<const StatementCheck> memory_statements();
[[nodiscard]] std::span<const StatementCheck> gpu_metrics_statements();
[[nodiscard]] std::span<const StatementCheck> sharing_statements();
[[nodiscard]] std::span<const StatementCheck> enqueue_statements();
[[nodiscard]] std::span<const StatementCheck> multi_accelerator_statements();
[[nodiscard]] std::span<const StatementCheck> device_statements();
[[nodiscard]] std::span<const StatementCheck> network_statements();
[[nodiscard]] std::span<const StatementCheck> power_statements();
[[nodiscard]] std::span<const StatementCheck> energy_statements();
[[nodiscard]] std::span<const StatementCheck> energy_runtime_statements();
[[nodiscard]] std::span<const StatementCheck> pipeline_statements();
[[nodiscard]] std::span<const StatementCheck> roofline_statements();

}  // namespace jostle::calibration
