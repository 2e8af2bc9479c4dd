#include "scenarios/run/simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <span>

#include "models/process/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/board_result.hpp"
#include "scenarios/result/ratio.hpp"
#include "scenarios/result/starved.hpp"
#include "scenarios/run/metrics.hpp"
#include "scenarios/run/power_setup.hpp"
#include "sim/trace.hpp"

namespace jostle::scenarios {
namespace {

// A track for each different batch of `processes`, "kernels of NAME, alone", whose slices begin at `at`, back
// to back. None: of language models, whose steps differ, and of batches whose kernels have no names.
void draw_batches(sim::TraceSink& trace, std::span<const process::Spec> processes, sim::Time at) {
  std::set<const gpu::KernelSequence*> drawn;
  for (const process::Spec& process : processes) {
    const std::span<const process::Spec> parts = process::parts_of(process);
    for (std::size_t number = 0; number < parts.size(); ++number) {
      const process::Spec& part = parts[number];
      const gpu::KernelSequence& batch = *part.kernels;
      if (part.on_cores() || part.generation != nullptr || !part.segments.empty()) continue;
      if (batch.names == nullptr || batch.names->size() != batch.kernels.size()) continue;
      if (!drawn.insert(&batch).second) continue;
      const std::string name = process.instances.empty()
                                   ? process.name
                                   : fmt::format("{}, {} {}", process.name, number, part.name);
      const sim::TrackId track = trace.track(fmt::format("kernels of {}, alone", name));
      for (std::size_t i = 0; i < batch.kernels.size(); ++i) {
        const sim::Duration takes = batch.kernels[i].duration;
        trace.slice(track, at + (batch.finish[i] - takes), takes, (*batch.names)[i]);
      }
    }
  }
}

using sim::Duration;
using sim::Time;

// Checks whether the run may end are so far apart that few are made: each is one more chance to stop by luck.
// Their times do not depend on the maximum length of the run.
constexpr double look_ratio = 1.25;
const Duration first_look = sim::milliseconds(50);
// The run is precise if this many successive checks find it so.
constexpr int looks_in_a_row = 2;

// Arrivals at the times at which `earlier` requests were answered; each keeps the time at which it was made.
process::Arrivals follow(process::Arrivals arrivals, const std::vector<process::Answered>& earlier) {
  arrivals.kind = process::ArrivalKind::trace;
  arrivals.dynamic_batch = arrivals.burst = 1;
  arrivals.times.clear();
  for (const process::Answered& request : earlier) {
    arrivals.since.push_back(request.made);
    arrivals.times.push_back(request.at);
  }
  return arrivals;
}

// The processes of the assembly, with the requests of another run and a place for the answers.
board::Setup setup_of(const Assembly& assembly, const RunControl& control) {
  board::Setup setup = assembly.setup;
  if (control.among != Among::none) setup.loops = gpu::SteadyLoops::one_of_many;
  if (control.among == Among::draws) setup.loops = gpu::SteadyLoops::drawn;
  if (control.among > Among::changes) setup.two_speeds = true;
  if (control.requests != nullptr) {
    for (std::size_t i = 0; i < setup.processes.size(); ++i)
      setup.processes[i].arrivals = follow(setup.processes[i].arrivals, (*control.requests)[i]);
  }
  if (control.answered != nullptr) {
    control.answered->resize(setup.processes.size());
    for (std::size_t i = 0; i < setup.processes.size(); ++i)
      setup.processes[i].answered = &(*control.answered)[i];
  }
  return setup;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, const Assembly& assembly, const RunControl& control)
    : scenario_(scenario), assembly_(assembly), control_(control) {
  engine_.set_trace(control.trace);
  engine_.set_interrupt(control.interrupt);
  engine_.set_watchdog({.without_progress = sim::seconds(3600)});
  board_.emplace(engine_, assembly.device, setup_of(assembly, control));
  if (assembly.dvfs) dvfs_.emplace(engine_, *board_, *assembly.dvfs);
  if ((scenario.gpu_metrics || control.trace != nullptr) && assembly.device.has_gpu())
    windows_.emplace(engine_, *board_, scenario.gpu_metrics.value_or(sim::milliseconds(1)),
                     assembly.device.gpu.bandwidth_bytes_per_s * assembly.device.what_if.memory);
  const std::optional<Until>& until = scenario.run.until;
  warm_ = Time::zero() + scenario.run.warmup;
  for (const process::Spec& spec : assembly.setup.processes)
    warm_ = std::max(warm_, Time::zero() + 2 * spec.start);  // the same again for the steady state
  end_ = warm_ + (until ? until->max : scenario.run.duration);
  stop_ = until ? "limit" : "duration";
  next_look_ = until ? warm_ + first_look : Time::never();
  if (control.trace != nullptr) draw_batches(*control.trace, assembly.setup.processes, warm_);
  step_ = std::clamp((end_ - Time::zero()) / 1000, Duration(sim::milliseconds(1)), Duration(sim::seconds(1)));
  next_step_ = Time::zero() + step_;
  throughput_.emplace(board_->processes().size(), step_);
}

bool Simulation::run() {
  if (!advance_to(warm_) || !work_off()) return false;
  end_warmup();
  if (!advance_to(end_)) return false;
  while (scenario_.run.until_p99 && stop_ == "duration" && end_ < warm_ + longest_for_p99) {
    const Time needed = warm_ + sim::seconds(std::ceil(needed_s()));
    if (needed <= end_) break;
    end_ = std::min(needed, warm_ + longest_for_p99);
    if (!advance_to(end_)) return false;
  }
  board_->settle();
  return true;
}

// The time that p99 of requests takes to be known, in seconds; 0 if it is known, or never will be.
double Simulation::needed_s() {
  const double load = link_load(window());
  double longest = 0;
  for (std::size_t i = 0; i < board_->processes().size(); ++i) {
    process::Inference& process = board_->processes()[i];
    if (std::ranges::any_of(process::parts_of(process.spec()), [](const process::Spec& part) {
          return part.arrivals.closed_loop() || part.arrivals.kind == process::ArrivalKind::trace;
        }))
      continue;
    const auto open = together(open_loads(process, window(), waited_[i], load));
    if (open && open->stable != true) continue;
    const Times times = times_of(process.latencies(), window(), false);
    if (times.needs.empty() ||
        static_cast<double>(times.samples) < 0.9 * least_per_s_for_p99 * window().seconds())
      continue;
    longest = std::max(longest, times.needs.back().second.run_s);
  }
  return longest;
}

bool Simulation::go_on(Duration duration) {
  warm_ = engine_.now();
  end_ = warm_ + duration;
  end_warmup();
  if (!advance_to(end_)) return false;
  board_->settle();
  return true;
}

// Goes on with a warm-up that the scenario leaves open: what cameras gathered while processes started and
// clocks rose belongs to the start. It ends when each of their queues has been empty once, but after ten
// seconds at the latest, and where the queues only grow.
bool Simulation::work_off() {
  if (scenario_.run.warmup_given) return true;
  static const Duration look = sim::milliseconds(20), most = sim::seconds(10);
  struct Queue {
    process::Inference* process;
    std::size_t part;
  };
  std::vector<Queue> queues;
  for (process::Inference& process : board_->processes()) {
    const auto parts = process::parts_of(process.spec());
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (parts[part].arrivals.kind == process::ArrivalKind::periodic && !parts[part].arrivals.queue_limit)
        queues.push_back({&process, part});
  }
  const auto empty = [](Queue queue) { return queue.process->waiting(queue.part) == 0; };
  const auto waiting = [&] {
    std::int64_t sum = 0;
    for (const Queue& queue : queues) sum += queue.process->waiting(queue.part);
    return sum;
  };
  const Time first = warm_, latest = warm_ + most;
  next_look_ = Time::never();
  const std::int64_t too_many = waiting() + waiting() / 4 + 8;
  const auto goes_on = [&] { return engine_.now() == warm_ && warm_ < latest; };  // the board is not down
  while (std::erase_if(queues, empty), !queues.empty() && goes_on() && waiting() < too_many) {
    warm_ += look;
    if (!advance_to(warm_)) return false;
  }
  end_ += warm_ - first;
  if (scenario_.run.until) next_look_ = warm_ + first_look;
  return true;
}

void Simulation::end_warmup() {
  waited_.clear();
  // Counted first, because the end of the warm-up resets the statistics.
  for (process::Inference& process : board_->processes()) {
    std::vector<std::int64_t>& waited = waited_.emplace_back();
    for (std::size_t part = 0; part < process::parts_of(process.spec()).size(); ++part)
      waited.push_back(process.waiting(part));
  }
  if (dvfs_) dvfs_->before_end_of_warmup();
  throughput_->before_end_of_warmup(engine_.now(), board_->processes());
  board_->end_warmup();
  if (dvfs_) dvfs_->after_end_of_warmup();
  if (windows_) windows_->restart();
}

// True if something ends the run at this instant, before its time is over.
bool Simulation::ended() {
  if (dvfs_ && dvfs_->down()) {
    stop_ = "thermal_shutdown";
  } else if (board_->finished()) {
    stop_ = "batches";
  } else if (engine_.now() >= next_look_ && look()) {
    stop_ = "relative_error";
  } else {
    return false;
  }
  return true;
}

double Simulation::link_load(const Window& window) {
  return board_->link() ? load_of_link(board_->link()->spec(), board_->processes(), window) : 0;
}

// True if every requested metric of every process is known to the requested precision.
bool Simulation::precise(const Window& window) {
  const double load = link_load(window);
  for (std::size_t i = 0; i < board_->processes().size(); ++i) {
    process::Inference& process = board_->processes()[i];
    const auto open = together(open_loads(process, window, waited_[i], load));
    const std::optional<bool> stable = open ? open->stable : true;
    const Converged known = converged(*scenario_.run.until, process, stable, window.end);
    if (!std::ranges::all_of(known, [](const auto& metric) { return metric.second; })) return false;
  }
  return true;
}

// True if the run is as precise as requested. Also sets the time of the next check.
bool Simulation::look() {
  const Time now = engine_.now();
  next_look_ = warm_ + sim::seconds(look_ratio * sim::to_seconds(now - warm_));
  precise_looks_ = precise({warm_, now}) ? precise_looks_ + 1 : 0;
  return precise_looks_ >= looks_in_a_row;
}

// Runs to `time`; returns false if interrupted.
bool Simulation::advance_to(Time time) {
  while (engine_.now() < time) {
    switch (run_until(engine_, std::min({time, next_step_, next_look_}), windows_)) {
      case sim::RunEnd::interrupted:
        return false;
      case sim::RunEnd::stuck:
        throw RunError(engine_.stuck_report() ? engine_.stuck_report()->text() : "the simulation is stuck");
      default:
        break;
    }
    if (engine_.now() == next_step_) {
      throughput_->sample(engine_.now(), board_->processes());
      next_step_ += step_;
    }
    if (ended()) return true;
    if (control_.progress)
      control_.progress(static_cast<double>(engine_.now().ps()) / static_cast<double>(end_.ps()));
  }
  return true;
}

void Simulation::add_metrics(Result& result, bool every_percentile) {
  const std::optional<board::PowerReport> power = dvfs_ ? std::optional(dvfs_->report()) : std::nullopt;
  const Window window = this->window();
  auto& processes = board_->processes();
  const double load = link_load(window);
  std::size_t running = 0;
  Metric images = 0.0;
  for (ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    process::Inference& inference = processes[running];
    add_process(process, inference, window, open_loads(inference, window, waited_[running], load),
                every_percentile);
    if (const auto& until = scenario_.run.until)
      process.converged = converged(*until, inference, process.stable.value_or(true), window.end);
    if (dvfs_) add_throttled(process, inference.running(), dvfs_->account().throttled_s(running));
    if (in_total(result, process))
      images = images && process.images ? Metric(*images + *process.images) : std::nullopt;
    ++running;
  }
  const double elapsed = window.seconds();
  add_system(result, *board_, assembly_.setup.clocks);
  add_loads(result, *board_, elapsed);
  if (power) {
    add_power(result.system, *power, assembly_.device.power.value(), images);
    add_effective_clock(result.system.gpu, assembly_.device.gpu);
    if (std::string warning = unmet_budget(assembly_, *power); !warning.empty())
      result.warnings.push_back(std::move(warning));
  }
  add_tokens(result, elapsed);
  std::ranges::copy(computed_as(result), std::back_inserter(result.warnings));
  if (const auto& link = board_->link()) add_link(result.system, *link, elapsed, load);
  result.system.stop = stop_;
  if (windows_ && scenario_.gpu_metrics) add_windows(result, *windows_);
  result.simulated_s = elapsed;
  const std::optional<Heat> heat =
      dvfs_ ? heat_of(*dvfs_, *power, assembly_.device.power.value(), warm_) : std::nullopt;
  add_steadiness(result, {scenario_.run, window, *throughput_, dvfs_ ? &*dvfs_ : nullptr, heat}, processes);
}

std::optional<Heat> Simulation::heat() {
  if (!dvfs_) return std::nullopt;
  return heat_of(*dvfs_, dvfs_->report(), assembly_.device.power.value(), warm_);
}

std::optional<double> Simulation::found_warmup() {
  auto found =
      found_warmup_s({scenario_.run, window(), *throughput_, dvfs_ ? &*dvfs_ : nullptr, std::nullopt});
  for (const process::Inference& process : board_->processes())
    if (found) found = std::max(*found, process.latency().mean().value_or(0));
  return found;
}

}  // namespace jostle::scenarios
