// The unknowns of a fit, and the simulations of the measured runs that the fit compares with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/own_tables.hpp"
#include "calibration/fit/least_squares.hpp"
#include "input/units.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {

// The expected model error of a metric (relative standard deviation), in addition to measurement noise.
[[nodiscard]] double model_sd(const std::string& metric);

// The factor of all host costs of eager; true if a profile has it, and costs of operators.
inline constexpr std::string_view host_time_path = "runtimes.eager.host_time";
[[nodiscard]] bool has_host_time(const profiles::Profile& profile);

// A parameter of the fit: a parameter of the profile, or a factor that several networks share.
struct Unknown {
  calibration::Parameter parameter;  // relative to the centre
  std::string path;                  // empty: a factor
  input::Written centre;
  std::string before;  // value in the profile
  std::string_view source;
  std::string family, network;  // only for a factor; empty: every family or network
  bool alone = false;  // the factor of a network whose layers were timed: no other factor applies to it
  scenarios::Precision precision = scenarios::Precision::fp16;
  dnn::Lowering lowering = dnn::Lowering::optimised;  // the kernels that a factor is of

  [[nodiscard]] bool is_factor() const { return path.empty(); }
  [[nodiscard]] bool is_of(const std::string& of_family, const std::string& of_network,
                           scenarios::Precision in, dnn::Lowering of_kernels) const {
    return is_factor() && precision == in && lowering == of_kernels &&
           (family.empty() || family == of_family) && (network.empty() || network == of_network);
  }
};

// The parameters of the profile that a fit may change. Costs of eager move together where it has host_time.
[[nodiscard]] std::vector<Unknown> profile_unknowns(const profiles::BaseProfile& base, PriorsFrom from);
// Adds the factors of the runs' networks that are not there yet; none for networks with kernel tables.
void add_factors(std::vector<Unknown>& unknowns, const std::vector<RunConfiguration>& configurations,
                 const OwnTables& tables);

// Simulates the measured runs for given values of the unknowns (relative to their centres). Keeps references
// to its arguments.
class Bench {
 public:
  Bench(const profiles::BaseProfile& base, const std::vector<RunConfiguration>& configurations,
        PriorsFrom from, const CalibrationControl& control)
      : base_(base), configurations_(configurations), from_(from), control_(control) {}

  // Throws CalibrationError.
  [[nodiscard]] profiles::Profile profile(const std::vector<Unknown>& unknowns,
                                          const std::vector<double>& values) const;
  // Factors of the measured networks, and of families and precisions for the others. `profile`: the board
  // with the other values.
  [[nodiscard]] std::vector<dnn::Factor> factors(const std::vector<Unknown>& unknowns,
                                                 const std::vector<double>& values,
                                                 const profiles::Profile& profile) const;
  // For each point the predictions of all reference values, in order. Throws Interrupted, RunError.
  [[nodiscard]] std::vector<std::vector<double>> predict(const std::vector<Unknown>& unknowns,
                                                         std::span<const std::vector<double>> points) const;

 private:
  void add_timed(const Unknown& unknown, double value, const profiles::Profile& profile,
                 std::vector<dnn::Factor>& found) const;
  [[nodiscard]] double known_factor(const std::string& network, const std::string& family,
                                    scenarios::Precision precision, dnn::Lowering lowering) const;

  const profiles::BaseProfile& base_;
  const std::vector<RunConfiguration>& configurations_;
  PriorsFrom from_;
  const CalibrationControl& control_;
};

// A shorter run with the same means: with pinned clocks nothing changes slowly, and governors settle within a
// few polls.
[[nodiscard]] RunConfiguration shortened(RunConfiguration configuration);

}  // namespace jostle::calibration
