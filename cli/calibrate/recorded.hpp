// The networks that `jostle record` left beside a probe: a profile on top of the probe's, and how it predicts
// them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "calibration/calibrate/board/recorded.hpp"
#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

// Places of the files of a profile with recorded networks: the profile, and the folder beside it with the
// probe's own profile, kernel tables and ONNX files. Without an output they are in a folder that goes with
// this object.
class RecordedPlaces {
 public:
  // `output`: path of the profile; empty: none is asked for.
  explicit RecordedPlaces(const std::string& output);
  ~RecordedPlaces();
  RecordedPlaces(const RecordedPlaces&) = delete;
  RecordedPlaces& operator=(const RecordedPlaces&) = delete;

  [[nodiscard]] std::string profile() const { return profile_.string(); }
  [[nodiscard]] std::filesystem::path kernels() const;
  [[nodiscard]] std::string probed() const { return (kernels() / "probe.yaml").string(); }
  [[nodiscard]] bool kept() const { return scratch_.empty(); }

 private:
  std::filesystem::path profile_, scratch_;
};

struct RecordedProfile {
  std::string text, uncertainty_csv;
};

// Writes `probed` to its place, fits a profile like it to the recorded networks (none on a GPU: takes the
// probe's), and prints how it predicts each network alone, and the mixes, which the fit did not see. `write`
// must write the profile to places.profile(), from which the mixes are predicted. Throws as calibrate_board()
// does.
void fit_recorded(const calibration::ProbeCalibration& probed, const calibration::Recorded& recorded,
                  const RecordedPlaces& places, const std::function<void(const RecordedProfile&)>& write,
                  Context& context);

}  // namespace jostle::cli
