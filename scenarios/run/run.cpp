#include "scenarios/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/result/gpu_result.hpp"
#include "scenarios/result/memory_result.hpp"
#include "scenarios/result/power_result.hpp"
#include "scenarios/run/assemble.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {

namespace {

using sim::Duration;
using sim::Time;

Metric ratio(double value, double by) {
  return by > 0 ? Metric(value / by) : std::nullopt;
}

// The part of a process's result that is known before the run.
ProcessResult described(const ProcessEntry& entry, const ProcessInstance& instance, gpu::Grade grade) {
  ProcessResult result;
  result.index = static_cast<std::int64_t>(instance.index);
  result.entry = static_cast<std::int64_t>(instance.entry);
  result.name = entry.name;
  result.model = model_name(entry.model);
  if (entry.precision) result.precision = to_string(*entry.precision);
  result.batch = entry.batch;
  result.runtime = to_string(entry.runtime);
  result.training = entry.training;
  result.grade = to_string(grade);
  return result;
}

// None before any time has passed.
std::optional<TimeShare> time_share_of(const process::TimeAccount& time) {
  const Duration elapsed = time.elapsed();
  if (elapsed <= Duration::zero()) return std::nullopt;
  TimeShare share{};
  for (const process::ShareRow& row : process::share_rows)
    share[index_of(row.share)] =
        static_cast<double>(time.in(row.share).ps()) / static_cast<double>(elapsed.ps());
  return share;
}

void add_figures(ProcessResult& result, process::Inference& process, const ProcessEntry& entry) {
  if (entry.arrivals.kind == process::ArrivalKind::trace) {
    // A trace is not stationary: count what was served of it over the whole run.
    const double images = static_cast<double>(process.batches() * entry.batch);
    result.throughput.mean = ratio(images, sim::to_seconds(process.time().elapsed()));
  } else {
    result.throughput.mean = process.rate().mean();
    if (const auto ci = process.rate().ci95()) result.throughput.ci95 = {ci->low, ci->high};
  }
  const Time begin = process.ready().value_or(Time::zero());
  if (const auto& finished = process.finished()) {
    const double images = static_cast<double>(process.batches() * entry.batch);
    result.throughput = {ratio(images, sim::to_seconds(*finished - begin)), std::nullopt, std::nullopt};
    result.finished_ms = sim::to_ms(*finished - Time::zero());
  }
  if (process.ready()) result.setup_ms = sim::to_ms(begin - Time::zero());
  const auto ms = [](std::optional<double> seconds) {
    return seconds ? Metric(*seconds * 1e3) : std::nullopt;
  };
  const sim::Quantiles& latency = process.latency();
  result.latency_ms.mean = ms(latency.mean());
  result.latency_ms.p50 = ms(latency.quantile(0.50));
  result.latency_ms.p90 = ms(latency.quantile(0.90));
  result.latency_ms.p95 = ms(latency.quantile(0.95));
  result.latency_ms.p99 = ms(latency.quantile(0.99));

  const process::TimeAccount& time = process.time();
  const auto calls = static_cast<double>(process.enqueue_calls());
  const auto& enqueue = time.enqueue();
  result.ec_ms.launch = ratio(sim::to_ms(enqueue.launch), calls);
  result.ec_ms.reschedule = ratio(sim::to_ms(enqueue.reschedule), calls);
  result.ec_ms.compute = ratio(sim::to_ms(enqueue.compute), calls);
  result.ec_ms.blocking = ratio(sim::to_ms(enqueue.blocking), calls);
  result.ec_ms.mean =
      ratio(sim::to_ms(enqueue.launch + enqueue.reschedule + enqueue.compute + enqueue.blocking), calls);
  result.sync_ms =
      ratio(sim::to_ms(process.synchronising()), static_cast<double>(process.synchronise_calls()));

  const auto& spec = process.spec();
  for (const auto* const stages : {&spec.before, &spec.after}) {
    for (const process::HostStage& stage : *stages) {
      const Duration in = process.in_stages()[result.stages.size()];
      result.stages.push_back({stage.name, ratio(sim::to_ms(in), static_cast<double>(process.batches()))});
    }
  }

  result.time_share = time_share_of(time);
  const gpu::Running running = process.running();
  const double ran = running.used.compute + running.used.memory + running.fixed();
  result.gpu_running_by.compute = ratio(running.used.compute, ran);
  result.gpu_running_by.memory = ratio(running.used.memory, ran);
  result.gpu_running_by.fixed = ratio(running.fixed(), ran);
  if (ran > 0) result.gpu_running_by.throttled = 0.0;
  result.gpu = sm_array(running.used, sim::to_seconds(time.elapsed()));
  result.drops = process.drops();
}

// The time lost because a controller limited the clock, out of the time that kernels were bound by
// arithmetic.
void add_throttled(ProcessResult& result, const gpu::Running& running, double throttled_s) {
  const double ran = running.used.compute + running.used.memory + running.fixed();
  if (ran <= 0) return;
  result.gpu_running_by.throttled = throttled_s / ran;
  result.gpu_running_by.compute = (running.used.compute - throttled_s) / ran;
}

void add_system(Result& result, board::Board& board, const Assembly& assembly) {
  SystemResult& system = result.system;
  double sum = 0;
  bool all = true;
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    all = all && process.throughput.mean.has_value();
    sum += process.throughput.mean.value_or(0);
  }
  if (all) system.throughput = sum;
  const board::Board::Totals totals = board.totals();
  const double elapsed = sim::to_seconds(totals.elapsed);
  if (assembly.device.has_gpu()) {
    system.gpu.busy = ratio(sim::to_seconds(totals.gpu_busy), elapsed);
    // The driver's load counts a GPU that is switching contexts as busy.
    system.gpu.reported_load = ratio(sim::to_seconds(totals.gpu_busy + totals.gpu_switching), elapsed);
    system.gpu.array = sm_array(totals.gpu_used, elapsed);
    // A GPU that ran but moved no bytes: it is not known what its kernels move.
    if (totals.gpu_used.dram_bytes > 0 || totals.gpu_busy == Duration::zero()) {
      system.memory.bandwidth_gb_s = ratio((totals.gpu_used.dram_bytes + totals.other_bytes) / 1e9, elapsed);
    }
    system.gpu.clock_mhz = assembly.setup.clocks.gpu_hz / 1e6;
    system.gpu.switches_per_s = ratio(static_cast<double>(totals.gpu_switches), elapsed);
  }
  for (std::size_t i = 0; i < totals.dla_busy.size(); ++i) {
    system.dla.push_back({.name = board.dlas()[i].name(),
                          .busy = ratio(sim::to_seconds(totals.dla_busy[i]), elapsed),
                          .clock_mhz = assembly.setup.clocks.dla_hz / 1e6});
  }
  system.cpu.busy_cores = ratio(sim::to_seconds(totals.cores_busy), elapsed);
  system.cpu.migrations_per_s = ratio(static_cast<double>(totals.migrations), elapsed);
  system.cpu.involuntary_switches_per_s = ratio(static_cast<double>(totals.involuntary_switches), elapsed);
}

