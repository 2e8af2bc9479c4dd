// The result of an offload study as SVG: a map over round-trip time and bandwidth of the best option (edge,
// cloud, split, layers), with the break-even of edge and cloud.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "cli/offload/text.hpp"
#include "cli/svg/svg.hpp"
#include "cli/terminal/markup.hpp"
#include "input/counted.hpp"

namespace jostle::cli {
namespace {

using analyses::BreakEven;
using analyses::OffloadAnswer;
using analyses::OffloadPoint;
using analyses::Side;
using analyses::SideMetrics;
using scenarios::Metric;

constexpr double width = 860, left = 96, gap = 34, right = 20, top = 76;
constexpr const char* not_served = "#c8c8c8";

const char* colour_of(analyses::Side side) {
  constexpr std::array<const char*, 4> colours{"#8fb9dd", "#f2b48a", "#8fcfae", "#c9a8dc"};
  return colours[static_cast<std::size_t>(side)];
}

std::string initial_of(analyses::Side side) {
  constexpr std::array<const char*, 4> initials{"E", "C", "S", "L"};
  return initials[static_cast<std::size_t>(side)];
}

// The cell of one point.
struct Cell {
  const char* colour;
  std::string label, initial, title;  // `initial` is used if the label does not fit
};

struct Panel {
  double x, width;
  std::string title;
  std::function<Cell(const OffloadPoint&)> cell;
  bool names_bandwidths, shows_break_even;
};

class Picture {
 public:
  explicit Picture(const OffloadAnswer& answer) : answer_(answer) {
    for (const OffloadPoint& point : answer.points) {
      if (point.bandwidth == answer.points.front().bandwidth) rtts_.push_back(sim::to_ms(point.rtt));
    }
    rows_ = answer.points.size() / rtts_.size();
    band_ = std::clamp(320.0 / static_cast<double>(rows_), 16.0, 90.0);
    // Each value covers the range from half-way to its lower neighbour to half-way to its upper one.
    for (std::size_t i = 0; i + 1 < rtts_.size(); ++i) edges_.push_back((rtts_[i] + rtts_[i + 1]) / 2);
    const double first = rtts_.size() > 1 ? edges_.front() - rtts_.front() : 1;
    const double last = rtts_.size() > 1 ? rtts_.back() - edges_.back() : 1;
    edges_.insert(edges_.begin(), rtts_.front() - first);
    edges_.push_back(rtts_.back() + last);
  }

  [[nodiscard]] double bottom() const { return top + band_ * static_cast<double>(rows_); }

  [[nodiscard]] std::string panel(const Panel& panel) const {
    std::string picture =
        svg_text(panel.x, top - 14, panel.title, {font::normal, "start", " font-weight=\"bold\""});
    for (std::size_t row = 0; row < rows_; ++row) {
      const double y = bottom() - band_ * static_cast<double>(row + 1);
      for (std::size_t i = 0; i < rtts_.size(); ++i) {
        const OffloadPoint& point = answer_.points[row * rtts_.size() + i];
        const Cell cell = panel.cell(point);
        const double from = across(panel, edges_[i]), to = across(panel, edges_[i + 1]);
        picture += fmt::format(
            "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
            "fill=\"{}\" stroke=\"white\"/></g>\n",
            markup_escaped(cell.title), from, y, to - from, band_, cell.colour);
        const std::string& label = narrowest(panel) < 45 ? cell.initial : cell.label;
        if (to - from >= 10)
          picture += svg_text((from + to) / 2, y + band_ / 2 + 4, label, {font::small, "middle"});
      }
      if (panel.names_bandwidths)
        picture +=
            svg_text(panel.x - 8, y + band_ / 2 + 4,
                     bandwidth_text(answer_.points[row * rtts_.size()].bandwidth), {font::small, "end"});
    }
    if (panel.shows_break_even) picture += break_even(panel);
    return picture + axis(panel);
  }

 private:
  [[nodiscard]] double across(const Panel& panel, double rtt) const {
    return panel.x + panel.width * (rtt - edges_.front()) / (edges_.back() - edges_.front());
  }

  [[nodiscard]] double narrowest(const Panel& panel) const {
    double least = panel.width;
    for (std::size_t i = 0; i + 1 < edges_.size(); ++i)
      least = std::min(least, across(panel, edges_[i + 1]) - across(panel, edges_[i]));
    return least;
  }

  // A tick below each cell, if it fits.
  [[nodiscard]] std::string axis(const Panel& panel) const {
    std::string picture;
    double free_from = -HUGE_VAL;
    for (const double rtt : rtts_) {
      const double x = across(panel, rtt);
      const std::string label = fmt::format("{:g}", rtt);
      const double half = 3.5 * static_cast<double>(label.size());
      if (x - half < free_from) continue;
      free_from = x + half + 6;
      picture += fmt::format("<path d=\"M{:.1f} {:.1f}v4\" stroke=\"#333\"/>\n", x, bottom());
      picture += svg_text(x, bottom() + 16, label, {font::small, "middle"});
    }
    return picture +
           svg_text(panel.x + panel.width / 2, bottom() + 33, "round-trip time, ms", {font::small, "middle"});
  }

