// SVG elements: text, lines in the colour of a series, markers.
#pragma once

#include <cstddef>
#include <string>

namespace jostle::cli {

namespace font {  // sizes in pixels
inline constexpr double small = 11, normal = 12, large = 16;
}

struct TextStyle {
  double size;
  const char* anchor = "start";  // the part of the text that is at x: start, middle, end
  const char* more = "";         // further attributes
};
[[nodiscard]] std::string svg_text(double x, double y, const std::string& text, const TextStyle& style);

// Series differ in colour (also for colour-blind readers) and in dashes.
[[nodiscard]] const char* series_colour(std::size_t series);
// The attributes of the line of a series.
[[nodiscard]] std::string series_stroke(std::size_t series);

using Marker = std::string (*)(double x, double y, const char* colour);
[[nodiscard]] std::string svg_dot(double x, double y, const char* colour);
[[nodiscard]] std::string svg_ring(double x, double y, const char* colour);
[[nodiscard]] std::string svg_diamond(double x, double y, const char* colour);

}  // namespace jostle::cli
