#include "analyses/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyses/explain/engine_pieces.hpp"
#include "analyses/explain/parts.hpp"
#include "analyses/explain/reach.hpp"
#include "analyses/explain/shares.hpp"
#include "analyses/metrics/metric.hpp"
#include "analyses/verdict/verdict.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/replications.hpp"

namespace jostle::analyses {
namespace {

scenarios::Metric half_width_of(const scenarios::Throughput& throughput) {
  if (!throughput.ci95) return std::nullopt;
  return (throughput.ci95->second - throughput.ci95->first) / 2;
}

// Adds half-widths in quadrature. An unknown one counts as 0; none if both are unknown.
scenarios::Metric together(const scenarios::Metric& a, const scenarios::Metric& b) {
  if (!a && !b) return std::nullopt;
  return std::sqrt(a.value_or(0) * a.value_or(0) + b.value_or(0) * b.value_or(0));
}

// The half-width of the sum of all throughputs: the sum of the half-widths, as if all processes went up and
// down together.
scenarios::Metric half_width_of(const std::vector<scenarios::Result>& results) {
  scenarios::Metric sum;
  for (const scenarios::Result& result : results)
    for (const scenarios::ProcessResult& process : result.processes)
      if (const scenarios::Metric half = half_width_of(process.throughput)) sum = sum.value_or(0) + *half;
  return sum;
}

template <class Get>
scenarios::Metric sum_of(const std::vector<scenarios::Result>& results, const Get& get) {
  scenarios::Metric sum;
  for (const scenarios::Result& result : results) {
    const scenarios::Metric value = get(result);
    if (!value) return std::nullopt;
    sum = sum.value_or(0) + *value;
  }
  return sum;
}

// The mean over the processes and streams that the change leaves in, of those that have a latency; none under
// overload, where latency grows without a mean.
Change mean_latency(const Tried& tried, const scenarios::Result& before) {
  scenarios::Metric was = 0.0;
  double is = 0, count = 0;
  for (const ProcessChange& process : tried.processes)
    for (const ProcessChange& one : process.instances.empty() ? std::vector{process} : process.instances) {
      const auto& [then, now, none] = one.latency_ms;
      if (!now) continue;
      was = was && then ? scenarios::Metric(*was + *then) : std::nullopt;
      is += *now, ++count;
    }
  if (count == 0) return {};
  return {was && overloaded_in(before).empty() ? scenarios::Metric(*was / count) : std::nullopt,
          tried.overloaded.empty() ? scenarios::Metric(is / count) : std::nullopt, std::nullopt};
}
// A stream with too few samples for a p99 has that of all streams of its process.
scenarios::Metric p99_of(const Part& part) {
  return part.latency_ms().p99 ? part.latency_ms().p99 : part.process->latency_ms.p99;
}
// `counts(board, i)`: whether part i of a board's result is one of those in question.
template <class Counts>
scenarios::Metric worst_p99(const std::vector<scenarios::Result>& results, const Counts& counts) {
  scenarios::Metric worst;
  for (std::size_t board = 0; board < results.size(); ++board) {
    const std::vector<Part> parts = parts_in(results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      if (!counts(board, i)) continue;
      const scenarios::Metric p99 = p99_of(part);
      // An unknown p99 may be the worst.
      if (part.process->stable == false || (part.process->status == "ok" && !p99)) return std::nullopt;
      if (p99) worst = std::max(worst.value_or(0), *p99);
    }
  }
  return worst;
}

scenarios::Metric energy_mj(const scenarios::Metric& watts, const scenarios::Metric& images_per_s) {
  if (!watts || !images_per_s || *images_per_s <= 0) return std::nullopt;
  return 1e3 * *watts / *images_per_s;
}

// The metrics of a process or part, before or after a change.
struct Metrics {
  scenarios::Metric throughput, half_width, latency_ms, p99_ms, tokens_per_s;
  std::string status = "absent";
};
Metrics metrics_of(const Part& part) {
  return {part.throughput().mean,
          half_width_of(part.throughput()),
          part.latency_ms().mean,
          part.latency_ms().p99,
          part.tokens() ? part.tokens()->per_s : std::nullopt,
          part.process->status};
}

// The metrics of several parts together: throughputs added, mean latency over all images, worst p99.
Metrics added(const std::vector<Part>& parts) {
  Metrics all{0.0, std::nullopt, 0.0, 0.0, std::nullopt, "ok"};
  double images = 0;
  for (const Part& part : parts) {
    const Metrics one = metrics_of(part);
    const double rate = one.throughput.value_or(0);
    images += rate;
    all.throughput = all.throughput && one.throughput ? scenarios::Metric(images) : std::nullopt;
    if (one.half_width) all.half_width = all.half_width.value_or(0) + *one.half_width;
    all.latency_ms = all.latency_ms && one.latency_ms
                         ? scenarios::Metric(*all.latency_ms + rate * *one.latency_ms)
                         : std::nullopt;
    all.p99_ms =
        all.p99_ms && one.p99_ms ? scenarios::Metric(std::max(*all.p99_ms, *one.p99_ms)) : std::nullopt;
    if (one.tokens_per_s) all.tokens_per_s = all.tokens_per_s.value_or(0) + *one.tokens_per_s;
    if (one.status != "ok") all.status = one.status;
  }
  if (all.latency_ms)
    all.latency_ms = images > 0 ? scenarios::Metric(*all.latency_ms / images) : std::nullopt;
  return all;
}

// The metrics of all parts that a process has become.
Metrics metrics_of(const std::vector<Part>& parts) {
  if (parts.empty()) return {};
  const scenarios::ProcessResult* const process = parts.front().process;
  const bool one = std::ranges::all_of(parts, [&](const Part& part) { return part.process == process; });
  const std::size_t whole = std::max<std::size_t>(process->instances.size(), 1);
  return one && parts.size() == whole ? metrics_of(Part{process, nullptr}) : added(parts);
}

ProcessChange change_of(const Metrics& before, const Metrics& after) {
  ProcessChange change;
  change.throughput = {before.throughput, after.throughput, together(before.half_width, after.half_width)};
  change.latency_ms = {before.latency_ms, after.latency_ms, std::nullopt};
  change.p99_ms = {before.p99_ms, after.p99_ms, std::nullopt};
  change.tokens_per_s = {before.tokens_per_s, after.tokens_per_s, std::nullopt};
  change.status = after.status;
  return change;
}

// The change of each process, and of each stream of processes that have several.
std::vector<ProcessChange> changes_of(const Tried& tried, const scenarios::Result& before) {
  const std::vector<Part> now = parts_in(before);
  std::vector<std::vector<Part>> then(now.size());  // a part may have become several: twins on other engines
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      then[tried.what_if.boards[board].parts[i]].push_back(parts[i]);
  }
  std::vector<ProcessChange> changes;
  std::size_t next = 0;
  for (const scenarios::ProcessResult& process : before.processes) {
    std::vector<Part> became;
    std::vector<ProcessChange> streams;
    for (; next < now.size() && now[next].process == &process; ++next) {
      became.insert(became.end(), then[next].begin(), then[next].end());
      if (now[next].instance == nullptr) continue;
      const Metrics after = then[next].size() == 1 ? metrics_of(then[next].front()) : metrics_of(then[next]);
      streams.push_back(change_of(metrics_of(now[next]), after));
    }
    changes.push_back(change_of(metrics_of(Part{&process, nullptr}), metrics_of(became)));
    changes.back().instances = std::move(streams);
  }
  return changes;
}

// The indices (before the change) of the processes that have an overloaded part after the change.
std::vector<std::size_t> overloaded_after(const Tried& tried, const scenarios::Result& before) {
  const std::vector<Part> now = parts_in(before);
  std::set<std::size_t> found;
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].overloaded())
        found.insert(static_cast<std::size_t>(now[tried.what_if.boards[board].parts[i]].process->index));
  }
  return {found.begin(), found.end()};
}

