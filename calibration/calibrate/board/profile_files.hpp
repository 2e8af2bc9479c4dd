// The files of a profile that is being fitted: the profile, the table of its uncertainty beside it, and the
// folder of its own kernel tables.
#pragma once

#include <memory>
#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "output/output_file.hpp"

namespace jostle::calibration {

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
