// How well a profile's figures are known, and how far off its predictions are beside that.
//
// A table of rows beside the profile (calibration/uncertainty.csv for those that ship, NAME.uncertainty.csv
// for NAME.yaml), written by `jostle calibrate` and `jostle validate --uncertainty`:
//   device,kind,name,other,value,rows
//   jetson-nano,sd,gpu.kernel_fixed,,0.1140,                                  of the figure's logarithm
//   jetson-nano,correlation,gpu.kernel_fixed,factor resnet fp16,-0.6210,      of the logarithms
//   ,residual,throughput,family,0.1480,32                                     of any device
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration {
struct Profile;
}

namespace jostle::calibration {

// What predictions of a quantity are off by though the figures are right, on runs that no fit had seen.
struct Residual {
  std::string device;     // empty: any
  std::string quantity;   // "throughput", "latency", "power", ...
  std::string basis;      // what the kernel times rest on: analyses/interval/basis.hpp
  double half_width = 0;  // of the logarithm: nine runs in ten are within it
  std::size_t rows = 0;   // runs that tell it
};

struct Uncertainty {
  std::vector<std::string> figures;  // paths of a profile, and factors: "factor int8", "factor resnet int8"
  std::vector<double> covariance;    // of their logarithms, row by row
  std::vector<Residual> residuals;

  // The device's own, else that of any device; null if there is none.
  [[nodiscard]] const Residual* residual(std::string_view device, std::string_view quantity,
                                         std::string_view basis) const;
};

// What the rows of `csv` say of a device: its figures and the residuals of all. Throws CsvError.
[[nodiscard]] Uncertainty parse_uncertainty(std::string_view csv, std::string_view name,
                                            std::string_view device);
[[nodiscard]] std::string uncertainty_csv_header();
// Its figures as those of `device`, then its residuals.
[[nodiscard]] std::string uncertainty_csv(const Uncertainty& uncertainty, const std::string& device);

// Of a shipped profile. Without rows of its own: no figures.
[[nodiscard]] Uncertainty shipped_uncertainty(const std::string& device);

// Where the table of a profile's file is: my-board.yaml, my-board.uncertainty.csv.
[[nodiscard]] std::string uncertainty_path(const std::string& profile_path);

inline constexpr std::size_t uncertainty_draws = 16;

// Ratios by which the figures of one draw differ from the profile's.
struct Draw {
  std::vector<std::string> names;
  std::vector<double> ratios;
};

// Draws from the covariance, and from the priors of figures that it does not hold and the profile calls
// `assumed`. The same for equal input; their mean is 1 in the logarithm and their spread as asked.
[[nodiscard]] std::vector<Draw> draws(const Uncertainty& uncertainty, const Profile& profile);

// The profile with the figures of a draw. `document` is the profile's; factors are the profile's own.
[[nodiscard]] Profile drawn(const input::Node& document, const Profile& profile, const Draw& draw);

}  // namespace jostle::calibration
