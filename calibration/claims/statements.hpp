// Published statements as data: the claim of a paper and how to check it by simulation.
#pragma once

#include <span>
#include <string_view>

#include "calibration/claims/check.hpp"
#include "calibration/claims/runs.hpp"

namespace jostle::calibration {

enum class StatementKind { value, trend, bound, model, device };
[[nodiscard]] std::string_view to_string(StatementKind kind);

// The basis of the verdict on a statement.
struct Basis {
  enum class Kind {
    given,      // a constant, an identity, or the form of the model
    fitted,     // a parameter or setting was chosen on the statement, or on one that implies it
    predicted,  // nothing was chosen to match it
    not_judged  // the source contradicts itself or tells too little
  };

  [[nodiscard]] static constexpr Basis given() { return {Kind::given, {}}; }
  [[nodiscard]] static constexpr Basis fitted(std::string_view chosen) { return {Kind::fitted, chosen}; }
  [[nodiscard]] static constexpr Basis predicted() { return {Kind::predicted, {}}; }
  [[nodiscard]] static constexpr Basis not_judged() { return {Kind::not_judged, {}}; }

  Kind kind = Kind::predicted;
  std::string_view chosen;  // the parameters or settings, if fitted
};
[[nodiscard]] std::string_view to_string(Basis::Kind kind);

struct Statement {
  std::string_view id;  // C.., D.., E.., F.., G..: by source
  StatementKind kind;   // the kind of most of its checks
  Basis basis;
  std::string_view text;
  void (*check)(Runs& runs, Checks& checks);
};

// The source of an id: "Chakraborty et al., ISPASS 2025".
[[nodiscard]] std::string_view source_of(const Statement& statement);

// The statements by subject. Sources: C: concurrent vision inference on Jetson Orin Nano and Nano with
// trtexec; D: accelerators of AGX Orin at once; E: energy against clocks, governors and batches on Nano,
// Xavier NX and Orin NX; F: a video pipeline on Jetson Nano; G: rooflines of time and energy on AGX Orin.
[[nodiscard]] std::span<const Statement> throughput_statements();
[[nodiscard]] std::span<const Statement> memory_statements();
[[nodiscard]] std::span<const Statement> gpu_metrics_statements();
[[nodiscard]] std::span<const Statement> sharing_statements();
[[nodiscard]] std::span<const Statement> enqueue_statements();
[[nodiscard]] std::span<const Statement> multi_accelerator_statements();
[[nodiscard]] std::span<const Statement> device_statements();
[[nodiscard]] std::span<const Statement> network_statements();
[[nodiscard]] std::span<const Statement> power_statements();
[[nodiscard]] std::span<const Statement> energy_statements();
[[nodiscard]] std::span<const Statement> energy_runtime_statements();
[[nodiscard]] std::span<const Statement> pipeline_statements();
[[nodiscard]] std::span<const Statement> roofline_statements();

}  // namespace jostle::calibration
