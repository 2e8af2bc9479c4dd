// The networks that `jostle record` left beside a probe: a profile on top of the probe's, and how it predicts
// them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/calibrate/board/recorded.hpp"
#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "cli/subcommand.hpp"
#include "output/temporaries.hpp"

namespace jostle::cli {

// Places of the files of a profile with recorded networks: the profile, and the folder beside it with the
// probe's own profile, kernel tables and ONNX files. Without an output they are in a folder that goes with
// this object.
class RecordedPlaces {
 public:
  // `output`: path of the profile; empty: none is asked for.
  explicit RecordedPlaces(const std::string& output);

  [[nodiscard]] std::string profile() const { return profile_.string(); }
  [[nodiscard]] std::filesystem::path kernels() const;
  [[nodiscard]] std::string probed() const { return (kernels() / "probe.yaml").string(); }
  [[nodiscard]] bool kept() const { return !scratch_; }

 private:
  std::optional<output::TemporaryFolder> scratch_;
  std::filesystem::path profile_;
};

// Writes `probed` to its place, fits a profile like it to the recorded networks (none on a GPU: takes the
// probe's), writes that into `files` and to places.profile(), and prints how it predicts each network alone,
// and the mixes, which the fit did not see. Throws as calibrate_board() does.
void fit_recorded(const calibration::ProbeCalibration& probed, const calibration::Recorded& recorded,
                  const RecordedPlaces& places, const calibration::ProfileFiles& files, Context& context);

}  // namespace jostle::cli
