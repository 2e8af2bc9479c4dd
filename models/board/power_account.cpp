#include "models/board/power_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/contract.hpp"
#include "sim/math.hpp"

namespace jostle::board {

PowerAccount::PowerAccount(sim::Engine& engine, Board& board, ClockDomains& domains, const DvfsSetup& setup)
    : engine_(engine),
      board_(board),
      domains_(domains),
      spec_(board.device().power.value()),
      controlled_(setup.cap || setup.limit || spec_.thermal || spec_.over_current),
      meter_(engine, board, spec_, spec_.reference_c),
      throttled_s_(board.processes().size()),
      compute_s_(board.processes().size()) {
  meter_.pin_gpu(setup.gpu_pinned);
  report_.rail_peak_w.resize(spec_.rails.size());
}

void PowerAccount::start() {
  engine_.schedule(engine_.now() + window(), sim::action<&PowerAccount::end_window>(*this));
}

void PowerAccount::open_counters(sim::TraceSink& trace) {
  power_counter_ = trace.counter(spec_.input.empty() ? "module input" : spec_.input, "W");
  for (const power::Rail& rail : spec_.rails) rail_counters_.push_back(trace.counter(rail.name, "W"));
}

void PowerAccount::accrue() {
  if (!meter_.accrue()) return;
  for (ClockDomain* domain : domains_.all()) domain->accrue(meter_.last().seconds);
  note_held(meter_.last());
}

void PowerAccount::set_temperature(double celsius) {
  meter_.set_temperature(celsius);
  report_.peak_celsius = std::max(report_.peak_celsius, celsius);
}

// Records the causes that held clocks down while the clock was needed. A power mode counts only while its
// domain worked.
void PowerAccount::note_held(const power::Activity& last) {
  std::array<double, power::cause_names.size()> seconds{};
  const auto note = [&seconds, &last](power::Cause cause, double busy_s) {
    double& held = seconds[static_cast<std::size_t>(cause)];
    held = std::max(held, cause == power::Cause::power_mode ? busy_s : last.seconds);
  };
  for (std::size_t i = 0; i < domains_.cpu.clocks.size(); ++i) {
    const power::ClusterActivity& cluster = last.clusters[i];
    if (cluster.online > 0) note(domains_.cpu.clocks[i].cause(), cluster.busy_core_s / cluster.online);
  }
  for (const Clock& gpu : domains_.gpu.clocks) {
    const power::Cause cause = gpu.cause();
    note(cause, last.gpu_busy_s);
    if (controlled_) note_throttled(gpu, cause);
  }
  for (std::size_t i = 1; i < seconds.size(); ++i) report_.held_s[i] += seconds[i];
}

void PowerAccount::note_throttled(const Clock& gpu, power::Cause cause) {
  const bool held_down = cause != power::Cause::none && cause != power::Cause::power_mode;
  const double lost = held_down ? std::max(1 - gpu.hz / gpu.requested_hz, 0.0) : 0;
  for (std::size_t i = 0; i < compute_s_.size(); ++i) {
    const double compute = board_.processes()[i].running().used.compute;
    throttled_s_[i] += lost * (compute - compute_s_[i]);
    compute_s_[i] = compute;
  }
}

void PowerAccount::end_window() {
  accrue();
  const power::PerPart watts = meter_.end_window();
  report_.peak_w = std::max(report_.peak_w, power::sum_of(watts));
  power_series_.add(power::sum_of(watts));
  if (spec_.thermal) heat_series_.add(meter_.celsius());
  for (std::size_t i = 0; i < spec_.rails.size(); ++i)
    report_.rail_peak_w[i] = std::max(report_.rail_peak_w[i], power::on_rail(spec_.rails[i], watts));
  if (sim::TraceSink* trace = engine_.trace()) {
    // The mean of the window that ends now, drawn from the begin of the window on.
    const sim::Time begin = engine_.now() - window();
    trace->count(power_counter_, begin, power::sum_of(watts));
    for (std::size_t i = 0; i < rail_counters_.size(); ++i)
      trace->count(rail_counters_[i], begin, power::on_rail(spec_.rails[i], watts));
  }
  start();
}

void PowerAccount::restart() {
  meter_.restart();
  report_ = {};
  report_.rail_peak_w.resize(spec_.rails.size());
  report_.peak_celsius = meter_.celsius();
  for (ClockDomain* domain : domains_.all())
    for (Clock& clock : domain->clocks) clock.times.clear();
  std::ranges::fill(throttled_s_, 0);
  std::ranges::fill(compute_s_, 0);
}

PowerReport PowerAccount::report() {
  accrue();
  PowerReport report = report_;
  report.seconds = meter_.seconds();
  report.joules = meter_.joules();
  report.leakage_j = meter_.leakage_j();
  // For a run shorter than a window, the peak is the mean.
  const double mean = report.seconds > 0 ? power::sum_of(report.joules) / report.seconds : 0;
  report.peak_w = std::max(report.peak_w, mean);
  for (std::size_t i = 0; i < spec_.rails.size() && report.seconds > 0; ++i)
    report.rail_peak_w[i] =
        std::max(report.rail_peak_w[i], power::on_rail(spec_.rails[i], report.joules) / report.seconds);
  report.has_temperature = spec_.thermal.has_value();
  report.celsius = meter_.celsius();
  for (const Clock& clock : domains_.cpu.clocks) report.clusters.push_back(clock.times);
  for (const Clock& clock : domains_.gpu.clocks) report.gpu = clock.times;
  for (const Clock& clock : domains_.emc.clocks) report.emc = clock.times;
  return report;
}

PowerMeter::PowerMeter(sim::Engine& engine, Board& board, const power::Spec& spec, double celsius)
    : engine_(engine), board_(board), spec_(spec), celsius_(celsius), accrued_until_(engine.now()) {
  const cpu::Machine& machine = board.cpu().machine();
  activity_.clusters.resize(machine.clusters.size());
  for (const cpu::Core& core : machine.cores) {
    if (core.online) ++activity_.clusters[static_cast<std::size_t>(core.cluster)].online;
  }
  activity_.sms = board.device().gpu.sm_count;
  activity_.dlas = board.device().dla.count;
  read(before_);
}

void PowerMeter::read(Reading& reading) {
  const cpu::Cpu& cpu = board_.cpu();
  reading.core_busy.resize(static_cast<std::size_t>(cpu.cores()));
  for (int core = 0; core < cpu.cores(); ++core)
    reading.core_busy[static_cast<std::size_t>(core)] = cpu.core_statistics(core).busy;
  if (board_.device().has_gpu()) reading.gpu_busy = board_.gpu().busy();
  reading.gpu = board_.gpu_used();
  reading.other_bytes = board_.other_bytes();
  reading.dla_operations = board_.dla_operations();
  reading.dla_busy = {};
  for (const dla::Dla& dla : board_.dlas()) reading.dla_busy += dla.busy();
}

// The part of the pending interval in which the GPU was powered off. It is 0 unless the GPU was idle
// throughout the interval.
double PowerMeter::gated() const {
  if (activity_.gpu_busy_s > 0 || gpu_pinned_ || spec_.gpu.gated_after_s <= 0) return 0;
  const double powered = std::max(spec_.gpu.gated_after_s - gpu_idle_s_, 0.0);
  return std::max(activity_.seconds - powered, 0.0);
}

// Sets activity_ to the activity since the last accrue(); false if no time has passed.
bool PowerMeter::look() {
  const double seconds = sim::to_seconds(engine_.now() - accrued_until_);
  if (seconds <= 0) return false;
  read(now_);
  const Clocks& clocks = board_.clocks();
  activity_.seconds = seconds;
  for (std::size_t i = 0; i < activity_.clusters.size(); ++i) {
    activity_.clusters[i].hz = clocks.clusters_hz[i];
    activity_.clusters[i].busy_core_s = 0;
  }
  const std::vector<cpu::Core>& cores = board_.cpu().machine().cores;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const double busy = sim::to_seconds(now_.core_busy[i] - before_.core_busy[i]);
    activity_.clusters[static_cast<std::size_t>(cores[i].cluster)].busy_core_s += busy;
  }
  activity_.gpu_hz = clocks.gpu_hz;
  activity_.emc_hz = clocks.emc_hz;
  activity_.dla_hz = clocks.dla_hz;
  activity_.gpu_busy_s = sim::to_seconds(now_.gpu_busy - before_.gpu_busy);
  gpu::Usage used = now_.gpu;
  used -= before_.gpu;
  activity_.working_s = used.working;
  activity_.tensor_s = used.tensor_active;
  activity_.issue_s = used.issue_slot;
  activity_.warps_s = used.occupancy;
  activity_.gpu_dram_bytes = used.dram_bytes;
  activity_.dram_bytes = used.dram_bytes + now_.other_bytes - before_.other_bytes;
  activity_.dla_busy_s = sim::to_seconds(now_.dla_busy - before_.dla_busy);
  activity_.dla_operations = now_.dla_operations - before_.dla_operations;
  activity_.gpu_gated_s = gated();
  return true;
}

