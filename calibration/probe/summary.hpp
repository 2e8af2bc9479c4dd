// Summaries of repeated measurements: a value, and how sure it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

struct Summary {
  double value = 0;
  double relative_sd = 0;  // standard error over value; 1 if there are fewer than three samples or value is 0
  std::size_t samples = 0;
};

// The quantile `share` (0 to 1) of samples in any order, between neighbours by interpolation; 0 without any.
[[nodiscard]] double quantile(std::vector<double> samples, double share);
[[nodiscard]] double median(std::vector<double> samples);

// The median, with the standard error of the median of samples that are scattered as their median absolute
// deviation says.
[[nodiscard]] Summary median_of(const std::vector<double>& samples);
// The mean, with its standard error.
[[nodiscard]] Summary mean_of(const std::vector<double>& samples);

// The slope of y over x through the origin, by least squares with weights 1 / x², so that each point counts
// by its ratio; its error is that of the mean of these ratios.
[[nodiscard]] Summary ratio_of(const std::vector<double>& x, const std::vector<double>& y);

// Adds a row of parameters.csv.
void add(Outcome& outcome, std::string parameter, const Summary& found, std::string unit, std::string how);
// The same in another unit: the value times `factor`.
[[nodiscard]] Summary scaled(Summary found, double factor);

// How long an experiment is repeated: until the median of its samples is narrow, with at least `least` of
// them, until there are `most`, or until `seconds` are over.
struct Repetition {
  double seconds = 1;
  std::size_t least = 5, most = 100'000;
};

// Adds, to the error of each parameter of a profile, that by which machines of one kind differ: repeats on
// one machine do not show it.
void widen_by_machine(Outcome& outcome);

}  // namespace jostle::calibration::probe
