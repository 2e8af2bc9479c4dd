#include "cli/roofline/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::cli {
namespace {

using analyses::ModeRoofline;
using analyses::PlacedNetwork;
using analyses::RooflineAnswer;
using power::Roofline;

class RooflinePanel {
 public:
  RooflinePanel(const RooflineAnswer& answer, const PanelContent& content, const Box& frame,
                Range intensities)
      : answer_(answer), content_(content), frame_(frame), x_(intensities) {
    double low = HUGE_VAL, high = 0;
    for (const ModeRoofline& mode : answer.modes) {
      low = std::min(low, content.roof(mode.roofs, x_.low));
      high = std::max(high, content.roof(mode.roofs, x_.high));
      for (const PlacedNetwork& network : mode.networks)
        if (network.problem.empty()) low = std::min(low, content.dot(network));
    }
    y_ = {round_down(low / 1.2), round_up(1.3 * high)};
  }

  std::string draw() {
    // The names of the networks are below their dots: the axis is extended until they fit.
    constexpr int max_tries = 12;
    auto labels = names();
    for (int tries = 0; !labels && tries < max_tries; ++tries) {
      y_.low = round_down(y_.low / 1.5);
      labels = names();
    }
    std::string picture = axes();
    for (std::size_t mode = 0; mode < answer_.modes.size(); ++mode) picture += roof(mode);
    for (const auto& [model, dots] : columns()) picture += thin_line(dots.front(), dots.back());
    for (std::size_t mode = 0; mode < answer_.modes.size(); ++mode) picture += marks(mode);
    for (const PlacedLabel& label : labels.value_or(std::vector<PlacedLabel>{})) picture += name(label);
    return picture;
  }

 private:
  [[nodiscard]] double across(double intensity) const {
    return frame_.left +
           (frame_.right - frame_.left) * std::log(intensity / x_.low) / std::log(x_.high / x_.low);
  }
  [[nodiscard]] double up(double value) const {
    return frame_.bottom -
           (frame_.bottom - frame_.top) * std::log(value / y_.low) / std::log(y_.high / y_.low);
  }

