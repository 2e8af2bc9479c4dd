#include "cli/svg/svg.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/terminal/markup.hpp"

namespace jostle::cli {
namespace {

// The palette of Okabe and Ito, "Color universal design", with a darker yellow for a white background.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#b8860b", "#56b4e9", "#6a3d9a", "#333333"};
constexpr std::array dashes{"", "7 3", "2 3", "9 3 2 3", "4 2"};

}  // namespace

std::string svg_text(double x, double y, const std::string& text, const TextStyle& style) {
  const auto& [size, anchor, more] = style;
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\"{}>{}</text>\n", x,
                     y, size, anchor, more, markup_escaped(text));
}

const char* series_colour(std::size_t series) {
  return colours[series % colours.size()];
}

std::string series_stroke(std::size_t series) {
  const char* dash = dashes[series % dashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"{}", series_colour(series),
                     *dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string svg_dot(double x, double y, const char* colour) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"white\"/>\n", x, y,
                     colour);
}

std::string svg_ring(double x, double y, const char* colour) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"white\" stroke=\"{}\" stroke-width=\"2\"/>\n", x,
      y, colour);
}

std::string svg_diamond(double x, double y, const char* colour) {
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z\" fill=\"white\" stroke=\"{}\" "
      "stroke-width=\"2\"/>\n",
      x, y - 5.5, colour);
}

}  // namespace jostle::cli
