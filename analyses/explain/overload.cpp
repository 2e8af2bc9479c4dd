// Finds the processes that do not keep up with their offered rate, and the changes under which they would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {
namespace {

// Only changes that one can make.
std::string sentence(const std::vector<Tried>& tried) {
  std::vector<std::string> stable, others;
  const Tried* best = nullptr;
  for (const Tried& each : tried) {
    if (each.what_if.role != Role::advice) continue;
    (each.is_stable() ? stable : others).push_back(each.is_stable() ? each.named() : each.what_if.label);
    if (best == nullptr || each.gain > best->gain) best = &each;
  }
  if (!stable.empty())
    return fmt::format("it would keep up with any of: {}{}{}", fmt::join(stable, ", "),
                       others.empty() ? "" : "; not with: ", fmt::join(others, ", "));
  if (best == nullptr) return {};
  return "no change that was tried lets it keep up" +
         (best->gain > 0 ? fmt::format("; {} would bring most", best->named()) : std::string());
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
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (tried[i].is_stable()) overload.stable_with.push_back(i);
  overload.sentence = sentence(tried);
  return overload;
}

}  // namespace jostle::analyses
