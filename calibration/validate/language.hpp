// Validation of language models: published rates of boards, and a GPU that they share with image networks.
#pragma once

#include <functional>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

// The groups, in this order:
//  - Boards (evidence/language/published.csv): values by quantity, then views of them by runtime, laboratory
//    and device. Parameters of runtimes and boards are fitted to some of these laboratories, as
//    docs/validation.md says; no factor is fitted to any row.
//  - An H200 (evidence/h200-llm): the rate of each process or stream beside others, and the 99th percentile
//    of cameras, in time slices, under MPS and as streams of one process. No parameter is fitted to these
//    runs; the form of mps_cold_code was chosen with knowledge of them.
//  - An H100 (evidence/h100-users): steps and prefills alone, and a server whose Poisson arrivals are
//  replayed.
//    The laws of norms, gaps and attention are fitted to some of these steps, no number to the server
//    (docs/validation.md).
//  - The energy of a token on the rails that were read (evidence/language/energy.csv). Nothing is fitted to
//  it.
//  - Cores (evidence/language/cores.csv): the rates of `runtimes.cpu.language` are fitted to these, and to
//  rows
//    of the same table with models that jostle has no name for.
//  - The memory that is held (evidence/language/memory.csv).
// Rows with a mark are not compared. `progress` gets the completed share, from one thread at a time; it may
// throw.
[[nodiscard]] std::vector<ComparisonGroup> validate_language(
    const std::function<void(double)>& progress = {});

// The decode rates of one sequence that no parameter of the runtime was fitted to, or one of several only (by
// laboratory, as docs/validation.md has it), for the model error of tokens: quantity "tokens", basis "model".
[[nodiscard]] std::vector<analyses::HeldOutRow> language_held_out();

}  // namespace jostle::calibration
