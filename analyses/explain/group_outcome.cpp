#include "analyses/explain/group_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "models/gpu/sharing.hpp"
#include "scenarios/language/partitions.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::analyses {
namespace {

constexpr double least_change = 0.05;    // relative gain or loss that counts as winning or losing
constexpr double starving = 0.5;         // share of the throughput that a starved group keeps at most
constexpr double least_ratio = 1.5;      // ratio of kernel durations that is given as a reason
constexpr double least_points = 0.05;    // difference of SM active that is given as a reason
constexpr double least_launching = 0.2;  // share of a process's time in launches that is given as a reason

}  // namespace

bool in_turns(const scenarios::Scenario& scenario, bool dlas_too) {
  std::map<std::int64_t, std::int64_t> contexts;  // by instance of the GPU
  for (const scenarios::ProcessEntry& process : scenario.processes)
    if (scenarios::on_gpu(process.host.placement) ||
        (dlas_too && process.host.placement != scenarios::Placement::cpu))
      contexts[process.gpu.mig.value_or(0)] += process.count;
  const auto several = [](const auto& instance) { return instance.second > 1; };
  return std::ranges::any_of(contexts, several) && gpu::way_of(scenario.sharing).takes_turns;
}

namespace {

// The name, or else the model, with precision, batch and number added as needed to make all labels different.
std::vector<std::string> labels_of(const std::vector<const scenarios::ProcessEntry*>& parts) {
  const auto unique = [](const std::vector<std::string>& labels) {
    return std::set<std::string>(labels.begin(), labels.end()).size() == labels.size();
  };
  std::vector<std::string> labels;
  for (const auto* part : parts) labels.push_back(scenarios::called(*part));
  if (unique(labels)) return labels;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->work.precision) labels[i] += fmt::format(" {}", to_string(*parts[i]->work.precision));
    labels[i] += fmt::format(" b{}", parts[i]->work.batch);
  }
  if (unique(labels)) return labels;
  for (std::size_t i = 0; i < parts.size(); ++i) labels[i] += fmt::format(" ({})", i + 1);
  return labels;
}

// Groups of equal parts, not yet judged.
std::vector<GroupOutcome> groups_in(const scenarios::Scenario& scenario, const KernelMeans& kernels) {
  std::vector<GroupOutcome> groups;
  std::vector<scenarios::PartId> ids;
  std::vector<const scenarios::ProcessEntry*> parts;
  const std::vector<PartPlace> places = part_places(scenario);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const scenarios::PartId& id = places[i].id;
    if (!scenarios::on_gpu(scenario.processes[id.entry].host.placement)) continue;
    const auto known = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
    if (known == ids.size()) {
      ids.push_back(id);
      const scenarios::ProcessEntry& process = scenario.processes[id.entry];
      parts.push_back(&parts_of(process)[id.part]);
      GroupOutcome& group = groups.emplace_back();
      if (const auto mean = kernels.find(id); mean != kernels.end()) group.kernel_us = mean->second;
    }
    groups[known].parts.push_back(i);
  }
  const std::vector<std::string> labels = labels_of(parts);
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].label = labels[i];
  return groups;
}

// Sums over the parts of a group; absent if a part lacks the metric.
struct Sums {
  scenarios::Metric throughput = 0.0, latency = 0.0;
  double noise = 0;  // half-width of the throughput, as if all parts went up and down together
  bool overloaded = false, offered = true;

  void add(const Part& part) {
    const auto plus = [](scenarios::Metric& sum, const scenarios::Metric& value) {
      sum = sum && value ? scenarios::Metric(*sum + *value) : std::nullopt;
    };
    plus(throughput, part.throughput().mean);
    plus(latency, part.latency_ms().mean);
    if (const auto& ci = part.throughput().ci95) noise += (ci->second - ci->first) / 2;
    overloaded = overloaded || part.overloaded();
    offered = offered && part.offered();
  }
};

// Sets the group's gain and fate. Returns false if a throughput is absent.
bool judge(GroupOutcome& group, const Sums& before, const Sums& after) {
  if (!before.throughput || !after.throughput || !(*before.throughput > 0)) return false;
  const double noise = std::hypot(before.noise, after.noise);
  if (std::abs(*after.throughput - *before.throughput) > noise)
    group.gain = *after.throughput / *before.throughput - 1;
  if (before.offered && std::abs(group.gain) < least_change && before.latency && after.latency &&
      *after.latency > 0) {
    group.of_latency = true;
    group.gain = *before.latency / *after.latency - 1;
  }
  group.kept_up = !before.overloaded;
  group.keeps_up = !after.overloaded;
  if (group.kept_up != group.keeps_up)
    group.fate = group.keeps_up ? Fate::wins : Fate::starves;
  else if (group.gain <= starving - 1)
    group.fate = Fate::starves;
  else if (std::abs(group.gain) >= least_change)
    group.fate = group.gain > 0 ? Fate::wins : Fate::loses;
  return true;
}

