// Turns the measurements of a user's board into its profile: the fit, its error, and the most useful next
// logs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/next_log.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "output/output_file.hpp"

namespace jostle::calibration {

struct BoardCalibrationQuestion {
  std::vector<std::string> evidence;  // files, or a folder of them, for read_evidence_files()
  std::string output;  // path of the profile; paths in it are relative to its folder; may be empty
  std::string name;    // name of the profile; empty: from `output`
  bool fresh = false;  // start from reference ranges instead of the profile's fitted values
  bool quick = false;  // skip the error on held-out runs
};

struct BoardCalibrationControl {
  CalibrationControl fit;
  std::function<void(double done)> validating;  // progress of the validation of a fit to traces, 0 to 1
};

struct BoardCalibration {
  Calibration calibration;
  std::vector<ComparisonGroup> groups = {};  // errors on the runs of the fit, and on held-out ones
  profiles::Uncertainty uncertainty = {};
  std::vector<NextLog> next_logs = {};  // best first
  std::vector<std::string> notes = {};  // runs that were left out, and why
  std::string name = {};                // name of the profile
  std::string profile = {};             // the profile as a file
  std::string uncertainty_csv = {};     // the table beside it
  // The folder of own kernel tables, by its path relative to the profile: calibration.own.
  std::string kernels = {};
};

// After a fit to traces, the profile is validated against all files, including those that the fit did not
// read. Throws CalibrationError, input::CsvError, Interrupted, RunError.
[[nodiscard]] BoardCalibration calibrate_board(const profiles::BaseProfile& base, const EvidenceFiles& files,
                                               const BoardCalibrationQuestion& question,
                                               const BoardCalibrationControl& control);

// {"schema":"jostle.calibration/1","name",...,"parameters":[…],"errors":[…],"next_logs":[…],"profile":…} on
// one line.
[[nodiscard]] std::string board_calibration_json(const BoardCalibration& board, const EvidenceFiles& files);

// The files of a profile that is being fitted: the profile, the table of its uncertainty beside it, and the
// folder of its own kernel tables.
class ProfileFiles {
 public:
  // Opens the profile and the table before anything is fitted. `profile`: a path; empty: none is asked for.
  // Throws input::Refused if one cannot be written.
  explicit ProfileFiles(const std::string& profile);

  [[nodiscard]] bool asked() const { return profile_ != nullptr; }
  // True if other files may lie beside the profile: it is no device and no pipe.
  [[nodiscard]] bool beside() const { return profile_ && !profile_->direct(); }
  // Throws output::WriteError.
  void write(const std::string& profile, const std::string& uncertainty_csv) const;
  // The same with the kernel tables.
  void write(const BoardCalibration& board) const;

 private:
  std::string path_;
  std::unique_ptr<output::OutputFile> profile_, uncertainty_;
};

// Writes the kernel tables into their folder beside the profile at `path`.
void write_kernel_tables(const BoardCalibration& board, const std::string& path);

}  // namespace jostle::calibration
