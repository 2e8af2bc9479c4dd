// Instances of the GPU (MIG) in place of turns: the layout that suits what the processes ask of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "analyses/explain/intervention.hpp"
#include "analyses/explain/merge.hpp"
#include "models/board/spec.hpp"
#include "models/gpu/instances.hpp"

namespace jostle::analyses {
namespace {

using Layout = std::vector<const gpu::InstanceKind*>;

// The demand of a process on the GPU as it is: the share of the SMs' time, and memory.
struct Demand {
  std::size_t process = 0;  // index among all processes
  double sms = 0, bytes = 0;
};

// Processes dealt out over instances, best for the least `worth`: how many join another in an instance, the
// load of the fullest one for each of its SMs, and less all SMs.
struct Dealt {
  Layout layout;
  std::vector<std::size_t> instance = {};  // for each demand
  std::tuple<std::size_t, double, int> worth = {};
};

// Deals the demands out, the greatest first: each to the instance that it fills least, an empty one if there
// is any. None if the memory of an instance is too small.
std::optional<Dealt> deal_out(const Layout& layout, const std::vector<Demand>& demands) {
  Dealt all{layout};
  auto& [joins, fullest, left_out] = all.worth;
  for (const gpu::InstanceKind* kind : layout) left_out -= kind->sms;
  std::vector<Demand> held(layout.size());  // `process`: how many
  for (const Demand& demand : demands) {
    std::optional<std::pair<std::pair<bool, double>, std::size_t>> best;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const std::pair rank(held[i].process > 0, (held[i].sms + demand.sms) / layout[i]->sms);
      const double memory = layout[i]->memory_bytes;
      if ((memory <= 0 || held[i].bytes + demand.bytes <= memory) && (!best || rank < best->first))
        best.emplace(rank, i);
    }
    if (!best) return std::nullopt;
    Demand& own = held[best->second];
    own = {own.process + 1, own.sms + demand.sms, own.bytes + demand.bytes};
    all.instance.push_back(best->second);
    joins += best->first.first ? 1 : 0;
    fullest = std::max(fullest, best->first.second);
  }
  return all;
}

// Tries the layout, and all that have instances from the kind `from` on besides.
void try_layouts(const gpu::InstanceKinds& offered, const std::vector<Demand>& demands, Layout& layout,
                 std::size_t from, std::optional<Dealt>& best) {
  if (layout.size() > 1) {
    auto one = deal_out(layout, demands);
    if (one && (!best || one->worth < best->worth)) best = std::move(one);
  }
  if (layout.size() == demands.size()) return;
  for (std::size_t kind = from; kind < offered.kinds.size(); ++kind) {
    layout.push_back(&offered.kinds[kind]);
    if (gpu::fit_together(layout)) try_layouts(offered, demands, layout, kind, best);
    layout.pop_back();
  }
}

std::vector<Demand> demands_in(const Request& request) {
  std::vector<Demand> demands;
  for (const scenarios::ProcessInstance& one : scenarios::expand(request.scenario)) {
    if (request.scenario.processes[one.entry].host.placement == scenarios::Placement::cpu) continue;
    const scenarios::ProcessResult& now = request.before.processes[one.index];
    demands.push_back({one.index, now.gpu.sm_active.value_or(0), 1e6 * now.memory.gpu.value_or(0)});
  }
  std::ranges::stable_sort(demands, std::ranges::greater{}, &Demand::sms);
  return demands;
}

}  // namespace

std::optional<Changed> in_gpu_instances(const Request& request) {
  const std::vector<Demand> demands = demands_in(request);
  if (!request.scenario.mig.empty() || demands.size() < 2) return std::nullopt;
  std::optional<Dealt> best;
  Layout layout;
  try_layouts(request.device.instances, demands, layout, 0, best);
  if (!best) return std::nullopt;
  const auto groups_of = [&](const scenarios::ProcessInstance& one) {
    const auto found = std::ranges::find(demands, one.index, &Demand::process);
    return std::vector<std::size_t>{
        found == demands.end() ? 0 : best->instance[static_cast<std::size_t>(found - demands.begin())]};
  };
  WhatIfBoard board =
      regrouped(request.scenario, groups_of, [](std::size_t instance, scenarios::ProcessEntry& entry) {
        if (entry.host.placement != scenarios::Placement::cpu)
          entry.gpu.mig = static_cast<std::int64_t>(instance);
      });
  for (const gpu::InstanceKind* kind : best->layout) {
    const std::string word = kind->name.substr(0, kind->name.find('.'));
    const bool enough = gpu::find_instance(request.device.instances, word) == kind;
    board.scenario.mig.push_back(enough ? word : kind->name);
  }
  Changed changed{fmt::format("MIG {}", fmt::join(board.scenario.mig, " + ")), {}};
  changed.boards.push_back(std::move(board));
  return changed;
}

}  // namespace jostle::analyses
