// A roofline as SVG: the time and the energy panel next to each other, and a legend with the values of each
// mode.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/roofline/panel.hpp"
#include "cli/roofline/text.hpp"

namespace jostle::cli {
namespace {

using analyses::ModeRoofline;
using analyses::PlacedNetwork;
using analyses::RooflineAnswer;
using power::Roofline;

constexpr double picture_width = 800, least_height = 600;
constexpr double picture_top = 66, row = 17;
constexpr const char* grey = "#333";

// A line per mode: its clocks and the resulting limits.
std::string legend(const RooflineAnswer& answer, double y) {
  std::vector<std::string> headers{"GPU MHz", "SMs", "EMC MHz", "GFLOP/s", "GB/s", "ridge"};
  if (answer.power_known) headers.insert(headers.end(), {"GFLOP/J", "balance"});
  const double first = 190, column = (picture_width - 30 - first) / static_cast<double>(headers.size());
  const auto end_of = [&](std::size_t i) { return first + column * static_cast<double>(i + 1); };
  std::string picture;
  for (std::size_t i = 0; i < headers.size(); ++i)
    picture += svg_text(end_of(i), y, headers[i], {font::small, "end"});
  for (std::size_t mode = 0; mode < answer.modes.size(); ++mode) {
    y += row;
    const ModeRoofline& shown = answer.modes[mode];
    picture += fmt::format("<path d=\"M24 {0:.1f}H56\" {1}/>\n", y - 4, series_stroke(mode));
    picture += svg_text(64, y, mode_text(shown), {font::normal});
    std::vector<std::string> cells{
        fmt::format("{:g}", shown.gpu_hz / 1e6), fmt::format("{}", shown.sms),
        fmt::format("{:g}", shown.emc_hz / 1e6), digits(shown.roofs.flop_per_s / 1e9),
        digits(shown.roofs.bytes_per_s / 1e9),   digits(power::ridge(shown.roofs))};
    if (answer.power_known) {
      cells.push_back(digits(*power::best_flop_per_j(shown.roofs) / 1e9));
      cells.push_back(digits(*power::energy_balance(shown.roofs)));
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      picture += svg_text(end_of(i), y, cells[i], {font::small, "end"});
  }
  return picture;
}

// The meaning of the marks.
std::string key(const RooflineAnswer& answer, double y) {
  std::string picture =
      svg_ring(40, y - 4, grey) + svg_text(64, y, "ridge: compute-bound from here on", {font::small});
  if (!answer.power_known) {
    return picture + svg_text(picture_width - 30, y, "no energy roofline: the profile has no power section",
                              {font::small, "end"});
  }
  return picture + svg_diamond(420, y - 4, grey) +
         svg_text(434, y, "balance: half of the peak FLOP/J", {font::small});
}

Range intensities_of(const RooflineAnswer& answer) {
  double low = HUGE_VAL, high = 0;
  for (const ModeRoofline& mode : answer.modes) {
    low = std::min(low, power::ridge(mode.roofs) / 30);
    high = std::max(high, power::ridge(mode.roofs) * 6);
    for (const PlacedNetwork& network : mode.networks) {
      if (!network.problem.empty()) continue;
      low = std::min(low, network.intensity() / 2);
      high = std::max(high, network.intensity() * 8);  // space for its name
    }
  }
  return {round_down(low), round_up(high)};
}

}  // namespace

std::string roofline_svg(const RooflineAnswer& answer) {
  const double below = 58 + row * static_cast<double>(answer.modes.size()) + 40;
  const double height = std::max(least_height, picture_top + 280 + below);
  const double bottom = height - below;
  const Range intensities = intensities_of(answer);
  const PanelContent time{
      .title = "time: GFLOP/s",
      .roof = [](const Roofline& roofs, double i) { return power::attainable_flop_per_s(roofs, i) / 1e9; },
      .dot = [](const PlacedNetwork& network) { return network.flop_per_s() / 1e9; },
      .mark = power::ridge,
      .marker = svg_ring};
  const PanelContent energy{
      .title = "energy: GFLOP/J",
      .roof = [](const Roofline& roofs, double i) { return *power::attainable_flop_per_j(roofs, i) / 1e9; },
      .dot = [](const PlacedNetwork& network) { return *network.flop_per_j() / 1e9; },
      .mark = [](const Roofline& roofs) { return *power::energy_balance(roofs); },
      .marker = svg_diamond};
  std::string title = roofline_title(answer);
  if (!answer.modes.front().networks.empty())
    title += fmt::format(", {}, batch {}", answer.training ? "training" : "inference", answer.batch);
  std::string picture = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#111\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      picture_width, height);
  picture += svg_text(24, 28, title, {font::large, "start", " font-weight=\"bold\""});
  const double right = answer.power_known ? 404 : picture_width - 24;
  picture += roofline_panel(answer, time, {64, picture_top, right, bottom}, intensities);
  if (answer.power_known)
    picture += roofline_panel(answer, energy, {462, picture_top, picture_width - 24, bottom}, intensities);
  picture += legend(answer, bottom + 58);
  picture += key(answer, height - 14);
  return picture + "</svg>\n";
}

}  // namespace jostle::cli
