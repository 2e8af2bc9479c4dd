// Finds the processes that do not keep up with their offered rate, and the changes under which they would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyses/explain/explain.hpp"
#include "input/quantity.hpp"

namespace jostle::analyses {
namespace {

std::string sentence(const std::vector<const Tried*>& stable, const std::vector<const Tried*>& others) {
  const auto labels = [](const std::vector<const Tried*>& all) {
    std::vector<std::string> names;
    for (const Tried* tried : all) names.push_back(tried->what_if.label);
    return fmt::format("{}", fmt::join(names, ", "));
  };
  if (!stable.empty())
    return "it would keep up with any of: " + labels(stable) +
           (others.empty() ? "" : "; not with: " + labels(others));
  if (others.empty()) return {};
  const Tried& best = **std::ranges::max_element(
      others, {}, [](const Tried* tried) { return tried->throughput.after.value_or(0); });
  return fmt::format("no change that was tried lets it keep up; {} would serve most, {} images/s",
                     best.what_if.label, input::decimal(best.throughput.after.value_or(0), 4));
}

}  // namespace

std::vector<std::size_t> overloaded_in(const scenarios::Result& result) {
  std::vector<std::size_t> processes;
  for (std::size_t i = 0; i < result.processes.size(); ++i)
    if (result.processes[i].stable == false) processes.push_back(i);
  return processes;
}

std::optional<Overload> overload_of(const scenarios::Result& result, const std::vector<Tried>& tried) {
  Overload overload{.processes = overloaded_in(result), .stable_with = {}, .sentence = {}};
  if (overload.processes.empty()) return std::nullopt;
  for (const std::size_t index : overload.processes) {
    overload.offered += result.processes[index].offered.value_or(0);
    overload.served += result.processes[index].throughput.mean.value_or(0);
  }
  std::vector<const Tried*> stable, others;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].is_stable()) overload.stable_with.push_back(i);
    (tried[i].is_stable() ? stable : others).push_back(&tried[i]);
  }
  overload.sentence = sentence(stable, others);
  return overload;
}

}  // namespace jostle::analyses
