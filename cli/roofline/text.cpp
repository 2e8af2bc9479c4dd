#include "cli/roofline/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal/table.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::cli {
namespace {

using analyses::ModeRoofline;
using analyses::PlacedNetwork;
using analyses::RooflineAnswer;

// The unit of rates.
struct Unit {
  double size;
  const char* name;
};
Unit unit_for(const RooflineAnswer& answer) {
  double peak = 0;
  for (const ModeRoofline& mode : answer.modes) peak = std::max(peak, mode.roofs.flop_per_s);
  return peak >= 1e12 ? Unit{1e12, "TFLOP/s"} : Unit{1e9, "GFLOP/s"};
}

std::string digits_or_none(std::optional<double> value, double unit = 1) {
  return value ? digits(*value / unit) : none;
}
std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Table time_table(const RooflineAnswer& answer, const Unit& unit) {
  Table table({left("mode"), right("GPU MHz", 5), right("SMs", 4), right("EMC MHz", 3), right(unit.name),
               right("GB/s"), right("ridge")});
  for (const ModeRoofline& mode : answer.modes) {
    table.add({mode_text(mode), fmt::format("{:g}", mode.gpu_hz / 1e6), fmt::format("{}", mode.sms),
               fmt::format("{:g}", mode.emc_hz / 1e6), digits(mode.roofs.flop_per_s / unit.size),
               digits(mode.roofs.bytes_per_s / 1e9), digits(power::ridge(mode.roofs))});
  }
  return table;
}

Table energy_table(const RooflineAnswer& answer) {
  Table table({left("mode"), right("pJ/FLOP"), right("pJ/B"), right("idle W", 2), right("+busy W", 1),
               right("GFLOP/J"), right("balance")});
  for (const ModeRoofline& mode : answer.modes) {
    const power::Roofline::Energy& energy = *mode.roofs.energy;
    table.add({mode_text(mode), digits((energy.operation_j + energy.sm_operation_j) * 1e12),
               digits((energy.byte_j + energy.sm_byte_j) * 1e12), digits(energy.idle_w),
               digits(energy.busy_w), digits_or_none(power::best_flop_per_j(mode.roofs), 1e9),
               digits_or_none(power::energy_balance(mode.roofs))});
  }
  return table;
}

// A row per mode, a column per intensity.
template <class Metric>
Table attainable_table(const RooflineAnswer& answer, const Metric& metric) {
  std::vector<Column> columns{left("mode")};
  std::vector<double> shown;
  for (std::size_t i = 0; i < listed_intensities().size(); i += 4) {
    shown.push_back(listed_intensities()[i]);
    columns.push_back(right(fmt::format("{:g}", shown.back()), 1));
  }
  Table table(columns);
  for (const ModeRoofline& mode : answer.modes) {
    std::vector<std::string> cells{mode_text(mode)};
    for (const double intensity : shown) cells.push_back(digits_or_none(metric(mode, intensity)));
    table.add(cells);
  }
  return table;
}

Table networks_table(const RooflineAnswer& answer, const Unit& unit) {
  std::vector<Column> columns({shrinking("network"), left("mode"), right("FLOP/B"), right(unit.name),
                               right("of roof"), left("bound by", 2), right("GFLOP/J"), right("of roof", 3),
                               left("grade", 1)});
  if (!answer.power_known) columns.erase(columns.begin() + 6, columns.begin() + 8);
  Table table(columns);
  for (const ModeRoofline& mode : answer.modes) {
    for (const PlacedNetwork& network : mode.networks) {
      std::vector<std::string> cells{input::printable(network.model), mode_text(mode)};
      if (!network.problem.empty()) continue;
      const double intensity = network.intensity();
      const double roof = power::attainable_flop_per_s(mode.roofs, intensity);
      cells.insert(cells.end(), {digits(intensity), digits(network.flop_per_s() / unit.size),
                                 whole_percent(network.flop_per_s() / roof),
                                 intensity < power::ridge(mode.roofs) ? "memory" : "compute"});
      if (const auto per_j = network.flop_per_j()) {
        cells.push_back(digits(*per_j / 1e9));
        cells.push_back(whole_percent(*per_j / *power::attainable_flop_per_j(mode.roofs, intensity)));
      }
      cells.push_back(network.grade);
      table.add(cells);
    }
  }
  return table;
}

}  // namespace

const std::vector<double>& listed_intensities() {
  static const std::vector<double> all = [] {
    std::vector<double> list;
    for (double intensity = 0.25; intensity <= 1024; intensity *= 2) {
      list.push_back(intensity);
      list.push_back(intensity * 1.5);
    }
    list.pop_back();
    return list;
  }();
  return all;
}

std::string digits(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - before, 0, 6));
}

std::string mode_text(const ModeRoofline& mode) {
  return mode.mode.empty() ? "maximum" : input::printable(mode.mode);
}

std::string roofline_title(const RooflineAnswer& answer) {
  std::string title = fmt::format("{}, {} on {} cores", input::printable(answer.device), answer.precision,
                                  answer.tensor_cores ? "tensor" : "CUDA");
  if (answer.computed != answer.precision)
    title = fmt::format("{}, {} run as {} on CUDA cores", input::printable(answer.device), answer.precision,
                        answer.computed);
  return title;
}

std::string roofline_table(const RooflineAnswer& answer, int width, bool colour) {
  const Unit unit = unit_for(answer);
  std::string text = roofline_title(answer) + "\n\n" + time_table(answer, unit).text(width, colour) + "\n";
  if (answer.power_known) {
    text += energy_table(answer).text(width, colour);
    text += fmt::format("energy and power: grade {}\n", answer.power_grade.value_or("unknown"));
  } else {
    text += "No energy roofline: the profile has no power section.\n";
  }
  text += fmt::format("\nattainable {} by FLOP/B\n", unit.name);
  text += attainable_table(answer, [&](const ModeRoofline& mode, double intensity) {
            return std::optional(power::attainable_flop_per_s(mode.roofs, intensity) / unit.size);
          }).text(width, colour);
  if (answer.power_known) {
    text += "\nattainable GFLOP/J by FLOP/B\n";
    text += attainable_table(answer, [](const ModeRoofline& mode, double intensity) {
              return std::optional(*power::attainable_flop_per_j(mode.roofs, intensity) / 1e9);
            }).text(width, colour);
  }
  if (!answer.modes.front().networks.empty()) {
    text += fmt::format("\n{}, batch {}, {}, kernels without launch gaps\n",
                        answer.training ? "training" : "inference", answer.batch, answer.runtime);
    text += networks_table(answer, unit).text(width, colour);
    for (const ModeRoofline& mode : answer.modes) {
      for (const PlacedNetwork& network : mode.networks) {
        if (!network.problem.empty())
          text += fmt::format("{} in {}: {}\n", input::printable(network.model), mode_text(mode),
                              input::printable(network.problem, 400));
      }
    }
  }
  return text;
}

}  // namespace jostle::cli
