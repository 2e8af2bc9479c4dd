// A roofline as text: for people, for programs, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "analyses/roofline/roofline.hpp"

namespace jostle::cli {

// FLOP/B at which the roofs are told.
[[nodiscard]] const std::vector<double>& told_intensities();

// "jetson-orin-nano, fp16 on tensor cores".
[[nodiscard]] std::string roofline_title(const analyses::RooflineAnswer& answer);
// "MAXN", or "maximum" of a device without modes.
[[nodiscard]] std::string mode_text(const analyses::ModeRoofline& mode);
// About three digits, never with an exponent.
[[nodiscard]] std::string digits(double value);

// `width` and `colour` are the terminal's.
[[nodiscard]] std::string roofline_table(const analyses::RooflineAnswer& answer, int width, bool colour);
// One line: an object with schema jostle.roofline/1 (docs/roofline.md).
[[nodiscard]] std::string roofline_json(const analyses::RooflineAnswer& answer);
// A header, and a row for each intensity and network in each mode.
[[nodiscard]] std::string roofline_csv(const analyses::RooflineAnswer& answer);
// 800 x 600 or higher, with nothing from elsewhere.
[[nodiscard]] std::string roofline_svg(const analyses::RooflineAnswer& answer);

}  // namespace jostle::cli