std::vector<UnitChange> unit_changes(const Tried& tried, const scenarios::Result& before) {
  std::vector<UnitChange> changes;
  const auto after = totals_of(tried.results);
  for (const UnitTotal& now : totals_of({before})) {
    const auto then = std::ranges::find(after, now.unit, &UnitTotal::unit);
    const scenarios::Metric per_s = then == after.end() ? std::nullopt : then->per_s;
    const bool images = now.unit == std::string_view("images");
    changes.push_back(
        {std::string(now.unit),
         {now.per_s, per_s, images ? tried.throughput.half_width : std::nullopt},
         {energy_mj(tried.power_w.before, now.per_s), energy_mj(tried.power_w.after, per_s), std::nullopt}});
  }
  return changes;
}

Explained explained(ProcessGroup group, const scenarios::Result& result) {
  Explained all{std::move(group), {}, {}, {}, {}};
  const auto share = mean_share(result, all.group.processes);
  if (!share) return all;
  all.share = rounded(*share);
  double count = 0, ms = 0, ran = 0;
  using scenarios::GpuRunningBy;
  constexpr std::array parts{&GpuRunningBy::compute, &GpuRunningBy::memory, &GpuRunningBy::fixed,
                             &GpuRunningBy::throttled};
  GpuRunningBy by{0.0, 0.0, 0.0, 0.0};
  for (const std::size_t index : all.group.processes) {
    const scenarios::ProcessResult& process = result.processes[index];
    if (process.throughput.mean && *process.throughput.mean > 0) {
      ms += 1e3 * static_cast<double>(process.batch) / *process.throughput.mean;
      ++count;
    }
    if (!process.gpu_running_by.compute) continue;
    ++ran;
    for (const auto part : parts) by.*part = *(by.*part) + (process.gpu_running_by.*part).value_or(0);
  }
  if (count > 0) all.batch_ms = ms / count;
  if (ran > 0)
    for (const auto part : parts) all.running_by.*part = *(by.*part) / ran;
  return all;
}

}  // namespace

