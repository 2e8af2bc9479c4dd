#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::array all_parts{
    Part{.name = "turns",
         .group = "gpu",
         .gives = "slice, switches and what ends a turn, of 2 to 8 processes",
         .seconds = 150,
         .quick_seconds = 35,
         .on_gpu = true,
         .run = turns},
    Part{.name = "launches",
         .group = "gpu",
         .gives = "idle wake, launching threads",
         .seconds = 25,
         .quick_seconds = 14,
         .on_gpu = true,
         .run = launches},
    Part{.name = "space",
         .group = "gpu",
         .gives = "kernels of several streams, and of clients of MPS if a daemon runs, on the SMs at once",
         .seconds = 60,
         .quick_seconds = 2,
         .on_gpu = true,
         .run = space},
    Part{.name = "kernels",
         .group = "gpu",
         .gives = "products, depthwise convolutions, elementwise kernels and reductions by size",
         .seconds = 10,
         .quick_seconds = 1,
         .on_gpu = true,
         .run = kernels},
    Part{.name = "gpu_memory",
         .group = "memory",
         .gives = "bandwidth by blocks and by size, copies",
         .seconds = 14,
         .quick_seconds = 5,
         .on_gpu = true,
         .run = gpu_memory},
    Part{.name = "cpu",
         .group = "cpu",
         .gives = "switch, wake-up, slices, speeds of cores, refill after preemption and migration",
         .seconds = 72,
         .quick_seconds = 18,
         .run = cpu},
    Part{.name = "cpu_memory",
         .group = "memory",
         .gives = "bandwidth by number of threads",
         .seconds = 10,
         .quick_seconds = 4,
         .run = cpu_memory},
    Part{.name = "power",
         .group = "power",
         .gives = "watts of single loads, steps of clock and watts, heating and cooling",
         .seconds = 150,
         .quick_seconds = 14,
         .run = power},
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
