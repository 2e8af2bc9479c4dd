// Fits a board's profile to what was measured of it.
//
// Moved are the figures of calibration/fit/priors.hpp that any measurement depends on, and factors on kernel
// times. A figure and a measured run are linked by simulation alone, so the fit simulates every run, with the
// same random numbers each time. A figure that no row depends on is left as the profile has it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"
#include "calibration/profile/base_profile.hpp"
#include "calibration/profile/uncertainty.hpp"
#include "input/problems.hpp"

namespace jostle::analyses {

class CalibrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FittedParameter {
  std::string path;   // of the profile; "factor fp16", "factor resnet fp16", "factor resnet50 fp16"
  std::string prior;  // as the profile writes it
  std::string value;
  double of_prior = 1;       // over the centre of the prior
  double sd = 0;             // relative
  double variance_left = 1;  // of the prior's
  bool identified = false;
  bool measured = false;     // identified, and read off without a model
  std::string source;        // of the prior
  std::string told_by = {};  // which rows, where not all of them do
  [[nodiscard]] const char* grade() const {
    return measured ? "measured" : identified ? "fitted" : "assumed";
  }
};

struct Calibration {
  std::string device;
  std::vector<FittedParameter> figures;
  std::vector<double> covariance;  // of the figures' logarithms, in their order, row by row
  std::vector<dnn::Factor> factors;
  std::string evidence;  // the folder of measured kernels, as the profile's file names it; empty: the base's
  std::size_t rows = 0, points = 0;
  bool converged = false;
  calibration::Profile profile;  // as fitted

  // Of the figures; residuals are added by held_out().
  [[nodiscard]] calibration::Uncertainty uncertainty() const;
};

// What a figure is expected to be before any row is seen.
enum class PriorsFrom {
  profile,   // what the base profile has: for a board of that kind
  reference  // the centres of calibration::priors(), and no factors: where the profile was fitted on the same
             // rows
};

struct CalibrationControl {
  const std::atomic<bool>* interrupt = nullptr;  // raised from outside: leave off
  std::function<void()> progress;                // called now and then, from one thread
  bool hold = false;  // leave all figures as they are, and only tell how well the rows know them
};

// `near`: a calibration to begin at, of nearly the same rows. Throws CalibrationError: no usable rows, rows
// of another device, Interrupted; RunError for what cannot be simulated.
[[nodiscard]] Calibration calibrate(const calibration::BaseProfile& base,
                                    const std::vector<RunConfiguration>& settings, PriorsFrom from,
                                    const CalibrationControl& control = {},
                                    const Calibration* near = nullptr);

// The profile as a file: `like` the base, and the figures that the rows tell.
[[nodiscard]] std::string profile_text(const Calibration& calibration, const std::string& name,
                                       const std::string& evidence);

}  // namespace jostle::analyses
