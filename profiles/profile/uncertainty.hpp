// The uncertainty of a profile's parameters, and the remaining error of its predictions.
//
// It is stored as a table of rows beside the profile (profiles/uncertainty.csv for shipped profiles,
// NAME.uncertainty.csv for NAME.yaml), written by `jostle calibrate` and `jostle validate --uncertainty`:
//   device,kind,name,other,value,rows,of
//   jetson-nano,sd,gpu.kernel_fixed,,0.1140,,                                 of the parameter's logarithm
//   jetson-nano,correlation,gpu.kernel_fixed,factor resnet fp16,-0.6210,,     of the logarithms
//   ,residual,throughput,family,0.1480,32,jetson-nano                          for all devices
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/units.hpp"
#include "input/value.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::profiles {

// The error of predictions of a quantity that remains if the parameters are right, from runs that no fit has
// used.
struct Residual {
  std::string device;     // empty: all devices
  std::string quantity;   // "throughput", "latency", "power", ...
  std::string basis;      // basis of the kernel times: analyses/interval/basis.hpp
  double half_width = 0;  // half-width in the logarithm: contains nine of ten runs
  std::size_t rows = 0;   // number of runs it is estimated from
  std::string of = {};    // the devices of these runs, "nvidia-h100, nvidia-h200"; empty: not known
};
// The minimum number of runs: fewer cannot determine where nine in ten lie (analyses::conformal_half_width).
inline constexpr std::size_t fewest_runs = 9;

struct Uncertainty {
  std::vector<std::string> figures;  // paths of parameters, and factors: "factor int8", "factor resnet int8"
  std::vector<double> covariance;    // covariance of their logarithms, row by row
  std::vector<Residual> residuals;

  // The residual of the device itself, otherwise that for all devices; null if there is none.
  [[nodiscard]] const Residual* residual(std::string_view device, std::string_view quantity,
                                         std::string_view basis) const;
};

// Reads the rows of `csv` for a device: its parameters, and the residuals of all devices, except those from
// too few runs. Throws input::CsvError.
[[nodiscard]] Uncertainty parse_uncertainty(std::string_view csv, std::string_view name,
                                            std::string_view device);
[[nodiscard]] std::string uncertainty_csv_header();
// Writes the parameters as rows of `device`, then the residuals.
[[nodiscard]] std::string uncertainty_csv(const Uncertainty& uncertainty, const std::string& device);

// The uncertainty of a shipped profile. Without rows of its own it has no parameters.
[[nodiscard]] Uncertainty shipped_uncertainty(const std::string& device);

// The path of the table for a profile's file: my-board.yaml, my-board.uncertainty.csv.
[[nodiscard]] std::string uncertainty_path(const std::string& profile_path);

inline constexpr std::size_t uncertainty_draws = 64;

// The parameters of one draw.
struct Draw {
  std::vector<std::string> names;
  std::vector<double> ratios;       // relative to the profile's value; 1 if a range gives the value itself
  std::vector<std::string> values;  // values as written in a profile; empty for factors
  // For each parameter an independent number, uniform in (0, 1), that determines it: alone, or more than any
  // other if the covariance connects it with others.
  std::vector<double> scores;
};

// Draws the parameters: from the covariance; for those that it does not contain, from published ranges
// (ranges.hpp) if the profile's value is neither measured nor fitted, else from the priors if it is
// `assumed`. The draws are scrambled Sobol points (sobol.hpp) of this seed.
[[nodiscard]] std::vector<Draw> draws(const Uncertainty& uncertainty, const Profile& profile,
                                      std::uint64_t seed);

// The profile with the parameters of a draw. `document` is that of the profile; factors become the profile's
// own.
[[nodiscard]] Profile drawn(const input::Node& document, const Profile& profile, const Draw& draw);

// The published ranges of parameters, for boards on which they were not measured (ranges.csv).
//
// A parameter that is neither `measured` nor `fitted` is drawn: half of the draws lie below the profile's
// value and half above, uniformly in the logarithm (uniformly in the value if an end is 0), and nine in ten
// within the range. A value outside its range widens the range.
struct Range {
  std::string path;      // path of the parameter in a profile
  std::string from, to;  // with units, as in a profile; "0.5 x": times the profile's value, or that at `of`
  std::string of;        // path of the parameter that it is drawn relative to; empty: none
  std::string source;
};

[[nodiscard]] const std::vector<Range>& ranges();

// The range of a parameter; null if there is none.
[[nodiscard]] const Range* range_of(std::string_view path);

// The value at `score`, in the unit of `value`: 0.05 is the lower end, 0.5 `value` (the profile's) and
// 0.95 the upper end; scores from 0 to 1 are valid. `of` is the profile's value at `range.of`. Absent if the
// units do not agree.
[[nodiscard]] std::optional<double> at_score(const Range& range, const input::Written& value,
                                             const std::optional<input::Written>& of, double score);

}  // namespace jostle::profiles
