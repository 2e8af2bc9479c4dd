#include "scenarios/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/partitions.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/board_result.hpp"
#include "scenarios/result/pooled.hpp"
#include "scenarios/result/starved.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/cpu_time.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/heat.hpp"
#include "scenarios/run/language_work.hpp"
#include "scenarios/run/power_setup.hpp"
#include "scenarios/run/replications.hpp"
#include "scenarios/run/shared_work.hpp"
#include "scenarios/run/simulation.hpp"

namespace jostle::scenarios {
namespace {

// The part of a process's result that is known before the run.
ProcessResult described(const ProcessEntry& entry, const ProcessInstance& instance, const Grades& grades) {
  ProcessResult result;
  result.index = static_cast<std::int64_t>(instance.index);  // place_loads() adds the loads before it
  result.entry = static_cast<std::int64_t>(instance.entry);
  result.name = entry.name;
  result.model = model_name(entry);
  result.precision = precision_name(entry);
  result.throughput.unit = served_unit(entry);
  result.batch = entry.work.batch;
  result.interval = entry.around.interval;
  result.runtime = to_string(entry.host.runtime);
  result.training = entry.work.training;
  result.grades = grades;
  if (!has_instances(entry)) return result;
  for (const ProcessEntry& part : parts_of(entry)) {
    for (std::int64_t i = 0; i < streams_of(entry, part); ++i) {
      InstanceResult& of = result.instances.emplace_back();
      of.index = static_cast<std::int64_t>(result.instances.size()) - 1;
      of.name = entry.instances.empty() ? "" : part.name;
      of.model = model_name(part.work.model);
      of.precision = precision_name(part);
      of.throughput.unit = served_unit(part);
      of.batch = part.work.batch;
      of.priority = to_string(part.gpu.priority);
      result.batch = std::max(result.batch, part.work.batch);
      if (of.precision != result.precision) result.precision.reset();
    }
  }
  return result;
}

// The part of a co-runner's result that is known before the run.
LoadResult described(const LoadEntry& load, const profiles::Profile& profile) {
  LoadResult result;
  result.name = load.name;
  result.load = process::row_of(load.kind).name;
  result.threads = load.threads;
  result.grade = load_grade(load, profile);
  return result;
}

// Puts the loads in their places among the processes.
void place_loads(Result& result, const Scenario& scenario, const profiles::Profile& profile) {
  const std::vector<ProcessInstance> instances = expand(scenario);
  for (const LoadEntry& load : scenario.loads) {
    LoadResult& placed = result.loads.emplace_back(described(load, profile));
    placed.behind_entries = load.behind;
    placed.behind_processes = static_cast<std::size_t>(std::ranges::count_if(
        instances, [&load](const ProcessInstance& instance) { return instance.entry < load.behind; }));
  }
  for (std::size_t i = 0; i < result.processes.size(); ++i)
    result.processes[i].index += std::ranges::count_if(
        result.loads, [i](const LoadResult& load) { return load.behind_processes <= i; });
}

profiles::Profile profile_of(const Scenario& scenario) {
  input::Problems problems;
  std::optional<profiles::Profile> profile = device_profile(scenario, problems);
  if (!profile) throw RunError(problems.text());
  return std::move(*profile);
}

// Sets the warm-up to the transient that a first run shows, or to half of that run if the transient does not
// end.
void find_warmup(Run& run, const Scenario& scenario, const Assembly& assembly, const RunControl& control) {
  Scenario first = scenario;
  first.gpu_metrics.reset();
  first.run.until.reset();
  first.run.duration = run.warmup + run.duration;
  first.run.warmup = sim::Duration::zero();
  first.run.until_p99 = false;
  RunControl alone;
  alone.interrupt = control.interrupt;
  alone.requests = control.requests;
  Simulation simulation(first, assembly, alone);
  if (!simulation.run()) throw Interrupted();
  const auto found = simulation.found_warmup();
  run.warmup = found ? sim::seconds(*found) : first.run.duration / 2;
}

}  // namespace

Result prepared(const Scenario& scenario, const profiles::Profile& profile, const Assembly& assembly) {
  Result result;
  result.scenario = scenario.name;
  result.resolved = to_json(scenario);
  result.scenario_hash = scenario_hash(scenario, result.resolved);
  result.device = scenario.device;
  result.profile_hash = profile.hash;
  result.seed = assembly.setup.seed;
  result.warnings = not_understood(scenario);
  if (std::string phases = fixed_phases(scenario); !phases.empty()) result.warnings.push_back(phases);
  std::ranges::move(assumed_sharing(scenario, profile, assembly), std::back_inserter(result.warnings));
  std::ranges::copy(partition_warnings(scenario, assembly.device.gpu), std::back_inserter(result.warnings));
  const std::vector<Grades> grades = grades_of(scenario, profile, assembly);
  std::ranges::move(recorded_otherwise(scenario, grades), std::back_inserter(result.warnings));
  for (const ProcessInstance& instance : expand(scenario)) {
    result.processes.push_back(
        described(scenario.processes[instance.entry], instance, grades[instance.entry]));
  }
  place_loads(result, scenario, profile);
  add_memory(result, profile.spec->memory, assembly.occupancy);
  for (const ProcessInstance& instance : expand(scenario)) {
    const ProcessEntry& entry = scenario.processes[instance.entry];
    const memory::Place& place = assembly.occupancy.places[instance.index];
    if (place.fits) continue;
    ProcessResult& process = result.processes[instance.index];
    if (!scenario.mig.empty())
      process.problem += fmt::format(", in instance {} of the GPU ({})", entry.gpu.mig.value_or(0),
                                     scenario.mig[static_cast<std::size_t>(entry.gpu.mig.value_or(0))]);
    if (entry.gpu.mps_memory && place.held.total() - place.held.context > *entry.gpu.mps_memory)
      process.problem +=
          fmt::format(", of which mps_memory allows {:.0f} beside the context", *entry.gpu.mps_memory / 1e6);
    if (!entry.language) continue;
    process.problem += what_would_fit(entry, *profile.spec, place.missing_bytes);
    constexpr double mb = 1e6;
    process.tokens.emplace();  // only the memory that it would hold
    process.tokens->weights_mb = place.held.engine / mb;
    process.tokens->kv_cache_mb = place.held.io / mb;
  }
  return result;
}

bool settle(Result& result, const Scenario& scenario, Assembly& assembly, const RunControl& control) {
  if (scenario.run.thermal != ThermalStart::equilibrium) return true;
  Equilibrium equilibrium = thermal_equilibrium(scenario, assembly, control);
  if (equilibrium.shuts_down) {
    result.status = result.system.stop = "thermal_shutdown";
    const std::string why = fmt::format(
        "shuts down: {} its fan, this load heats the chip to {:.4g} degC, however slow the clocks",
        scenario.fan.value_or(true) ? "with" : "without", assembly.device.power->thermal->critical_c.value());
    result.warnings.push_back(why);
    for (ProcessResult& process : result.processes) {
      if (process.status != "ok") continue;
      process.status = "thermal_shutdown";
      process.problem = why;
    }
    return false;
  }
  if (!equilibrium.settled)
    result.warnings.push_back(
        "run: {thermal: equilibrium} found no equilibrium temperature; the run begins at the last one tried");
  if (equilibrium.heat) assembly.dvfs->heat = std::move(equilibrium.heat);
  return true;
}

std::optional<Result> run(const Scenario& scenario, const RunControl& control) {
  return run(scenario, profile_of(scenario), control);
}

Result preview(const Scenario& scenario) {
  const profiles::Profile profile = profile_of(scenario);
  const Assembly assembly = assemble(scenario, profile);
  Result result = prepared(scenario, profile, assembly);
  if (std::string warning = unreachable_budget(assembly); !warning.empty())
    result.warnings.push_back(std::move(warning));
  return result;
}

std::optional<Result> one_run(const Scenario& scenario, const profiles::Profile& profile, Assembly assembly,
                              const RunControl& control) {
  Result result = prepared(scenario, profile, assembly);
  const auto fits = [](const auto& process) { return process.status == "ok"; };
  const bool runs = control.all_must_fit ? std::ranges::all_of(result.processes, fits)
                                         : std::ranges::any_of(result.processes, fits);
  if (!runs) return result;
  if (!settle(result, scenario, assembly, control)) return result;
  Scenario timed = scenario;
  if (scenario.run.warmup_found) find_warmup(timed.run, scenario, assembly, control);
  Simulation simulation(timed, assembly, control);
  if (!simulation.run()) return std::nullopt;
  if (control.shared != nullptr && control.shared->keep && control.among <= Among::changes) {
    Result whole = result;
    simulation.add_metrics(whole, true);
    warn_of_starved(whole);
    control.shared->keep(std::move(whole));
  }
  simulation.add_metrics(result);
  return result;
}

std::optional<Result> run(const Scenario& scenario, const profiles::Profile& profile,
                          const RunControl& control) {
  std::optional<Result> result;
  if (scenario.run.replications == 1) {
    Assembly assembly = assemble(scenario, profile, control.shared);
    if (control.expected) control.expected(cpu_seconds(scenario, assembly));
    result = one_run(scenario, profile, std::move(assembly), control);
  } else {
    const Replications all{.count = static_cast<std::size_t>(scenario.run.replications)};
    const auto results = run_replications(scenario, profile, all, control);
    if (results) result = pooled(*results);
    if (results) tell_ways(*result, *results);
  }
  if (result) warn_of_starved(*result);
  return result;
}

}  // namespace jostle::scenarios
