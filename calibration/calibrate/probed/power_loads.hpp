// Fits the power of a profile to the loads of the probe's part `power`.
//
// Each load is described as the activity of power/energy.hpp: SMs that work, issue slots, tensor pipes,
// bytes, busy cores, at the clocks that were seen. Watts are linear in the parameters, which are fitted
// together with priors around the base (calibration/fit). How a load occupies the parts comes from the folder
// too: bytes of `read` from the bandwidth of the part `gpu_memory`, instructions of `fma` and products of
// `tensor` from the part `kernels`. A load whose rate the folder lacks is left out, with the reason.
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/probe/folder.hpp"
#include "profiles/profile/base_profile.hpp"

namespace jostle::calibration {

// A load with its watts: measured, by the base, and as fitted.
struct LoadWatts {
  std::string load;  // "fma"
  double measured = 0, base = 0, fitted = 0;
  std::string left_out;  // why the fit does not use it; then `base` and `fitted` are 0
};

struct ProbedPower {
  std::vector<ProbedFigure> figures;  // parameters that the loads tell
  std::vector<double> covariance;     // covariance of their logarithms, row by row
  std::vector<LoadWatts> loads;       // in the order of power.csv
};

// Nothing if the folder has no power.csv, or the base no power. Throws input::CsvError for a wrong
// table.
[[nodiscard]] ProbedPower fit_probed_power(const calibration::probe::ProbeFolder& folder,
                                           const profiles::BaseProfile& base);

}  // namespace jostle::calibration
