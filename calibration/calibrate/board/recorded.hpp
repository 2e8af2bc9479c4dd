// The networks that `jostle record` left in a folder: what ran alone is evidence, what ran together is held
// out.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/evidence/measured_run.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

struct RecordedNetwork {
  std::string name;
  std::filesystem::path onnx;              // empty: there is none that can be read
  std::vector<std::string> traced = {};    // "fp16 b4", configurations with a trace of their kernels
  std::vector<std::string> left_out = {};  // "compiled at ...: why", as the recorder told
};

struct Recorded {
  std::vector<RecordedNetwork> networks;  // by name
  EvidenceFiles evidence;                 // networks alone: kernels, rates, watts
  std::vector<EvidenceRow> mixes;         // networks together: the rows of mixes.csv
  std::vector<std::string> notes;         // files that were left out, and why
};

// The subfolder of recorded networks in a folder of a board.
[[nodiscard]] std::filesystem::path recorded_folder(const std::filesystem::path& board);
// True if something was recorded in the folder of a board.
[[nodiscard]] bool has_recorded(const std::filesystem::path& board);

// Reads it. ONNX files are those beside the rates; one that cannot be read is a note, and its network is
// known by its kernels. Absent if logs or rows are wrong, with the reasons in `problems`.
[[nodiscard]] std::optional<Recorded> read_recorded(const std::filesystem::path& board,
                                                    input::Problems& problems);

// The factor of the host's costs in eager by the micro-benchmark of operators, operators.csv, over those of
// the host that the costs of operators were fitted on (evidence/h200-host/operators.csv): the geometric mean
// over the kinds that launch. Absent without that file, or of operators on a processor.
[[nodiscard]] std::optional<ProbedFigure> recorded_host_time(const std::filesystem::path& board);

// The rates and watts of the mixes with the profile in a file, beside which its networks are (`model:
// mine/NAME`). Which of equal processes has which rate is told by sorting them. Groups: graphs, with eager,
// under MPS; power.
[[nodiscard]] std::vector<ComparisonGroup> compare_mixes(const Recorded& recorded, const std::string& profile,
                                                         const std::function<void(double)>& progress);

}  // namespace jostle::calibration
