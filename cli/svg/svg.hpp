// Pieces of SVG that pictures are made of: text, lines in the colour of a series, markers.
#pragma once

#include <cstddef>
#include <string>

namespace jostle::cli {

namespace font {  // sizes in pixels
inline constexpr double small = 11, normal = 12, large = 16;
}

// `anchor`: start, middle or end of the text is at x; `more`: further attributes.
[[nodiscard]] std::string svg_text(double x, double y, const std::string& text, double size,
                                   const char* anchor = "start", const char* more = "");

// Series are told apart by colours, for the colour-blind too, and by dashes.
[[nodiscard]] const char* series_colour(std::size_t series);
// The attributes of its line.
[[nodiscard]] std::string series_stroke(std::size_t series);

using Marker = std::string (*)(double x, double y, const char* colour);
[[nodiscard]] std::string svg_dot(double x, double y, const char* colour);
[[nodiscard]] std::string svg_ring(double x, double y, const char* colour);
[[nodiscard]] std::string svg_diamond(double x, double y, const char* colour);

}  // namespace jostle::cli