  [[nodiscard]] std::string break_even(const Panel& panel) const {
    std::string picture;
    for (const BreakEven& found : answer_.break_even) {
      if (found.stream || found.kind != BreakEven::Kind::up_to) continue;
      std::size_t row = 0;
      while (row + 1 < rows_ && answer_.points[row * rtts_.size()].bandwidth != found.bandwidth) ++row;
      const double x = across(panel, sim::to_ms(found.rtt));
      const double y = bottom() - band_ * static_cast<double>(row + 1);
      picture += fmt::format(
          "<g><title>{}: {}</title><path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"#111\" "
          "stroke-width=\"3\"/></g>\n",
          bandwidth_text(found.bandwidth), break_even_text(found), x, y, band_);
    }
    return picture;
  }

  const OffloadAnswer& answer_;
  std::vector<double> rtts_, edges_;  // ms
  std::size_t rows_ = 0;
  double band_ = 0;
};

std::string shown(const Metric& value, const char* unit) {
  return value ? fmt::format("{:.3g} {}", *value, unit) : "not served";
}

std::string place(const OffloadPoint& point) {
  return fmt::format("{}, RTT {}", bandwidth_text(point.bandwidth), time_text(point.rtt));
}

std::string partition_text(const OffloadAnswer& answer, const OffloadPoint& point) {
  if (answer.partitions.empty()) return "not possible";
  return fmt::format("after layer {} of {}, {}", answer.partitions[point.partition].at.layers, answer.layers,
                     shown(point.layers.worst_p99(), "ms"));
}

// The cell of a point where `side` is best.
Cell cell_of(const OffloadAnswer& answer, const OffloadPoint& point, Side side, const std::string& title) {
  std::string label = to_string(side), initial = initial_of(side);
  if (side == Side::split)
    label = initial = fmt::format("{}|{}", point.on_edge, answer.streams.size() - point.on_edge);
  if (side == Side::layers)
    label = initial = fmt::format("L{}", answer.partitions[point.partition].at.layers);
  return {colour_of(side), label, initial, title};
}

Cell by_latency(const OffloadAnswer& answer, const OffloadPoint& point) {
  const std::string title =
      fmt::format("{}: worst p99 edge {}, cloud {}, split {} ({} of {} streams on the edge), layers {}",
                  place(point), shown(answer.edge.worst_p99(), "ms"), shown(point.cloud.worst_p99(), "ms"),
                  shown(point.split.worst_p99(), "ms"), point.on_edge, answer.streams.size(),
                  partition_text(answer, point));
  if (!analyses::metrics(answer, point, point.best).served()) return {not_served, "none", "", title};
  return cell_of(answer, point, point.best, title);
}

Cell by_energy(const OffloadAnswer& answer, const OffloadPoint& point) {
  std::string title = place(point);
  bool any = false;
  for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers}) {
    if (side == Side::layers && answer.partitions.empty()) continue;
    const SideMetrics& metrics = analyses::metrics(answer, point, side);
    any = any || metrics.served();
    title += fmt::format("{} {} {}", side == Side::edge ? ":" : ",", to_string(side),
                         metrics.served() ? shown(metrics.edge_energy_mj, "mJ/image") : "not served");
  }
  if (!any) return {not_served, "none", "", title};
  if (!point.least_energy) return {not_served, "?", "?", title};
  return cell_of(answer, point, *point.least_energy, title);
}

std::string legend(const OffloadAnswer& answer, double y) {
  std::string picture;
  double x = left;
  const auto entry = [&](const char* colour, const std::string& text) {
    picture += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" fill=\"{}\"/>\n", x,
                           y - 11, colour);
    picture += svg_text(x + 20, y, text, {font::small});
    x += 34 + 5.8 * static_cast<double>(text.size());
  };
  entry(colour_of(Side::edge), "edge");
  entry(colour_of(Side::cloud), "cloud");
  entry(colour_of(Side::split), "split: streams on edge | cloud");
  if (!answer.partitions.empty()) entry(colour_of(Side::layers), "L4: 4 layers on the edge");
  entry(not_served, "no option serves all streams");
  picture +=
      fmt::format("<path d=\"M{:.1f} {:.1f}v14\" stroke=\"#111\" stroke-width=\"3\"/>\n", x + 4, y - 11);
  return picture + svg_text(x + 14, y, "break-even of edge and cloud", {font::small});
}

}  // namespace

std::string offload_svg(const OffloadAnswer& answer) {
  const Picture regions(answer);
  const double each = (width - left - gap - right) / 2;
  const double height = regions.bottom() + 84;
  std::string picture = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#111\" role=\"img\" "
      "aria-label=\"edge, cloud or split\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  picture += svg_text(24, 30,
                      fmt::format("{}: {} or {}", input::counted(answer.streams.size(), "stream"),
                                  answer.edge_device, answer.cloud_device),
                      {font::large, "start", " font-weight=\"bold\""});
  picture += regions.panel({.x = left,
                            .width = each,
                            .title = "lowest p99 latency of the worst stream",
                            .cell = [&](const OffloadPoint& point) { return by_latency(answer, point); },
                            .names_bandwidths = true,
                            .shows_break_even = true});
  picture += regions.panel({.x = left + each + gap,
                            .width = each,
                            .title = "lowest edge energy per image",
                            .cell = [&](const OffloadPoint& point) { return by_energy(answer, point); },
                            .names_bandwidths = false,
                            .shows_break_even = false});
  return picture + legend(answer, height - 20) + "</svg>\n";
}

}  // namespace jostle::cli
