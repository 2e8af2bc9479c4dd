// Sentences on everything besides the processes themselves that takes time from them: quotas, the limit of
// real-time threads, interrupts, a compositor.
#include "analyses/explain/tenants.hpp"

#include <fmt/format.h>

namespace jostle::analyses {
namespace {

constexpr double least_share = 0.005;  // smaller shares are not mentioned

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string held_back(const scenarios::Result& result, const std::vector<std::size_t>& processes) {
  double most = 0;
  const scenarios::ProcessResult* whose = nullptr;
  for (const std::size_t index : processes) {
    const scenarios::ProcessResult& process = result.processes[index];
    if (process.throttled_share.value_or(0) <= most) continue;
    most = *process.throttled_share;
    whose = &process;
  }
  if (most < least_share) return {};
  if (whose->throttled_by == "container")
    return fmt::format("throttled by its container for {} ms of every 100", whole(100 * most));
  return fmt::format("throttled as a real-time thread for {} ms of every 1000", whole(1000 * most));
}

std::vector<std::string> turns_of_others(const scenarios::Result& result,
                                         const std::vector<ProcessGroup>& groups, const ProcessGroup& than) {
  const auto turns = [&result](const ProcessGroup& group) {
    const auto share = mean_share(result, group.processes);
    const auto of = [&share](process::Share which) { return (*share)[static_cast<std::size_t>(which)]; };
    return share ? of(process::Share::gpu_running) + of(process::Share::gpu_switch) : 0.0;
  };
  double all = 0;
  for (const ProcessGroup& group : groups) all += static_cast<double>(group.processes.size()) * turns(group);
  std::vector<std::string> lines;
  for (const ProcessGroup& group : groups) {
    const double share = all > 0 ? turns(group) / all : 0;
    if (group.processes == than.processes || share < least_share) continue;
    lines.push_back(fmt::format("{}{} takes {} % of the GPU's turns",
                                group.processes.size() > 1 ? "each of " : "", group.label,
                                whole(100 * share)));
  }
  return lines;
}

std::vector<std::string> tenants(const scenarios::Result& result) {
  std::vector<std::string> lines;
  const scenarios::SystemResult& system = result.system;
  if (system.cpu.interrupted)
    lines.push_back(fmt::format("interrupts took {:.1f} % of a core from the threads there",
                                100 * *system.cpu.interrupted));
  if (system.gpu.compositor)
    lines.push_back(fmt::format("the compositor's frames ran for {:.1f} % of the time, in turns of their own",
                                100 * *system.gpu.compositor));
  return lines;
}

}  // namespace jostle::analyses
