// One panel of a roofline picture: both axes logarithmic, one line per mode, networks as dots.
#pragma once

#include <functional>
#include <string>

#include "analyses/roofline/roofline.hpp"
#include "cli/svg/label_placement.hpp"
#include "cli/svg/svg.hpp"

namespace jostle::cli {

// The content of a panel, in the unit of its axis.
struct PanelContent {
  const char* title;
  std::function<double(const power::Roofline&, double intensity)> roof;
  std::function<double(const analyses::PlacedNetwork&)> dot;
  std::function<double(const power::Roofline&)> mark;  // the intensity to mark on the roof
  Marker marker;
};

struct Range {
  double low = 0, high = 0;
};
// The number 1, 2 or 5 times a power of ten, at or beyond `value` (> 0).
[[nodiscard]] double round_up(double value);
[[nodiscard]] double round_down(double value);

// `frame`: the plot area without axis labels. Networks with a problem are left out.
[[nodiscard]] std::string roofline_panel(const analyses::RooflineAnswer& answer, const PanelContent& content,
                                         const Box& frame, Range intensities);

}  // namespace jostle::cli
