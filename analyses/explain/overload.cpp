// Finds the processes that do not keep up with their offered rate, and the changes under which they would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {
namespace {

// Only changes that one can make.
std::string sentence(const std::vector<const Tried*>& stable, const std::vector<const Tried*>& others) {
  std::vector<std::string> names, rest;
  for (const Tried* tried : stable) names.push_back(tried->named());
  for (const Tried* tried : others) rest.push_back(tried->what_if.label);
  if (!stable.empty())
    return fmt::format("it would keep up with any of: {}{}{}", fmt::join(names, ", "),
                       rest.empty() ? "" : "; not with: ", fmt::join(rest, ", "));
  if (others.empty()) return {};
  const Tried& best = **std::ranges::max_element(others, {}, &Tried::gain);
  return "no change that was tried lets it keep up" +
         (best.gain > 0 ? fmt::format("; {} would bring most", best.named()) : std::string());
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
    if (tried[i].what_if.role == Role::advice) (tried[i].is_stable() ? stable : others).push_back(&tried[i]);
  }
  overload.sentence = sentence(stable, others);
  return overload;
}

}  // namespace jostle::analyses