scenarios::Metric Change::relative() const {
  if (!before || !after || *before == 0) return std::nullopt;
  return (*after - *before) / *before;
}
double Change::certain() const {
  const scenarios::Metric change = relative();
  if (!change || std::abs(*after - *before) <= half_width.value_or(0)) return 0;
  return *change;
}

bool Tried::helps() const {
  constexpr double least_gain = 0.02;  // a change that brings less is not named
  return what_if.role == Role::advice && all_fit && !worth.ruins && gain >= least_gain;
}
std::string Tried::named() const {
  return figure.empty() ? what_if.label : fmt::format("{} ({})", what_if.label, figure);
}

namespace {

// The run that every change is compared with.
struct Basis {
  const scenarios::Scenario& scenario;
  const scenarios::Result& before;
  const Aim& aim;
};

Tried compared(WhatIf what_if, const Basis& basis, std::vector<scenarios::Result> results) {
  const scenarios::Result& before = basis.before;
  Tried tried{.what_if = std::move(what_if), .results = std::move(results)};
  tried.processes = changes_of(tried, before);
  tried.overloaded = overloaded_after(tried, before);
  for (const scenarios::Result& result : tried.results)
    tried.all_fit = tried.all_fit && result.status == "ok";
  const std::vector<scenarios::Result> one{before};
  const auto throughput = [](const scenarios::Result& result) { return result.system.throughput; };
  const auto power = [](const scenarios::Result& result) { return result.system.power_w.mean; };
  tried.throughput = {sum_of(one, throughput), sum_of(tried.results, throughput),
                      together(half_width_of(one), half_width_of(tried.results))};
  tried.latency_ms = mean_latency(tried, before);
  const std::vector<PartPlace> places = part_places(basis.scenario);
  const auto counts = [&, &asked = basis.aim.asked](std::size_t part) {
    return !asked || !asked->entry || places[part].id.entry == *asked->entry;
  };
  tried.p99_ms = {
      worst_p99(one, [&](std::size_t, std::size_t i) { return counts(i); }),
      worst_p99(tried.results, [&](std::size_t board,
                                   std::size_t i) { return counts(tried.what_if.boards[board].parts[i]); }),
      std::nullopt};
  tried.power_w = {sum_of(one, power), sum_of(tried.results, power), std::nullopt};
  tried.energy_mj = {energy_mj(tried.power_w.before, tried.throughput.before),
                     energy_mj(tried.power_w.after, tried.throughput.after), std::nullopt};
  tried.units = unit_changes(tried, before);
  tried.clocks = clock_changes(before, tried.results, tried.what_if.governed);
  tried.sentence = clocks_sentence(tried, before);
  tried.objective = aim_change(basis.aim, tried, basis.scenario, before);
  tried.gain = (basis.aim.more_is_better ? 1 : -1) * tried.objective.certain();
  if (const scenarios::Metric relative = tried.objective.relative())
    tried.figure = fmt::format("{} {:+.1f} %", basis.aim.name, std::round(1000 * *relative) / 10 + 0.0);
  tried.worth = worth_of(tried, basis.aim, before);
  return tried;
}

}  // namespace

