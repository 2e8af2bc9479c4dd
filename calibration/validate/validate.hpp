// Validation: simulates measured runs and compares predictions with measurements.
//
// The runs of calibration/evidence/<device> are embedded in the binary, so `jostle validate` can repeat the
// comparison anywhere.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "analyses/interval/uncertain_profile.hpp"
#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "models/dnn/factors.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// Compares traces in the format of the H200 evidence with simulations of `profile`. Returns one group for
// each kind of comparison that the files have data for. `progress` gets the completed share, from one thread
// at a time.
[[nodiscard]] std::vector<ComparisonGroup> validate_h200(
    const profiles::Profile& profile, const std::function<void(double)>& progress = {},
    const profiles::TraceFiles& files = calibration::embedded_traces());

// The parts of validate_h200(). The files that each part names as its `evidence` must exist.
[[nodiscard]] ComparisonGroup compare_solo(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_contended(
    const profiles::Profile& profile, const std::string& mode,  // "graph" or "eager"
    const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_eager_repeats(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_open_loop(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sharing_intervals(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sparse_launches(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());

// Three tests on evidence/boards/solo.csv:
//  - A device without measurements: one factor per network family and precision is fitted to one device and
//    mode. Errors are those of all other runs, by device.
//  - A device with a measured run: a factor per device, network and precision is fitted. Errors are those
//    over its modes, clocks and batches.
//  - Other clocks: the factor is fitted in one mode. Errors are those of the same batch in the other modes.
struct BoardsValidation {
  std::vector<ComparisonGroup> groups;
  std::vector<analyses::HeldOutRow> held_out;  // rows of the first and the last test
};
[[nodiscard]] BoardsValidation validate_boards(const std::function<void(double)>& progress = {});

// The factors fitted to the configurations on a GPU: of families first, then of single devices. The shipped
// factors are fitted to shipped_run_configurations().
[[nodiscard]] std::vector<dnn::Factor> fit_board_factors(const std::vector<RunConfiguration>& fitted_on,
                                                         const std::function<void(double)>& progress = {});

// The content of profiles/factors.csv.
[[nodiscard]] std::string factors_csv(const std::vector<dnn::Factor>& factors);

// The groups of the following are rows of calibration/groups.csv, in its order; docs/validation.md says what
// was fitted to which. `progress` gets the share done, by one thread at a time, and may throw.

// Clients of MPS and streams of one process, on an H200 and an H100: by the images/s of each, or, where
// kernels are computed, by how many times slower than alone with its share each is.
[[nodiscard]] std::vector<ComparisonGroup> validate_clients(const std::function<void(double)>& progress = {});

// PyTorch's networks, each predicted with the laws that its own family, or the network, has no part in
// (evidence/h100-nets/laws.csv, evidence/h200-random/laws.csv), with the interval of the others. Of eager
// runs the faster of a pair counts: they are bound by the host.
struct FrameworksValidation {
  std::vector<ComparisonGroup> groups;
  std::vector<analyses::HeldOutRow> held_out;
};
[[nodiscard]] FrameworksValidation validate_frameworks(const std::function<void(double)>& progress = {});

// Processes on few cores of an H200's host. Equal ones are compared by rank, because it is random which of
// them share a core.
[[nodiscard]] std::vector<ComparisonGroup> validate_host(const std::function<void(double)>& progress = {});

// Language models; then views of the published values by runtime, laboratory and device, and the memory that
// is held. Rows with a mark are not compared.
[[nodiscard]] std::vector<ComparisonGroup> validate_language(
    const std::function<void(double)>& progress = {});

// The decode rates of one sequence that no parameter of the runtime was fitted to, or one of several only (by
// laboratory, as docs/validation.md has it), for the model error of tokens: quantity "tokens", basis "model".
[[nodiscard]] std::vector<analyses::HeldOutRow> language_held_out();

// Groups in this order, without empty groups and without splits that have only one value:
//   all; by number of processes; by mix (the accelerators that run); by network; by power mode; by device;
//   repeats: deviations of repeated measurements of a configuration from their mean.
//
// Simulated comparisons state whether the 90 % interval contains the measured value.
[[nodiscard]] std::vector<ComparisonGroup> validate_evidence(
    const analyses::UncertainProfile& profile, const std::vector<RunConfiguration>& configurations,
    const std::atomic<bool>* interrupt = nullptr);

struct ShippedUncertainty {
  // The table: for every board with measured runs the uncertainty of its parameters, and the residuals of
  // held-out runs (power modes and networks of an Orin Nano Super, clocks and boards of the others, contended
  // runs of the H200, PyTorch's networks on the H100, published decode rates of language models).
  std::string csv;
  // These held-out runs, one group per board, each marked if the residuals of the others cover it.
  std::vector<ComparisonGroup> coverage;
};

// Computes the table, which takes minutes. `progress` gets the completed share.
[[nodiscard]] ShippedUncertainty shipped_uncertainty(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