  [[nodiscard]] std::string axes() const {
    std::string picture = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"#555\"/>\n",
        frame_.left, frame_.top, frame_.right - frame_.left, frame_.bottom - frame_.top);
    const auto grid = [&](double x1, double y1, double x2, double y2, bool decade) {
      picture += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                             decade ? "#ccc" : "#eee");
    };
    const auto ticks = [](Range range, const auto& tick) {
      const bool few = range.high / range.low < 300;
      for (double decade = std::pow(10, std::floor(std::log10(range.low))); decade <= range.high;
           decade *= 10) {
        for (const double step : {1.0, 2.0, 5.0}) {
          const double value = step * decade;
          if (value >= 0.999 * range.low && value <= 1.001 * range.high)
            tick(value, step == 1, step == 1 || few);
        }
      }
    };
    ticks(x_, [&](double value, bool decade, bool labelled) {
      grid(across(value), frame_.top, across(value), frame_.bottom, decade);
      if (labelled)
        picture +=
            svg_text(across(value), frame_.bottom + 15, fmt::format("{:g}", value), {font::small, "middle"});
    });
    ticks(y_, [&](double value, bool decade, bool labelled) {
      grid(frame_.left, up(value), frame_.right, up(value), decade);
      if (labelled)
        picture += svg_text(frame_.left - 5, up(value) + 4, fmt::format("{:g}", value), {font::small, "end"});
    });
    picture += svg_text(frame_.left, frame_.top - 9, content_.title,
                        {font::normal, "start", " font-weight=\"bold\""});
    return picture + svg_text((frame_.left + frame_.right) / 2, frame_.bottom + 31, "FLOP per byte of DRAM",
                              {font::normal, "middle"});
  }

  [[nodiscard]] std::string roof(std::size_t mode) const {
    constexpr int steps = 160;
    std::string path;
    for (int i = 0; i <= steps; ++i) {
      const double intensity = x_.low * std::pow(x_.high / x_.low, static_cast<double>(i) / steps);
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", across(intensity),
                          up(content_.roof(answer_.modes[mode].roofs, intensity)));
    }
    return fmt::format("<path d=\"{}\" {}/>\n", path, series_stroke(mode));
  }

  [[nodiscard]] Point mark_of(const Roofline& roofs) const {
    const double intensity = content_.mark(roofs);
    return {across(intensity), up(content_.roof(roofs, intensity))};
  }
  [[nodiscard]] Point dot_of(const PlacedNetwork& network) const {
    return {across(network.intensity()), up(content_.dot(network))};
  }

  [[nodiscard]] std::string marks(std::size_t mode) const {
    const ModeRoofline& shown = answer_.modes[mode];
    const Point mark = mark_of(shown.roofs);
    std::string picture;
    if (mark.x >= frame_.left && mark.x <= frame_.right)
      picture += content_.marker(mark.x, mark.y, series_colour(mode));
    for (const PlacedNetwork& network : shown.networks) {
      if (!network.problem.empty()) continue;
      const Point dot = dot_of(network);
      picture += svg_dot(dot.x, dot.y, series_colour(mode));
    }
    return picture;
  }

  // The dots of each network, the highest first. Its intensity is nearly the same in all modes.
  [[nodiscard]] std::map<std::string, std::vector<Point>> columns() const {
    std::map<std::string, std::vector<Point>> columns;
    for (const ModeRoofline& mode : answer_.modes) {
      for (const PlacedNetwork& network : mode.networks)
        if (network.problem.empty()) columns[network.model].push_back(dot_of(network));
    }
    for (auto& [model, dots] : columns) std::ranges::sort(dots, {}, &Point::y);
    return columns;
  }

  // Labels: each network is named once, at its lowest dot.
  [[nodiscard]] std::optional<std::vector<PlacedLabel>> names() const {
    std::vector<Box> taken;
    const auto keep_free = [&](Point point, double half) {
      taken.push_back({point.x - half, point.y - half, point.x + half, point.y + half});
    };
    for (const ModeRoofline& mode : answer_.modes) keep_free(mark_of(mode.roofs), 6);
    std::vector<Label> labels;
    for (const auto& [model, dots] : columns()) {
      for (const Point& dot : dots) keep_free(dot, 4);
      taken.push_back({dots.front().x - 1, dots.front().y, dots.front().x + 1, dots.back().y});
      const std::string file = model.substr(model.rfind('/') + 1);  // without its folders
      labels.push_back({.text = input::printable(file, 24), .point = dots.back()});
    }
    return place_labels(std::move(labels), frame_, std::move(taken), font::small);
  }

  static std::string name(const PlacedLabel& placed) {
    const Box& box = placed.box;
    const Point& point = placed.label.point;
    std::string picture;
    if (placed.apart)
      picture += thin_line(point, {point.x, box.bottom - 5}) +
                 thin_line({point.x, box.bottom - 5}, {box.left - 1, box.bottom - 5});
    return picture +
           svg_text(box.left, box.bottom - 3, placed.label.text,
                    {font::small, "start", " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\""});
  }

  static std::string thin_line(Point from, Point to) {
    return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#999\" stroke-width=\"0.7\"/>\n",
                       from.x, from.y, to.x, to.y);
  }

  const RooflineAnswer& answer_;
  const PanelContent& content_;
  Box frame_;
  Range x_, y_{};
};

}  // namespace

double round_up(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * decade >= value) return step * decade;
  }
  return 10 * decade;
}
double round_down(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {5.0, 2.0}) {
    if (step * decade <= value) return step * decade;
  }
  return decade;
}

std::string roofline_panel(const RooflineAnswer& answer, const PanelContent& content, const Box& frame,
                           Range intensities) {
  return RooflinePanel(answer, content, frame, intensities).draw();
}

}  // namespace jostle::cli