Reported reported(const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                  const scenarios::Result& result) {
  Reported tool;
  const scenarios::SystemResult& system = result.system;
  const auto percent = [](const scenarios::Metric& share) {
    return share ? scenarios::Metric(100 * *share) : std::nullopt;
  };
  const bool jetson = device.memory.unified;
  tool.tool = jetson ? "tegrastats" : "nvidia-smi";
  tool.gpu_percent = percent(system.gpu.reported_load);
  tool.rails_w = system.power_w.rails;
  const auto mode = scenarios::power_mode_of(scenario, device);
  tool.cores =
      static_cast<int>(board::online_cpus(device, mode ? &*mode : nullptr, scenario.clocks.cores).size());
  if (!jetson) return tool;
  if (system.cpu.busy_cores && tool.cores > 0) tool.cpu_percent = 100 * *system.cpu.busy_cores / tool.cores;
  // emc_percent is relative to the peak bandwidth at the mean clock. A profile without a memory clock has one
  // bandwidth only.
  const double max_mhz = device.memory.max_clock_hz / 1e6;
  const double clock = max_mhz > 0 ? system.memory.clock_mhz.value_or(max_mhz) / max_mhz : 1;
  const double peak = device.gpu.bandwidth_bytes_per_s * device.what_if.memory * clock / 1e9;
  if (peak <= 0 || !system.memory.bandwidth_gb_s) return tool;
  tool.peak_bandwidth_gb_s = peak;
  tool.emc_percent = 100 * *system.memory.bandwidth_gb_s / peak;
  return tool;
}

namespace {

scenarios::RunControl quiet_of(const scenarios::RunControl& control) {
  return {.interrupt = control.interrupt, .trace = nullptr, .progress = {}};
}
scenarios::Result must(std::optional<scenarios::Result> result) {
  if (!result) throw scenarios::Interrupted();
  return std::move(*result);
}

// Runs all changes in parallel: for each change, one result per board; none if it cannot be simulated.
std::vector<std::vector<scenarios::Result>> results_of(const std::vector<WhatIf>& wanted,
                                                       const scenarios::RunControl& control) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;  // index of the change, index of the board
  std::vector<std::vector<scenarios::Result>> results(wanted.size());
  std::vector<bool> refused(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    results[i].resize(wanted[i].boards.size());
    for (std::size_t board = 0; board < wanted[i].boards.size(); ++board) pieces.emplace_back(i, board);
  }
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(pieces.size(), [&](std::size_t i) {
    const auto [what_if, board] = pieces[i];
    std::optional<scenarios::Result> result;
    try {
      result = must(run(wanted[what_if].boards[board].scenario, quiet_of(control)));
    } catch (const scenarios::RunError&) {  // the profile has no costs of that precision or engine
    }
    const std::lock_guard lock(guard);
    if (result)
      results[what_if][board] = *std::move(result);
    else
      refused[what_if] = true;
    ++done;
    if (control.progress)
      control.progress(0.1 + 0.9 * static_cast<double>(done) / static_cast<double>(pieces.size()));
  });
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (refused[i]) results[i].clear();
  return results;
}

}  // namespace

