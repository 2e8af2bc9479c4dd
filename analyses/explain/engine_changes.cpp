// Changes of the precision of networks, and of the engine that computes them: the GPU, or DLAs.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "analyses/explain/engine_pieces.hpp"
#include "analyses/explain/intervention.hpp"
#include "analyses/explain/merge.hpp"
#include "analyses/explain/parts.hpp"
#include "input/counted.hpp"
#include "models/board/spec.hpp"
#include "models/dla/partition.hpp"
#include "models/process/runtimes.hpp"
#include "models/process/weight_formats.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Placement;
using scenarios::Precision;
using scenarios::ProcessEntry;

bool is_on_dla(const ProcessEntry& process) {
  return process.host.placement == Placement::dla0 || process.host.placement == Placement::dla1;
}

// Gives the networks for which `lower` holds the precision. Language models have formats of weights instead.
std::optional<Changed> in_precision(const Request& request, Precision precision,
                                    const std::function<bool(const ProcessEntry&, Precision)>& lower) {
  scenarios::Scenario scenario = request.scenario;
  std::vector<std::string> names;
  bool others = false;  // other processes keep theirs
  for (ProcessEntry& process : scenario.processes) {
    for (ProcessEntry& part : parts_of(process)) {
      if (!part.work.precision || part.language || process.work.training ||
          !lower(process, *part.work.precision)) {
        others = true;
        continue;
      }
      part.work.precision = precision;
      names.push_back(scenarios::called(part));
    }
    if (!process.instances.empty()) process.work.precision = process.instances.front().work.precision;
  }
  if (names.empty()) return std::nullopt;
  const std::string whose = others ? " of " + input::listed(names) : "";
  return one_board(fmt::format("precision {}{}", to_string(precision), whose), std::move(scenario));
}

// A network that the DLA can take: of an engine, in a precision that the DLA has, one stream.
bool may_move(const ProcessEntry& process) {
  return process::traits_of(process.host.runtime).kind == process::RuntimeKind::engine &&
         process.host.placement != Placement::cpu && process.work.precision &&
         dla::supports(*process.work.precision) && !is_synthetic(process) &&
         !scenarios::has_instances(process) && !process.work.training && !process.arrivals.max_delay;
}

std::string on_engines(const std::vector<Placement>& engines) {
  std::vector<std::string> names;
  for (const Placement engine : engines)
    names.emplace_back(engine == Placement::gpu ? "GPU" : engine == Placement::dla0 ? "DLA 0" : "DLA 1");
  return "on " + input::listed(names);
}

// Deals the processes in `movable` entries out over the engines in turn. A lone one in a closed loop gets a
// twin on each other engine, which shares its work.
std::optional<Changed> dealt(const Request& request, const std::vector<Placement>& engines,
                             const std::function<bool(const ProcessEntry&)>& movable) {
  const scenarios::Scenario& before = request.scenario;
  std::int64_t moving = 0;
  for (const ProcessEntry& process : before.processes) moving += movable(process) ? process.count : 0;
  if (moving == 0) return std::nullopt;
  const bool twins = moving == 1;
  // A twin would share no requests, and would double the stages on the host too.
  for (const ProcessEntry& entry : before.processes)
    if (twins && movable(entry) &&
        (!entry.arrivals.closed_loop() || !entry.around.before.empty() || !entry.around.after.empty()))
      return std::nullopt;
  std::size_t turn = 0;
  const auto groups_of = [&](const scenarios::ProcessInstance& one) {
    std::vector<std::size_t> groups(1);
    if (!movable(before.processes[one.entry])) return groups;
    groups.front() = turn++ % engines.size();
    if (twins) groups.resize(engines.size());
    if (twins) std::iota(groups.begin(), groups.end(), std::size_t{0});
    return groups;
  };
  Changed changed{on_engines(engines), {}};
  changed.boards.push_back(regrouped(before, groups_of, [&](std::size_t engine, ProcessEntry& entry) {
    if (!movable(entry)) return;
    const bool moves = !is_on_dla(entry);
    entry.host.placement = engines[engine];
    if (moves && is_on_dla(entry) && changed.note.empty()) changed.note = engine_pieces(entry);
  }));
  return changed;
}

// The DLAs that processes use now.
std::set<Placement> dlas_in_use(const scenarios::Scenario& scenario) {
  std::set<Placement> used;
  for (const ProcessEntry& process : scenario.processes)
    if (is_on_dla(process)) used.insert(process.host.placement);
  return used;
}

}  // namespace

std::optional<Changed> precision_fp16(const Request& request) {
  return in_precision(request, Precision::fp16, [](const ProcessEntry& /*process*/, Precision now) {
    return now == Precision::fp32 || now == Precision::tf32;
  });
}

std::optional<Changed> precision_int8(const Request& request) {
  return in_precision(request, Precision::int8, [](const ProcessEntry& process, Precision now) {
    const auto kind = process::traits_of(process.host.runtime).kind;
    const bool quantises = kind == process::RuntimeKind::engine || kind == process::RuntimeKind::cores;
    return now != Precision::int8 && quantises;
  });
}

std::vector<Changed> other_weights(const Request& request) {
  std::vector<Changed> all;
  for (const llm::WeightTraits& format : llm::weight_formats) {
    scenarios::Scenario scenario = request.scenario;
    bool any = false;
    for (ProcessEntry& entry : scenario.processes) {
      if (!entry.language || entry.language->weights == format.format ||
          !process::reads(entry.host.runtime, format.format, request.device.gpu))
        continue;
      entry.language->weights = format.format;
      any = true;
    }
    if (any) all.push_back(one_board(fmt::format("weights in {}", format.name), std::move(scenario)));
  }
  return all;
}

std::optional<Changed> placement_gpu(const Request& request) {
  if (!request.device.has_gpu()) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  bool any = false;
  for (ProcessEntry& process : scenario.processes) {
    if (!is_on_dla(process)) continue;
    process.host.placement = Placement::gpu;
    any = true;
  }
  if (!any) return std::nullopt;
  return one_board("on the GPU, not the DLA", std::move(scenario));
}

std::optional<Changed> both_dlas(const Request& request) {
  if (request.device.dla.count < 2 || dlas_in_use(request.scenario).size() != 1) return std::nullopt;
  return dealt(request, {Placement::dla0, Placement::dla1}, is_on_dla);
}

std::optional<Changed> gpu_and_dla(const Request& request) {
  const auto& processes = request.scenario.processes;
  const bool on_gpu = std::ranges::any_of(processes, [](const ProcessEntry& process) {
    return process.host.placement == Placement::gpu || process.host.placement == Placement::cuda_only;
  });
  const bool on_dla = !dlas_in_use(request.scenario).empty();
  if (request.device.dla.count == 0 || !request.device.has_gpu() || (on_gpu && on_dla)) return std::nullopt;
  std::vector<Placement> engines{Placement::gpu, Placement::dla0};
  if (request.device.dla.count > 1) engines.push_back(Placement::dla1);
  return dealt(request, engines, may_move);
}

}  // namespace jostle::analyses
