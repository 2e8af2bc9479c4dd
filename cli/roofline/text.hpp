// A roofline as a table, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "analyses/roofline/roofline.hpp"

namespace jostle::cli {

// The intensities (FLOP/B) at which the roofs are listed.
[[nodiscard]] const std::vector<double>& listed_intensities();

// The title of a roofline: "jetson-orin-nano, fp16 on tensor cores".
[[nodiscard]] std::string roofline_title(const analyses::RooflineAnswer& answer);
// The name of a mode: "MAXN", or "maximum" for a device without modes.
[[nodiscard]] std::string mode_text(const analyses::ModeRoofline& mode);
// `value` with about three digits, never with an exponent.
[[nodiscard]] std::string digits(double value);

// The roofline as tables; `width` and `colour` of the terminal.
[[nodiscard]] std::string roofline_table(const analyses::RooflineAnswer& answer, int width, bool colour);
// The roofline as one line of JSON: an object with schema jostle.roofline/1 (docs/roofline.md).
[[nodiscard]] std::string roofline_json(const analyses::RooflineAnswer& answer);
// The roofline as CSV: a header, and a row per mode and intensity or network.
[[nodiscard]] std::string roofline_csv(const analyses::RooflineAnswer& answer);

}  // namespace jostle::cli