std::string words_of(const GroupOutcome& group) {
  if (group.kept_up != group.keeps_up)
    return fmt::format(
        "{} {} ({})", group.label, to_string(group.fate),
        group.keeps_up ? "now it keeps up with its requests" : "it no longer keeps up with its requests");
  if (group.fate == Fate::same) return group.label + " " + to_string(group.fate);
  // A gain of the inverse latency is reported as a change of the latency itself.
  const double shown = group.of_latency ? 1 / (1 + group.gain) - 1 : group.gain;
  return fmt::format("{} {} ({}{:+.1f} %)", group.label, to_string(group.fate),
                     group.of_latency ? "mean latency " : "", 100 * shown);
}

struct Extremes {
  const GroupOutcome* loser = nullptr;
  const GroupOutcome* winner = nullptr;
};
Extremes extremes(const std::vector<GroupOutcome>& groups) {
  Extremes found;
  for (const GroupOutcome& group : groups) {
    const bool loses = group.fate == Fate::loses || group.fate == Fate::starves;
    const auto rank = [](const GroupOutcome& of) { return std::tuple(of.keeps_up, of.gain); };
    if (loses && (found.loser == nullptr || rank(group) < rank(*found.loser))) found.loser = &group;
    if (group.fate == Fate::wins && (found.winner == nullptr || rank(group) > rank(*found.winner)))
      found.winner = &group;
  }
  return found;
}

// ", and those of mobilenet_v2 are 40 times shorter than those of fcn_resnet50"; none if they are not.
std::optional<std::string> shorter(const GroupOutcome& of, const std::vector<GroupOutcome>& groups) {
  const GroupOutcome* longest = &of;
  for (const GroupOutcome& group : groups)
    if (group.kernel_us.value_or(0) > longest->kernel_us.value_or(0)) longest = &group;
  if (of.kernel_us.value_or(0) <= 0 || *longest->kernel_us < least_ratio * *of.kernel_us) return std::nullopt;
  const double ratio = *longest->kernel_us / *of.kernel_us;
  return fmt::format(", and those of {} are {:.{}f} times shorter than those of {}", of.label, ratio,
                     ratio < 9.95 ? 1 : 0, longest->label);
}

std::string sm_active(const scenarios::Result& before, const Tried& tried, bool rises) {
  const auto& now = before.system.gpu.array.sm_active;
  const auto& then = tried.results.front().system.gpu.array.sm_active;
  if (!now || !then || (rises ? *then - *now : *now - *then) < least_points) return {};
  return fmt::format(": SM active {:.0f} % of the time, not {:.0f} %", 100 * *then, 100 * *now);
}

// Returns whether a process that serves several streams spends a large share of its time on launches.
bool host_is_the_limit(const Tried& tried) {
  return std::ranges::any_of(tried.results.front().processes, [](const scenarios::ProcessResult& process) {
    if (process.instances.size() < 2 || !process.time_share) return false;
    const scenarios::TimeShare& share = *process.time_share;
    return share[index_of(process::Share::launching)] + share[index_of(process::Share::cpu_compute)] >=
           least_launching;
  });
}

struct Sides {
  const scenarios::Scenario& scenario;
  const scenarios::Result& before;
  const Tried& tried;
};

std::string why_in_space(const Sides& sides, const std::vector<GroupOutcome>& groups) {
  const Extremes found = extremes(groups);
  const scenarios::Scenario& after = sides.tried.what_if.boards.front().scenario;
  const bool streams = std::ranges::any_of(after.processes, scenarios::has_instances);
  if (found.loser == nullptr) {
    if (found.winner == nullptr) return {};
    const std::string of_all = sm_active(sides.before, sides.tried, true);
    if (of_all.empty()) return "nobody waits for a turn or pays for a switch";
    return "nobody waits for a turn, and kernels run side by side" + of_all;
  }
  if (const auto by_kernels = shorter(*found.loser, groups))
    return fmt::format("each {} gets one kernel a round, whatever its length{}",
                       streams ? "stream" : "process", *by_kernels);
  if (host_is_the_limit(sides.tried)) return "one host thread launches for all";
  return "kernels of all run at once and slow each other, where each had the GPU to itself in its turn";
}

