// One-at-a-time sensitivity: how much each parameter from measurements or estimates changes the prediction
// error.
//
// For each device with measured runs, each parameter that does not come from a data sheet is divided and
// multiplied by 1.2, and all runs of the device are predicted again. A board is compared with its own runs
// (evidence/boards), the H200 with the contended runs, which were not used for fitting except where the
// profile says so.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jostle::calibration {

struct SensitivityRow {
  std::string path, value, grade, source;
  std::optional<double> smaller,
      larger;  // mean |error| with the parameter / 1.2 and * 1.2; none: invalid profile
};
struct DeviceSensitivity {
  std::string device;
  std::size_t values = 0;                   // measured values
  double error = 0;                         // mean |error| of the profile
  std::vector<SensitivityRow> rows;         // parameters that change the error, the strongest first
  std::vector<std::string> without_effect;  // paths; they change it by less than 0.01 percentage points
};

// Takes minutes.
[[nodiscard]] std::vector<DeviceSensitivity> one_at_a_time_sensitivity(
    const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
