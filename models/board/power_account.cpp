#include "models/board/power_account.hpp"

#include <algorithm>

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

}  // namespace jostle::board
