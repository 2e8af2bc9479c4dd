#include "calibration/probe/parts.hpp"

#include <algorithm>
#include <array>

namespace jostle::calibration::probe {
namespace {

constexpr std::array all_parts{
    Part{.name = "cpu",
         .group = "cpu",
         .gives = "switch, wake-up, slices, nice, refill after preemption and migration, real-time threads",
         .seconds = 70,
         .quick_seconds = 30,
         .on_gpu = false,
         .run = cpu},
    Part{.name = "cpu_memory",
         .group = "memory",
         .gives = "bandwidth by number of threads, copies, readers beside writers, latency by size",
         .seconds = 20,
         .quick_seconds = 10,
         .on_gpu = false,
         .run = cpu_memory},
};

}  // namespace

std::span<const Part> parts() {
  return all_parts;
}

std::vector<Part> chosen_parts(std::span<const Part> all, const std::vector<std::string>& only,
                               bool gpu_present) {
  std::vector<Part> chosen;
  for (const Part& part : all) {
    const bool asked = only.empty() || std::ranges::any_of(only, [&](const std::string& word) {
                         return word == part.name || word == part.group;
                       });
    if (asked && (gpu_present || !part.on_gpu)) chosen.push_back(part);
  }
  return chosen;
}

std::vector<std::string> part_words(std::span<const Part> all) {
  std::vector<std::string> words{"gpu", "cpu", "memory", "power"};
  for (const Part& part : all)
    if (std::ranges::find(words, part.name) == words.end()) words.emplace_back(part.name);
  return words;
}

}  // namespace jostle::calibration::probe