std::string why_in_turns(const Sides& sides, const std::vector<GroupOutcome>& groups) {
  const Extremes found = extremes(groups);
  std::vector<std::string> reasons;
  if (found.winner != nullptr)
    if (const auto by_kernels = shorter(*found.winner, groups))
      reasons.push_back("turns are as long for short kernels as for long ones" + *by_kernels);
  if (found.loser != nullptr)
    reasons.push_back("in its turn a process has the GPU alone, and each turn costs a switch" +
                      sm_active(sides.before, sides.tried, false));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string why_in_partitions(const Sides& sides, const std::vector<GroupOutcome>& groups) {
  const Extremes found = extremes(groups);
  std::vector<std::string> reasons;
  const bool mig = !sides.tried.what_if.boards.front().scenario.mig.empty();
  if (found.winner != nullptr)
    reasons.emplace_back(mig ? "nobody waits for those in another instance"
                             : "no kernel waits for SMs that another stream has");
  if (found.loser != nullptr && mig)
    reasons.emplace_back("an instance has a part of the SMs, of L2 and, on a card, of the bandwidth");
  else if (found.loser != nullptr && host_is_the_limit(sides.tried))
    reasons.emplace_back("one host thread launches for all");
  else if (found.loser != nullptr)
    reasons.emplace_back("on fewer SMs kernels take longer, and L2 and DRAM stay shared");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string why(const Sides& sides, const std::vector<GroupOutcome>& groups) {
  const scenarios::Scenario& after = sides.tried.what_if.boards.front().scenario;
  if ((!after.mig.empty() && sides.scenario.mig.empty()) ||
      std::ranges::any_of(after.processes, scenarios::has_partitions))
    return why_in_partitions(sides, groups);
  const bool now = in_turns(sides.scenario);
  const bool then = in_turns(after);
  if (now && !then) return why_in_space(sides, groups);
  if (then && !now) return why_in_turns(sides, groups);
  const bool loses = extremes(groups).loser != nullptr;
  return loses && host_is_the_limit(sides.tried) ? "one host thread launches for all" : "";
}

std::string sentence(const Sides& sides, const std::vector<GroupOutcome>& groups) {
  if (groups.empty()) return {};
  const auto same = [](const GroupOutcome& group) { return group.fate == Fate::same; };
  if (std::ranges::all_of(groups, same)) return "nobody wins or loses 5 %";
  std::vector<std::string> outcomes;
  for (const Fate fate : {Fate::wins, Fate::same, Fate::loses, Fate::starves})
    for (const GroupOutcome& group : groups)
      if (group.fate == fate) outcomes.push_back(words_of(group));
  const std::string reason = why(sides, groups);
  return fmt::format("{}{}{}", fmt::join(outcomes, ", "), reason.empty() ? "" : ": ", reason);
}

}  // namespace

KernelMeans kernel_means_us(const scenarios::Scenario& scenario, const profiles::Profile& profile) {
  const scenarios::Assembly assembly = scenarios::assemble(scenario, profile);
  KernelMeans means;
  std::size_t next = 0;
  for (const scenarios::ProcessInstance& process : scenarios::expand(scenario)) {
    if (assembly.occupancy.rebooted || !assembly.occupancy.places[process.index].fits) continue;
    const auto parts = process::parts_of(assembly.setup.processes[next++]);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const gpu::KernelSequence& sequence = parts[part].kernels;
      if (sequence.kernels.empty()) continue;
      means[{process.entry, part}] =
          1e6 * sim::to_seconds(sequence.total()) / static_cast<double>(sequence.kernels.size());
    }
  }
  return means;
}

const char* to_string(Fate fate) {
  static constexpr std::array<const char*, 4> words{"wins", "stays as it is", "loses", "starves"};
  return words.at(static_cast<std::size_t>(fate));
}

GroupOutcomes outcomes_of(const scenarios::Scenario& scenario, const scenarios::Result& before,
                          const KernelMeans& kernels, const Tried& tried) {
  GroupOutcomes found{groups_in(scenario, kernels), {}};
  const std::vector<Part> now = parts_in(before);
  std::vector<Part> then(now.size());
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i) then[tried.what_if.boards[board].parts[i]] = parts[i];
  }
  for (GroupOutcome& group : found.groups) {
    Sums sums_before, sums_after;
    for (const std::size_t part : group.parts) {
      sums_before.add(now[part]);
      sums_after.add(then[part]);
    }
    if (!judge(group, sums_before, sums_after)) return {};
  }
  found.sentence = sentence({scenario, before, tried}, found.groups);
  return found;
}

}  // namespace jostle::analyses
