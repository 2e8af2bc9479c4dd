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

// Fits a profile like `probed`, which it writes, to the recorded networks, prints how it predicts each
// network alone and the mixes, which it did not see. `write` writes it, to places.profile() too. Throws as
// calibrate_board() does.
void fit_recorded(const calibration::ProbeCalibration& probed, const calibration::Recorded& recorded,
                  const RecordedPlaces& places, const std::function<void(const RecordedProfile&)>& write,
                  Context& context);

}  // namespace jostle::cli
