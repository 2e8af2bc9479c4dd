// Which figures of a profile a fit may move, and what is known of them before anything was measured.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace jostle::calibration {

struct Prior {
  std::string_view path;     // of the figure in a profile
  std::string_view centre;   // as a profile writes it; empty: what the profile at hand has
  double sd = 0.5;           // of the logarithm
  double range = 3;          // the fit stays within centre / range and centre x range
  std::string_view source;   // of centre and width
  double max_percent = 100;  // of a figure that is a share
  bool drawn = true;         // intervals vary it: it moves what they are of

  // The most that a figure of `number` `unit` may grow by.
  [[nodiscard]] double most(double number, std::string_view unit) const {
    return unit == "%" ? std::min(range, max_percent / number) : range;
  }
};

// In the order of a profile.
[[nodiscard]] std::span<const Prior> priors();

// The factors on kernel times: the logarithm's standard deviations of what all networks in a precision have
// in common, what a family has beside it, and a network beside its family. As factors.csv spreads: resnets
// between precisions by 0.09, families in fp16 by 0.10, networks of a family and boards by 0.05.
inline constexpr double precision_factor_sd = 0.12, family_factor_sd = 0.1, network_factor_sd = 0.05;
inline constexpr double factor_range = 4;

}  // namespace jostle::calibration