std::vector<Explained> explained_groups(const scenarios::Scenario& scenario, const scenarios::Result& before,
                                        const std::vector<Tried>& tried) {
  std::vector<Explained> all;
  const std::vector<ProcessGroup> groups = groups_of(scenario);
  for (const ProcessGroup& group : groups) {
    Explained part = explained(group, before);
    if (before.processes[group.processes.front()].tokens && in_turns(scenario))
      part.turns = turns_of_others(before, groups, group);
    part.sentence = sentence_of(part, before, tried);
    const scenarios::ProcessEntry& entry =
        scenario.processes[static_cast<std::size_t>(before.processes[group.processes.front()].entry)];
    if (entry.host.placement == scenarios::Placement::dla0 ||
        entry.host.placement == scenarios::Placement::dla1)
      part.pieces = engine_pieces(entry);
    part.latency = latency_parts(before.processes[group.processes.front()]);
    if (const std::string held = held_back(before, part.group.processes); !held.empty())
      part.sentence = held + "; " + part.sentence;
    all.push_back(std::move(part));
  }
  return all;
}

std::vector<std::string> reasons_of(const scenarios::Result& result, const std::vector<Explained>& groups,
                                    const std::string& critical) {
  std::vector<std::string> why;
  if (groups.empty()) return why;
  const auto first = [](const Explained& one) { return one.group.processes.front(); };
  std::optional<std::int64_t> decides;
  if (result.verdict)
    for (const scenarios::Judged& one : result.verdict->limits)
      if (one.metric == result.verdict->metric && one.value == result.verdict->value) decides = one.entry;
  const auto& about = *std::ranges::max_element(groups, {}, [&](const Explained& one) {
    const scenarios::ProcessResult& process = result.processes[first(one)];
    return std::tuple(decides == process.entry, process.stable == false, !one.latency.empty(),
                      process.latency_ms.mean.value_or(0));
  });
  const auto sentence = [](const Explained& one) { return one.group.label + ": " + one.sentence; };
  if (!about.latency.empty())
    why.push_back(scenarios::called(result.processes[first(about)]) + ": " + about.latency);
  why.push_back(sentence(about));
  if (why.size() == 1 && !critical.empty()) why.push_back(critical);
  for (const Explained& other : groups)
    if (why.size() < 2 && &other != &about) why.push_back(sentence(other));
  return why;
}

namespace {

// Gives the leading changes half-widths over pairs of runs with seeds of their own, which draw what a single
// run never sees: other phases, other arrivals.
void pair_leading(Explanation& explanation, const scenarios::Scenario& scenario,
                  const scenarios::RunControl& control) {
  constexpr std::size_t pairs = 5;  // the first is the explanation's own
  const std::size_t each = 1 + explanation.leading.size();
  std::vector<WhatIf> wanted;  // the scenario, then with each leading change; the same for the next seed
  for (std::size_t i = 0; i < (pairs - 1) * each; ++i) {
    std::vector<WhatIfBoard>& boards = wanted.emplace_back().boards;
    boards = i % each == 0 ? std::vector{WhatIfBoard{scenario, {}}}
                           : explanation.tried[explanation.leading[i % each - 1]].what_if.boards;
    for (WhatIfBoard& board : boards)
      board.scenario.run.seed = scenarios::replication_seed(scenario.run.seed, 1 + i / each);
  }
  const std::vector<std::vector<scenarios::Result>> results = results_of(wanted, quiet_of(control));
  for (std::size_t change = 1; change < each; ++change) {
    Tried& tried = explanation.tried[explanation.leading[change - 1]];
    std::array<std::vector<double>, 3> differences;
    const auto changes_in = [](Tried& one) {
      return std::array<Change*, 3>{&one.objective, &one.p99_ms,
                                    one.units.empty() ? nullptr : &one.units.front().per_s};
    };
    const auto add = [&](Tried& one) {
      for (std::size_t i = 0; i < differences.size(); ++i)
        if (const Change* const of = changes_in(one)[i]; of != nullptr && of->before && of->after)
          differences[i].push_back(*of->after - *of->before);
    };
    add(tried);
    for (std::size_t i = 0; i < results.size(); i += each) {
      if (results[i].empty() || results[i + change].empty()) continue;
      Tried other =
          compared(tried.what_if, {scenario, results[i].front(), explanation.aim}, results[i + change]);
      add(other);
    }
    for (std::size_t i = 0; i < differences.size(); ++i)
      if (differences[i].size() == pairs) changes_in(tried)[i]->half_width = half_width_95(differences[i]);
  }
}

// Sorts the changes: those that matter most, those that meet a missed limit, then by what they bring, as the
// table shows it; those that nobody can make come last.
void sort_by_gain(Explanation& explanation) {
  std::vector<Tried>& tried = explanation.tried;
  std::vector<std::size_t> order(tried.size()), place(tried.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Tried& one = tried[i];
    const double better = explanation.aim.more_is_better ? 1 : -1;
    return std::tuple(std::ranges::find(explanation.leading, i) - explanation.leading.begin(),
                      one.what_if.role != Role::advice, one.meets != true, !one.is_stable(),
                      -better * one.objective.relative().value_or(-better * 1e9));
  });
  std::vector<Tried> sorted;
  for (const std::size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(std::move(tried[i]));
  }
  tried = std::move(sorted);
  for (std::size_t& i : explanation.leading) i = place[i];
  if (explanation.critical && explanation.critical->what_if)
    explanation.critical->what_if = place[*explanation.critical->what_if];
  if (explanation.overload)
    for (std::size_t& i : explanation.overload->stable_with) i = place[i];
}

}  // namespace

