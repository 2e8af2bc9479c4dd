#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::array all_parts{
    Part{"turns", "gpu", "slice, switches and what ends a turn, of 2 to 8 processes", 150, 35, true, turns},
    Part{"launches", "gpu", "idle wake, launching threads", 25, 14, true, launches},
    Part{"space", "gpu",
         "kernels of several streams, and of clients of MPS if a daemon runs, on the SMs at once", 60, 2,
         true, space},
    Part{"kernels", "gpu", "products, depthwise convolutions, elementwise kernels and reductions by size", 10,
         1, true, kernels},
    Part{"gpu_memory", "memory", "bandwidth by blocks and by size, copies", 14, 5, true, gpu_memory},
    Part{"cpu", "cpu", "switch, wake-up, slices, speeds of cores, refill after preemption and migration", 72,
         18, false, cpu},
    Part{"cpu_memory", "memory", "bandwidth by number of threads", 10, 4, false, cpu_memory},
    Part{"power", "power", "watts of single loads, steps of clock and watts, heating and cooling", 150, 14,
         false, power},
};

bool has_power_sensor(const Identity& machine) {
  return machine.gpu.present || !machine.rails.empty();
}

bool is_asked_for(const Part& part, const std::vector<std::string>& only, const Identity& machine) {
  if (only.empty()) return part.group != "power" || has_power_sensor(machine);
  return std::ranges::any_of(
      only, [&](const std::string& word) { return word == part.name || word == part.group; });
}

}  // namespace

std::span<const Part> parts() {
  return all_parts;
}

std::vector<Part> chosen_parts(std::span<const Part> all, const std::vector<std::string>& only,
                               const Identity& machine) {
  std::vector<Part> chosen;
  for (const Part& part : all)
    if (is_asked_for(part, only, machine) && (machine.gpu.present || !part.on_gpu)) chosen.push_back(part);
  return chosen;
}

std::string left_out_parts(const Identity& machine) {
  if (machine.gpu.present) return {};
  std::string text = fmt::format("There is no GPU to measure: {}.", machine.gpu.absent_because);
  if (!has_power_sensor(machine)) text += " There is no sensor of power either: no INA3221 in /sys.";
  return text;
}

std::vector<std::string> part_words(std::span<const Part> all) {
  std::vector<std::string> words{"gpu", "cpu", "memory", "power"};
  for (const Part& part : all)
    if (std::ranges::find(words, part.name) == words.end()) words.emplace_back(part.name);
  return words;
}

}  // namespace jostle::calibration::probe
