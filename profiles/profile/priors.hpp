// The parameters of a profile that a fit may change, and what is known about them before any measurement.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace jostle::profiles {

struct Prior {
  std::string_view path;     // path of the parameter in a profile
  std::string_view centre;   // centre as written in a profile; empty: the value of the base profile
  double sd = 0.5;           // standard deviation of the logarithm
  double range = 3;          // the fit stays within centre / range and centre x range
  std::string_view source;   // source of centre and width
  double max_percent = 100;  // for a parameter that is a percentage
  bool drawn = true;         // prediction intervals vary it

  // Maximum factor by which the parameter `number` `unit` may grow.
  [[nodiscard]] double most(double number, std::string_view unit) const {
    return unit == "%" ? std::min(range, max_percent / number) : range;
  }
};

// All priors, in the order of a profile.
[[nodiscard]] std::span<const Prior> priors();

// Standard deviations of the logarithm of the factors on kernel times: of what all networks of a precision
// have in common, of a family relative to that, and of a network relative to its family. They come from the
// spread in factors.csv: resnets between precisions by 0.09, families in fp16 by 0.10, networks of a family
// and boards by 0.05.
inline constexpr double precision_factor_sd = 0.12, family_factor_sd = 0.1, network_factor_sd = 0.05;
inline constexpr double factor_range = 4;
// The same for a network in a framework's runtime, without a kernel table: ten networks that were predicted
// blind on an H100 took 2.2 times as long as predicted in the mean, one 4.6 times.
inline constexpr double framework_factor_sd = 0.7;
// Standard deviations for a network from a file, whose design is unknown; and for a network whose layers were
// timed one by one, where the profiler lengthens them.
inline constexpr double file_factor_sd = 0.3, timed_layers_factor_sd = 0.1;

}  // namespace jostle::profiles
