// Why B takes more or less power or energy than A, from the two results' own accounts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analyses/compare/cause.hpp"
#include "input/units.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Result;

// The parts of power::part_names in a sentence.
std::string part_words(const std::string& part) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> known{
      {{"cpu", "the CPU"},
       {"gpu", "the GPU"},
       {"dla", "the DLAs"},
       {"soc", "the rest of the chip"},
       {"dram", "the memory chips"},
       {"base", "the rest of the board"},
       {"loss", "the converters"}}};
  for (const auto& [name, words] : known)
    if (part == name) return std::string(words);
  return part;
}

// "7 times as long", "12 % more time", "the same time".
std::string times_words(double ratio) {
  if (std::abs(ratio - 1) <= no_cause_within) return "the same time";
  return ratio >= 2 ? fmt::format("{} times as long", input::decimal(ratio, 3))
                    : fmt::format("{} % {} time", input::decimal(100 * std::abs(ratio - 1), 2),
                                  ratio > 1 ? "more" : "less");
}

// The parts of the power that changed most: "3.2 W more of the GPU and 1.4 W more of the memory chips". Empty
// if the powers are the same or have no parts.
std::string power_cause(const Result& a, const Result& b) {
  const scenarios::PowerResult &before = a.system.power_w, &after = b.system.power_w;
  if (!before.mean || !after.mean) return {};
  const double change = *after.mean - *before.mean;
  if (std::abs(change) <= no_cause_within * *before.mean) return {};
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, watts] : after.parts) {
    const auto was = std::ranges::find(before.parts, name, [](const auto& part) { return part.first; });
    const double moved = watts - (was == before.parts.end() ? 0 : was->second);
    if (moved / change >= least_part) parts.emplace_back(std::abs(moved), part_words(name));
  }
  if (parts.empty()) return {};
  std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
  if (parts.size() > most_parts) parts.resize(most_parts);
  std::vector<std::string> words;
  for (const auto& [watts, part] : parts)
    words.push_back(
        fmt::format("{} W {} of {}", input::decimal(watts, 2), change > 0 ? "more" : "less", part));
  return fmt::format("{}", fmt::join(words, " and "));
}

// "an image costs 28.2 mJ in place of 10.4, as it takes 7 times as long but only needs 39 % of the power".
// Empty if a side has no images.
std::string energy_cause(const Result& a, const Result& b) {
  const auto rate = [](const Result& result) { return result.system.throughput.value_or(0); };
  if (!a.system.power_w.mean || !b.system.power_w.mean || !(rate(a) > 0) || !(rate(b) > 0)) return {};
  const double watts = *b.system.power_w.mean / *a.system.power_w.mean, time = rate(a) / rate(b);
  const auto energy = [&](const Result& result) { return 1e3 * *result.system.power_w.mean / rate(result); };
  if (std::abs(watts * time - 1) <= no_cause_within) return {};
  const bool against = (watts - 1) * (time - 1) < 0;
  return fmt::format("an image costs {} mJ in place of {}, as it takes {} {} {} % of the power",
                     input::decimal(energy(b), 3), input::decimal(energy(a), 3), times_words(time),
                     against ? "but only needs" : "at", input::decimal(100 * watts, 3));
}

}  // namespace

std::vector<std::string> causes_for(std::string_view metric, const Compared& compared,
                                    const SideNames& names) {
  std::vector<std::string> time = causes_of(compared, names);
  const Result &a = compared.a.front(), &b = compared.b.front();
  const bool of_energy = metric.find("energy") != std::string_view::npos;
  if (!of_energy && metric != "system.power_w") return time;
  std::vector<std::string> found;
  const auto add = [&found](std::string words) {
    constexpr std::size_t most = 2;
    if (!words.empty() && found.size() < most) found.push_back(std::move(words));
  };
  if (of_energy) add(energy_cause(a, b));
  // A slower side costs energy by its time, a faster one by its power.
  const bool slower = b.system.throughput.value_or(0) < a.system.throughput.value_or(0);
  if (!of_energy || !slower) add(power_cause(a, b));
  if (of_energy || found.empty())
    for (std::string& sentence : time) add(std::move(sentence));
  return found;
}

}  // namespace jostle::analyses
