// Fits the profile of a board to measurements.
//
// The fit changes the parameters of profiles/profile/priors.hpp and factors on kernel times. It simulates
// every measured run, with the same random numbers each time. Parameters that no run depends on keep the
// values of the profile.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibration/calibrate/own_tables.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "input/problems.hpp"
#include "input/value.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/uncertainty.hpp"

namespace jostle::calibration {

class CalibrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FittedParameter {
  std::string path;   // path in the profile, or "factor fp16", "factor resnet fp16", "factor resnet50 fp16"
  std::string prior;  // text in the base profile
  std::string value;
  double of_prior = 1;       // value over the centre of the prior
  double sd = 0;             // relative
  double variance_left = 1;  // posterior variance over that of the prior
  bool identified = false;
  bool at_bound = false;           // the fit would leave its range: it explains something else
  bool measured = false;           // identified, by a direct estimate without a model
  std::string source;              // the prior's source
  std::string identified_by = {};  // the rows that identify it; empty: all
  [[nodiscard]] const char* grade() const {
    return measured ? "measured" : identified ? "fitted" : "assumed";
  }
};

struct Calibration {
  std::string device;
  std::string like = {};  // the file of the base, as the profile names it; empty: the base ships as `device`
  std::vector<FittedParameter> parameters;
  std::vector<double> covariance;  // covariance of the logarithms of the parameters, row-major
  std::vector<dnn::Factor> factors;
  std::map<std::string, std::string> files;  // networks from files: path by content name
  // Folders of measured kernels, as the profile writes them (profiles/tables/evidence_list.hpp); empty:
  // those of the base.
  std::string evidence;
  OwnTables own;  // own kernel tables and rates, the first of these folders
  std::size_t rows = 0, points = 0;
  bool converged = false;
  profiles::Profile profile;  // the base with the fitted values
  input::Node document;       // the document of the base, with own kernel tables

  // The parameters' names and covariance; held_out() adds the residuals.
  [[nodiscard]] profiles::Uncertainty uncertainty() const;
};

// The centres of the priors.
enum class PriorsFrom {
  profile,   // the values of the base profile: for another board of the same type
  reference  // the centres of profiles::priors(), without factors: for a profile fitted to the same rows
};

struct CalibrationControl {
  const std::atomic<bool>* interrupt = nullptr;  // set it to stop the fit
  std::function<void()> progress;                // called from time to time, by one thread
  bool hold = false;                             // keep all parameters and only estimate their uncertainty
};

// `near`: the calibration from which the fit starts, to these rows and others. Throws CalibrationError (no
// usable rows, rows of another device), Interrupted, RunError.
[[nodiscard]] Calibration calibrate(const profiles::BaseProfile& base,
                                    const std::vector<RunConfiguration>& configurations, PriorsFrom from,
                                    const CalibrationControl& control = {},
                                    const Calibration* near = nullptr);

// The profile as a file: `like` the base, with the fitted parameters.
[[nodiscard]] std::string profile_text(const Calibration& calibration, const std::string& name,
                                       const std::string& evidence);

}  // namespace jostle::calibration