void add_link(SystemResult& system, const link::Link& link, double elapsed) {
  const link::Link::Statistics sums = link.statistics();
  const auto sent = static_cast<double>(sums.sent), tries = static_cast<double>(sums.tries);
  system.link = {.busy = ratio(sim::to_seconds(sums.busy), elapsed),
                 .requests_per_s = ratio(sent, elapsed),
                 .resends = ratio(tries - sent, sent),
                 .wait_ms = ratio(sim::to_ms(sums.waited), tries),
                 .queued = sums.queued,
                 .power_w = ratio(8 * sums.bytes * link.spec().energy_per_bit_j, elapsed)};
}

// Whether the throughput of every process is known to the requested precision.
bool precise(board::Board& board, double relative_error) {
  for (const process::Inference& process : board.processes()) {
    const auto width = process.rate().relative_half_width();
    if (!width || *width > relative_error) return false;
  }
  return true;
}

calibration::Profile profile_of(const Scenario& scenario) {
  input::Problems problems;
  std::optional<calibration::Profile> profile = device_profile(scenario, problems);
  if (!profile) throw RunError(problems.text());
  return std::move(*profile);
}

// The result before the run: what was requested, and which processes fit.
Result prepared(const Scenario& scenario, const calibration::Profile& profile, const Assembly& assembly) {
  Result result;
  result.scenario = scenario.name;
  result.scenario_hash = scenario_hash(scenario);
  result.resolved = to_json(scenario);
  result.device = scenario.device;
  result.profile_hash = profile.hash;
  result.seed = scenario.run.seed;
  for (const ProcessInstance& instance : expand(scenario)) {
    result.processes.push_back(
        described(scenario.processes[instance.entry], instance, assembly.grades[instance.entry]));
  }
  add_memory(result, profile.spec.memory, assembly.occupancy);
  return result;
}

// Arrivals at the times at which `earlier` requests were answered, with the times at which those were made.
process::Arrivals follow(process::Arrivals arrivals, const std::vector<process::Answered>& earlier) {
  arrivals.kind = process::ArrivalKind::trace;
  arrivals.dynamic_batch = 1;
  arrivals.times.clear();
  for (const process::Answered& request : earlier) {
    arrivals.since.push_back(request.made);
    arrivals.times.push_back(request.at);
  }
  return arrivals;
}