Explanation explain(const ExplainQuestion& question, const scenarios::RunControl& control) {
  const scenarios::Scenario& scenario = question.scenario;
  input::Problems problems;
  const auto profile = scenarios::device_profile(scenario, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  Explanation explanation;
  scenarios::RunControl first = quiet_of(control);
  first.expected = control.expected;
  first.progress = [&](double done) {
    if (control.progress) control.progress(done / 10);
  };
  explanation.result = must(run(scenario, *profile, first));
  judge(explanation.result, scenario, &control);
  const scenarios::Result& before = explanation.result;
  explanation.aim = aim_of(scenario, before);
  RefusedChanges refused;
  std::vector<WhatIf> wanted = what_ifs(scenario, *profile->spec, before, question.directory, &refused);
  if (!question.what_ifs.empty())
    std::erase_if(wanted, [&](const WhatIf& what_if) {
      return std::ranges::find(question.what_ifs, what_if.name) == question.what_ifs.end();
    });
  const KernelMeans kernels = kernel_means_us(scenario, *profile);
  const std::vector<EntryLimit> missed = missed_limits(scenario, before);
  const auto try_all = [&](std::vector<WhatIf> changes) {
    std::vector<std::vector<scenarios::Result>> results = results_of(changes, control);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (results[i].empty()) continue;
      Tried tried =
          compared(std::move(changes[i]), {scenario, before, explanation.aim}, std::move(results[i]));
      if (tried.what_if.shares_otherwise && tried.all_fit)
        tried.outcomes = outcomes_of(scenario, before, kernels, tried);
      if (!missed.empty()) {
        tried.room = room_of(missed, tried, scenario, before);
        tried.meets = tried.is_stable() && tried.room.value_or(-1) >= 0;
      }
      explanation.tried.push_back(std::move(tried));
    }
  };
  try_all(std::move(wanted));
  if (!missed.empty() && question.what_ifs.empty()) {
    if (std::ranges::none_of(explanation.tried, [](const Tried& one) {
          return one.meets == true && one.what_if.role == Role::advice;
        }))
      try_all(pairs_of(explanation.tried, question.directory));
    explanation.result.verdict->text += reach_words(explanation.tried);
  }
  explanation.groups = explained_groups(scenario, before, explanation.tried);
  explanation.tenants = tenants(before);
  explanation.limits = active_limits(before, explanation.tried);
  explanation.overload = overload_of(before, explanation.tried);
  // If only some changes were tried, none can be said to bring most.
  if (question.what_ifs.empty()) {
    explanation.critical = critical_resource(before, explanation.tried);
    explanation.leading = leading(explanation.tried);
    explanation.ways = ways_of(explanation, scenario, *profile->spec, refused);
    if (question.in_pairs && !explanation.leading.empty()) pair_leading(explanation, scenario, control);
  }
  explanation.reported = reported(scenario, *profile->spec, before);
  sort_by_gain(explanation);
  return explanation;
}

}  // namespace jostle::analyses
