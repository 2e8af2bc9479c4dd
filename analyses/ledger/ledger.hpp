// The calibration ledger: every figure that measurements or judgement gave, and what the error would be with
// another value.
//
// For each device with measured runs, its figures that are not out of a data sheet are moved by a fifth up
// and down, one at a time, and all of the device's runs are predicted again: a board's own (evidence/boards),
// of the H200 the contended ones that nothing was fitted to but where the profile says so.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jostle::analyses {

struct LedgerRow {
  std::string path, value, grade, source;
  std::optional<double> less,
      more;  // mean |error| with the figure a fifth smaller, greater; none: not possible
};
struct DeviceLedger {
  std::string device;
  std::size_t runs = 0;            // figures measured
  double error = 0;                // mean |error| as the profile is
  std::vector<LedgerRow> rows;     // those that move the error, the strongest first
  std::vector<std::string> still;  // paths of those that move it by less than 0.01 points
};

// Takes minutes.
[[nodiscard]] std::vector<DeviceLedger> ledger(const std::function<void(double)>& progress = {});

}  // namespace jostle::analyses
