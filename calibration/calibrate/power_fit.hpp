// Fits the power of a card to runs whose watts were measured.
//
// Below its power limit the clocks of a card do not follow the load, so the watts of a run are linear in the
// capacitances and energies of the profile. Each run is simulated once with the profile and once for each
// parameter, and every fit, also those without one of the networks, works on these simulations.
#pragma once

#include <optional>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/held_out.hpp"

namespace jostle::calibration {

struct PowerFit {
  std::vector<FittedParameter> parameters;  // the parameters that the runs determine
  std::vector<double> covariance;           // covariance of their logarithms, row-major
  std::size_t rows = 0;
  std::size_t at_limit = 0;  // runs at the card's power limit, which tell nothing of its parts
  std::size_t off_rate = 0;  // runs whose rate is predicted too wrongly to tell of power
  bool converged = false;
  ComparisonGroup fitted;  // all runs
  HeldOut held_out;        // by network; empty if there is only one, or if not wanted
};

// True if power is fitted so: a card with memory of its own, whose power is modelled.
[[nodiscard]] bool has_card_power(const profiles::Profile& profile);

// `found`: what was fitted to the same rows before; it is kept. Of the values of `configurations` only the
// power at the input is fitted; a run whose throughput is known too must have that. None without watts below
// the limit. Throws CalibrationError, Interrupted,
// RunError.
[[nodiscard]] std::optional<PowerFit> fit_power(const profiles::BaseProfile& base, const Calibration& found,
                                                const std::vector<RunConfiguration>& configurations,
                                                bool hold_out, const CalibrationControl& control = {});

// Adds the fitted parameters to `found`, and to its profile.
void add_power(const profiles::BaseProfile& base, const PowerFit& power, Calibration& found);

}  // namespace jostle::calibration
