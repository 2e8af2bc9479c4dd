#include "cli/svg/scatter_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/svg/svg.hpp"
#include "cli/terminal/markup.hpp"

namespace jostle::cli {
namespace {

using calibration::Comparison;
using calibration::ComparisonGroup;

constexpr std::size_t across = 3;
constexpr double side = 240, left = 58, head = 36, foot = 46, gap = 60, legend_row = 15;
constexpr const char* axis_grey = "#666";

bool drawable(const Comparison& comparison) {
  return comparison.measured > 0 && comparison.predicted > 0;
}

std::vector<std::string> quantities_of(const ComparisonGroup& group) {
  std::vector<std::string> found;
  for (const Comparison& comparison : group.comparisons)
    if (drawable(comparison) && std::ranges::find(found, comparison.quantity) == found.end())
      found.push_back(comparison.quantity);
  return found;
}

// The range of both axes, in powers of ten.
struct Decades {
  double low = HUGE_VAL, high = -HUGE_VAL;
  [[nodiscard]] double part(double value) const { return (std::log10(value) - low) / (high - low); }
};

Decades decades_of(const ComparisonGroup& group) {
  Decades all;
  for (const Comparison& comparison : group.comparisons) {
    if (!drawable(comparison)) continue;
    const auto [least, most] = std::minmax(comparison.measured, comparison.predicted);
    all.low = std::min(all.low, std::log10(least));
    all.high = std::max(all.high, std::log10(most));
  }
  const double margin = std::max(0.05, (all.high - all.low) / 20);
  return {all.low - margin, all.high + margin};
}

// Ticks at every digit of a decade, at 1, 2 and 5, or at whole decades, depending on the span.
std::vector<double> ticks(const Decades& decades) {
  std::vector<double> found;
  const double span = decades.high - decades.low;
  const std::vector<double> digits = span < 0.5   ? std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}
                                     : span < 2.2 ? std::vector<double>{1, 2, 5}
                                                  : std::vector<double>{1};
  for (double decade = std::floor(decades.low); decade <= decades.high; ++decade) {
    for (const double digit : digits) {
      const double value = digit * std::pow(10, decade);
      if (decades.part(value) >= 0 && decades.part(value) <= 1) found.push_back(value);
    }
  }
  return found;
}

// A panel at the top left corner (x, y) of its square.
class Panel {
 public:
  Panel(double x, double y, const ComparisonGroup& group)
      : x_(x), y_(y), group_(group), decades_(decades_of(group)) {}

  [[nodiscard]] std::string svg() const { return frame() + grid() + diagonal() + points() + legend(); }

 private:
  [[nodiscard]] double across_of(double value) const { return x_ + side * decades_.part(value); }
  [[nodiscard]] double down_of(double value) const { return y_ + side * (1 - decades_.part(value)); }

  [[nodiscard]] std::string frame() const {
    return svg_text(x_ - 36, y_ - 12, group_.name, {font::normal, "start", " font-weight=\"bold\""}) +
           fmt::format(
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" "
               "stroke=\"{}\"/>\n",
               x_, y_, side, side, axis_grey) +
           svg_text(x_ + side / 2, y_ + side + 30, "measured", {font::small, "middle"}) +
           fmt::format("<g transform=\"translate({:.1f} {:.1f}) rotate(-90)\">{}</g>\n", x_ - 44,
                       y_ + side / 2, svg_text(0, 0, "predicted", {font::small, "middle"}));
  }
  [[nodiscard]] std::string grid() const {
    std::string picture;
    for (const double tick : ticks(decades_)) {
      const double x = across_of(tick), y = down_of(tick);
      picture +=
          fmt::format("<path d=\"M{:.1f} {:.1f}v{:g}M{:.1f} {:.1f}h{:g}\" stroke=\"#ddd\" fill=\"none\"/>\n",
                      x, y_, side, x_, y, side);
      const std::string label = fmt::format("{:g}", tick);
      picture += svg_text(x, y_ + side + 14, label, {font::small, "middle"}) +
                 svg_text(x_ - 5, y + 4, label, {font::small, "end"});
    }
    return picture;
  }
  // The diagonal (predicted = measured) and a band of ±10 %, clipped to the frame.
  [[nodiscard]] std::string diagonal() const {
    const double shift = side * std::log10(1.1) / (decades_.high - decades_.low);
    const double s = std::min(shift, side), bottom = y_ + side, right = x_ + side;
    return fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}L{3:.1f} {4:.1f}H{5:.1f}V{6:.1f}L{7:.1f} {1:.1f}Z\" fill=\"{8}\" "
        "opacity=\"0.15\"/>\n<path d=\"M{0:.1f} {1:.1f}L{5:.1f} {4:.1f}\" stroke=\"{8}\" fill=\"none\"/>\n",
        x_, bottom, bottom - s, right - s, y_, right, y_ + s, x_ + s, axis_grey);
  }
  [[nodiscard]] std::string points() const {
    const std::vector<std::string> quantities = quantities_of(group_);
    std::string picture;
    for (const Comparison& comparison : group_.comparisons) {
      if (!drawable(comparison)) continue;
      const auto series =
          static_cast<std::size_t>(std::ranges::find(quantities, comparison.quantity) - quantities.begin());
      const Marker mark = comparison.covered.value_or(true) ? svg_dot : svg_ring;
      picture += fmt::format(
          "<g><title>{}: measured {:.4g}, predicted {:.4g} ({:+.1f} %)</title>{}</g>\n",
          markup_escaped(comparison.run + ", " + comparison.quantity), comparison.measured,
          comparison.predicted, 100 * comparison.error(),
          mark(across_of(comparison.measured), down_of(comparison.predicted), series_colour(series)));
    }
    return picture;
  }
  [[nodiscard]] std::string legend() const {
    std::string picture;
    double y = y_ + side + foot;
    std::size_t series = 0;
    for (const calibration::ErrorSummary& row_of : summarise(group_)) {
      picture += svg_dot(x_ + 4, y - 4, series_colour(series)) +
                 svg_text(x_ + 13, y,
                          fmt::format("{}: n = {}, mean |error| {:.1f} %", row_of.quantity, row_of.count,
                                      100 * row_of.mean_absolute),
                          {font::small});
      ++series;
      y += legend_row;
    }
    return picture;
  }

  double x_, y_;
  const ComparisonGroup& group_;
  Decades decades_;
};

}  // namespace

std::string scatter_svg(const std::vector<ComparisonGroup>& groups) {
  std::vector<const ComparisonGroup*> shown;
  for (const ComparisonGroup& group : groups)
    if (!group.is_view && !quantities_of(group).empty()) shown.push_back(&group);
  const double cell = left + side + gap;
  const std::size_t columns = std::clamp<std::size_t>(shown.size(), 1, across);
  std::string panels;
  double y = 0;
  for (std::size_t first = 0; first < shown.size(); first += across) {
    std::size_t legend = 0;
    for (std::size_t i = first; i < std::min(first + across, shown.size()); ++i) {
      panels += Panel(static_cast<double>(i - first) * cell + left, y + head, *shown[i]).svg();
      legend = std::max(legend, quantities_of(*shown[i]).size());
    }
    y += head + side + foot + legend_row * static_cast<double>(legend);
  }
  std::string picture = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#111\" role=\"img\" "
      "aria-label=\"predicted against measured\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      static_cast<double>(columns) * cell, y + gap / 4);
  return picture + panels + "</svg>\n";
}

}  // namespace jostle::cli
