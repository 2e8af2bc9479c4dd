// Makes a profile from a probe's folder: a shipped one as the base, the machine's identity, and every
// parameter that the probe measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/probed/choose_base.hpp"
#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/probe/folder.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

struct ProbeCalibration {
  ChosenBase base;
  std::string name;                   // name of the profile
  std::vector<ProbedFigure> figures;  // in the order of the probe's parameters, those of traces first
  std::vector<std::string> identity;  // paths that were taken from the machine's identity
  std::vector<std::string> left_out;  // "path: why", parameters that the profile did not take
  ProbedPower power;                  // the fit to the loads of the part `power`
  ProbedKernels kernels;              // the fit to the kernels of the part `kernels`
  std::vector<std::string> next;      // advice on the next recordings, best first: a sentence each
  std::string text;                   // the profile as a file
  std::string uncertainty_csv;  // the table beside it: of the base, with the standard errors of the probe
};

struct ProbeCalibrationQuestion {
  std::string output;                   // path of the profile; may be empty
  std::string name;                     // name of the profile; empty: from `output`
  std::vector<ProbedFigure> more = {};  // measured beside the probe
  bool with_networks = false;           // networks were recorded on the same machine
};

// The folder as of a machine without a GPU: what was measured on cores and memory, and the identity of both.
[[nodiscard]] calibration::probe::ProbeFolder host_alone(calibration::probe::ProbeFolder folder);

// A standard error above this share of the value tells less than a base does: the parameter is left out.
inline constexpr double widest_error = 0.5;

// Absent, with the reason in `problems`, if the identity makes no profile. Tables of traces in the folder are
// fitted by calibrate_traces(), whose parameters take precedence. Throws input::CsvError for such a
// table that is wrong.
[[nodiscard]] std::optional<ProbeCalibration> calibrate_probe(const calibration::probe::ProbeFolder& folder,
                                                              const ProbeCalibrationQuestion& question,
                                                              input::Problems& problems);

}  // namespace jostle::calibration