// Runs the processes that fit and adds their metrics; false if it was interrupted.
bool simulate(const Scenario& scenario, const Assembly& assembly, const RunControl& control, Result& result) {
  sim::Engine engine;
  engine.set_trace(control.trace);
  engine.set_interrupt(control.interrupt);
  engine.set_watchdog({.without_progress = sim::seconds(3600)});
  board::Setup setup = assembly.setup;
  if (control.requests != nullptr) {
    for (std::size_t i = 0; i < setup.processes.size(); ++i)
      setup.processes[i].arrivals = follow(setup.processes[i].arrivals, (*control.requests)[i]);
  }
  if (control.answered != nullptr) {
    control.answered->resize(setup.processes.size());
    for (std::size_t i = 0; i < setup.processes.size(); ++i)
      setup.processes[i].answered = &(*control.answered)[i];
  }
  board::Board board(engine, assembly.device, setup);
  std::optional<board::Dvfs> dvfs;
  if (assembly.dvfs) dvfs.emplace(engine, board, *assembly.dvfs);
  std::optional<board::GpuWindows> windows;
  if ((scenario.gpu_metrics || control.trace != nullptr) && assembly.device.has_gpu())
    windows.emplace(engine, board, scenario.gpu_metrics.value_or(sim::milliseconds(1)),
                    assembly.device.gpu.bandwidth_bytes_per_s * assembly.device.what_if.memory);

  const Time warm = Time::zero() + scenario.run.warmup;
  const std::optional<Until>& until = scenario.run.until;
  const Time end = warm + (until ? until->max : scenario.run.duration);
  // Short enough to show progress and to stop early, independent of the length of the run.
  const Duration step =
      std::clamp((end - Time::zero()) / 200, Duration(sim::milliseconds(1)), Duration(sim::seconds(1)));
  std::string stop = until ? "limit" : "duration";
  const auto advance_to = [&](Time time) {
    while (engine.now() < time) {
      switch (run_until(engine, std::min(time, engine.now() + step), windows)) {
        case sim::RunEnd::interrupted:
          return false;
        case sim::RunEnd::stuck:
          throw RunError(engine.stuck_report() ? engine.stuck_report()->text() : "the simulation is stuck");
        default:
          break;
      }
      if (dvfs && dvfs->down()) {
        stop = "thermal_shutdown";
        return true;
      }
      if (board.finished()) {
        stop = "batches";
        return true;
      }
      if (control.progress)
        control.progress(static_cast<double>(engine.now().ps()) / static_cast<double>(end.ps()));
      if (until && engine.now() > warm && precise(board, until->relative_error)) {
        stop = "relative_error";
        return true;
      }
    }
    return true;
  };
  if (!advance_to(warm)) return false;
  if (dvfs) dvfs->before_end_of_warmup();
  board.end_warmup();
  if (dvfs) dvfs->after_end_of_warmup();
  if (windows) windows->restart();
  if (!advance_to(end)) return false;
  board.settle();

  const std::optional<board::PowerReport> power = dvfs ? std::optional(dvfs->report()) : std::nullopt;
  std::size_t running = 0;
  double images = 0;
  for (ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    const ProcessEntry& entry = scenario.processes[static_cast<std::size_t>(process.entry)];
    process::Inference& inference = board.processes()[running];
    add_figures(process, inference, entry);
    if (dvfs) add_throttled(process, inference.running(), dvfs->throttled_s(running));
    images += static_cast<double>(inference.batches() * entry.batch);
    ++running;
  }
  add_system(result, board, assembly);
  if (power) add_power(result.system, *power, assembly.device.power.value(), images);
  if (const auto& link = board.link()) add_link(result.system, *link, sim::to_seconds(engine.now() - warm));
  result.system.stop = stop;
  if (windows && scenario.gpu_metrics) add_windows(result, *windows);
  result.simulated_s = sim::to_seconds(engine.now() - warm);
  return true;
}

}  // namespace

std::optional<Result> run(const Scenario& scenario, const RunControl& control) {
  return run(scenario, profile_of(scenario), control);
}

Result preview(const Scenario& scenario) {
  const calibration::Profile profile = profile_of(scenario);
  return prepared(scenario, profile, assemble(scenario, profile));
}

std::optional<Result> run(const Scenario& scenario, const calibration::Profile& profile,
                          const RunControl& control) {
  if (const auto keys = unsupported_keys(scenario); !keys.empty())
    throw RunError(fmt::format("{}: {}", keys.front().path, keys.front().reason));
  const Assembly assembly = assemble(scenario, profile);
  Result result = prepared(scenario, profile, assembly);
  const auto fits = [](const auto& process) { return process.status == "ok"; };
  const bool runs = control.all_must_fit ? std::ranges::all_of(result.processes, fits)
                                         : std::ranges::any_of(result.processes, fits);
  if (runs && !simulate(scenario, assembly, control, result)) return std::nullopt;
  return result;
}

}  // namespace jostle::scenarios