double PowerMeter::joules_by_now() {
  return look() ? total_j_ + power::sum_of(power::energy_of(spec_, activity_, celsius_)) : total_j_;
}

bool PowerMeter::accrue() {
  if (!look()) return false;
  const double seconds = activity_.seconds;
  accrued_until_ = engine_.now();
  std::swap(before_, now_);
  const bool idle = activity_.gpu_busy_s <= 0 && !gpu_pinned_;
  gpu_idle_s_ = idle ? gpu_idle_s_ + seconds : 0;

  const power::PerPart joules = power::energy_of(spec_, activity_, celsius_);
  for (std::size_t i = 0; i < power::part_count; ++i) {
    joules_[i] += joules[i];
    window_[i] += joules[i];
  }
  seconds_ += seconds;
  window_s_ += seconds;
  total_j_ += power::sum_of(joules);
  sim::contract(power::sum_of(joules) >= 0 && std::isfinite(total_j_), "the energy of a board never falls");
  sim::contract(std::abs(total_j_ - before_restart_j_ - power::sum_of(joules_)) <= 1e-9 * total_j_,
                "the energy of a board is the sum over its parts");
  leakage_j_ += leaked(power::sum_of(joules));
  return true;
}

// The part of `joules` of the last activity that leaked, at the reference temperature. It is computed from
// the additional energy at a temperature at which the leakage is e times as large.
double PowerMeter::leaked(double joules) const {
  static const double more = sim::exp(1) - 1;
  const double hotter = power::sum_of(power::energy_of(spec_, activity_, celsius_ + spec_.leakage_growth_k));
  return (hotter - joules) / more / sim::exp((celsius_ - spec_.reference_c) / spec_.leakage_growth_k);
}

power::PerPart PowerMeter::end_window() {
  accrue();
  power::PerPart watts{};
  if (window_s_ > 0) {
    for (std::size_t i = 0; i < power::part_count; ++i) watts[i] = window_[i] / window_s_;
  }
  window_ = {};
  window_s_ = 0;
  return watts;
}

void PowerMeter::restart() {
  read(before_);
  accrued_until_ = engine_.now();
  joules_ = {};
  window_ = {};
  seconds_ = window_s_ = leakage_j_ = 0;
  before_restart_j_ = total_j_;
}

}  // namespace jostle::board
