#include "models/board/dvfs.hpp"

#include <algorithm>
#include <limits>

#include "models/cpu/spec.hpp"
#include "sim/trace.hpp"

namespace jostle::board {

namespace {

void add_time(StateTimes& states, double hz, double seconds) {
  const auto at = std::ranges::lower_bound(states, hz, {}, &std::pair<double, double>::first);
  if (at != states.end() && at->first == hz) {
    at->second += seconds;
  } else {
    states.insert(at, {hz, seconds});
  }
}

power::OppTable opps(const std::vector<double>& table, double floor_hz, double limit_hz) {
  return {.hz = table, .min_hz = std::min(floor_hz, limit_hz), .max_hz = limit_hz};
}

int steps_below_limit(const std::vector<double>& table, double limit_hz) {
  return power::steps_below(table, limit_hz);
}

// The lowest power that raises an alarm.
double lowest_alarm_w(const power::OverCurrentSpec& spec, const power::OverCurrentLimits& limits) {
  double watts = std::numeric_limits<double>::infinity();
  const auto lower = [&](const std::optional<power::OverCurrentAlarm>& alarm, std::optional<double> amperes) {
    if (alarm) watts = std::min(watts, amperes ? *amperes * spec.input_v : alarm->threshold_w);
  };
  lower(spec.average, limits.average_a);
  lower(spec.instantaneous, limits.instantaneous_a);
  return watts;
}

}  // namespace

Dvfs::Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup)
    : engine_(engine),
      board_(board),
      setup_(setup),
      hardware_(maximum_clocks(board.device())),
      spec_(board.device().power.value()),
      meter_(engine, board, spec_, spec_.reference_c) {
  const DeviceSpec& device = board.device();
  const std::vector<cpu::ClusterSpec>& clusters = device.cpu->clusters;
  const power::ScalingSpec& scaling = setup.scaling;
  meter_.pin_gpu(setup.gpu_pinned);

  core_busy_.resize(static_cast<std::size_t>(board.cpu().cores()));
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const double limit = setup.limits.clusters_hz[i];
    const auto governor = setup.cpu_pinned ? power::CpuGovernor::performance : scaling.cpu;
    cpu_.emplace_back(governor, opps(clusters[i].clock_table_hz, scaling.cpu_floor_hz, limit),
                      clusters[i].max_clock_hz, scaling.cpu_settings);
    cpu_held_.push_back({.ceiling = {}, .wanted_hz = cpu_.back().start()});
    if (governor == power::CpuGovernor::schedutil && device.cpu->scheduler.rules().estimates_utilisation)
      board.cpu().track_utilisation();
  }
  if (device.has_gpu()) {
    const auto governor = setup.gpu_pinned ? power::GpuGovernor::performance : scaling.gpu;
    gpu_.emplace(governor, opps(device.gpu.clock_table_hz, scaling.gpu_floor_hz, setup.limits.gpu_hz),
                 scaling.gpu_settings);
    gpu_held_.wanted_hz = gpu_->start();
  }
  power::EmcSettings emc = scaling.emc;
  emc.scales = emc.scales && !setup.emc_pinned && device.has_gpu() && setup.limits.emc_hz > 0;
  const std::vector<double>& gpu_table = device.gpu.clock_table_hz;
  emc_.emplace(opps(device.memory.clock_table_hz, scaling.emc_floor_hz, setup.limits.emc_hz),
               gpu_table.empty() ? device.gpu.max_clock_hz : gpu_table.front(), emc);
  emc_held_.wanted_hz = emc_->start();

  const int gpu_steps = steps_below_limit(device.gpu.clock_table_hz, setup.limits.gpu_hz);
  const int cpu_steps = steps_below_limit(clusters.front().clock_table_hz, setup.limits.clusters_hz.front());
  if (setup.cap) cap_.emplace(*setup.cap, gpu_steps, cpu_steps);
  if (setup.limit && gpu_steps > 0) {
    std::vector<double> clocks(device.gpu.clock_table_hz.begin(),
                               device.gpu.clock_table_hz.begin() + gpu_steps);
    clocks.push_back(setup.limits.gpu_hz);
    limit_.emplace(*setup.limit, std::move(clocks), spec_.gpu.voltage, idle_watts());
  }
  if (spec_.over_current) over_current_.emplace(*spec_.over_current, setup.over_current);
  // The kernel's cooling devices ignore power modes: their steps begin at the highest clocks.
  if (spec_.thermal)
    thermal_.emplace(*spec_.thermal, setup.ambient_c, setup.fan,
                     steps_below_limit(device.gpu.clock_table_hz, hardware_.gpu_hz),
                     steps_below_limit(clusters.front().clock_table_hz, hardware_.clusters_hz.front()));
  if (thermal_ && setup.heat) thermal_ = setup.heat;

  ask();
  for (sim::EventId* const event : {&cpu_event_, &gpu_event_, &emc_event_}) engine_.cancel(*event);
  apply_cpu();
  apply_gpu();
  apply_emc();

  throttled_s_.resize(board.processes().size());
  compute_s_.resize(board.processes().size());
  report_.clusters.resize(clusters.size());
  report_.rail_peak_w.resize(spec_.rails.size());
  if (thermal_) {
    // Start at the steady-state temperature of the idle board.
    if (!setup.heat) thermal_->settle(idle_watts());
    meter_.set_temperature(thermal_->celsius());
    report_.peak_celsius = thermal_->celsius();
    after(thermal_->polling(), sim::action<&Dvfs::poll_thermal>(*this));
  }
  start_polls();

  if (sim::TraceSink* trace = engine.trace()) open_counters(*trace);
}

void Dvfs::start_polls() {
  if (const auto interval = cpu_.front().interval(); interval > sim::Duration::zero())
    after(interval, sim::action<&Dvfs::poll_cpu>(*this));
  if (gpu_ && gpu_->interval() > sim::Duration::zero())
    after(gpu_->interval(), sim::action<&Dvfs::poll_gpu>(*this));
  if (emc_->interval() > sim::Duration::zero()) after(emc_->interval(), sim::action<&Dvfs::poll_emc>(*this));
  if (cap_) after(cap_->interval(), sim::action<&Dvfs::read_cap>(*this));
  if (limit_) after(limit_->period(), sim::action<&Dvfs::read_limit>(*this));
  watch_current();
  after(window(), sim::action<&Dvfs::end_window>(*this));
}

double Dvfs::limit_w() const {
  double watts = std::numeric_limits<double>::infinity();
  if (spec_.over_current) watts = lowest_alarm_w(*spec_.over_current, setup_.over_current);
  if (setup_.limit) watts = std::min(watts, setup_.limit->budget_w);
  return setup_.cap ? std::min(watts, setup_.cap->budget_w) : watts;
}

power::Activity Dvfs::activity_when(double busy, const Clocks& clocks) const {
  const DeviceSpec& device = board_.device();
  power::Activity activity = meter_.last();
  activity.seconds = 1;
  for (std::size_t i = 0; i < activity.clusters.size(); ++i) {
    activity.clusters[i].hz = clocks.clusters_hz[i];
    activity.clusters[i].busy_core_s = busy * activity.clusters[i].online;
  }
  activity.gpu_hz = clocks.gpu_hz;
  activity.emc_hz = clocks.emc_hz;
  activity.dla_hz = clocks.dla_hz;
  activity.gpu_busy_s = activity.working_s = activity.tensor_s = activity.issue_s = busy;
  activity.gpu_gated_s = 0;
  activity.dram_bytes = activity.gpu_dram_bytes = busy * memory_capacity(device, clocks.emc_hz);
  activity.dla_busy_s = busy * device.dla.count;
  activity.dla_operations = activity.dla_busy_s * device.dla.ops_per_clock.int8 * activity.dla_hz;
  return activity;
}

// Power of the idle board with clocks at their limits.
double Dvfs::idle_watts() const {
  return power::sum_of(power::energy_of(spec_, activity_when(0, setup_.limits), setup_.ambient_c));
}

// Power with every unit busy and the memory streaming, at the present clocks and temperature.
double Dvfs::most_watts() const {
  return power::sum_of(power::energy_of(spec_, activity_when(1, board_.clocks()), meter_.celsius()));
}

// --- governors

void Dvfs::poll_cpu() {
  const sim::Duration elapsed = engine_.now() - cpu_polled_;
  cpu_polled_ = engine_.now();
  cpu::Cpu& cpu = board_.cpu();
  for (std::size_t cluster = 0; cluster < cpu_.size(); ++cluster) {
    busy_shares_.clear();
    estimates_.clear();
    for (int core = 0; core < cpu.cores(); ++core) {
      const cpu::Core& state = cpu.machine().core(core);
      if (!state.online || static_cast<std::size_t>(state.cluster) != cluster) continue;
      const auto i = static_cast<std::size_t>(core);
      const sim::Duration busy = cpu.core_statistics(core).busy;
      busy_shares_.push_back(sim::to_seconds(busy - core_busy_[i]) / sim::to_seconds(elapsed));
      core_busy_[i] = busy;
      if (cpu.machine().tracks_utilisation) estimates_.push_back(cpu.take_estimate(core));
    }
    if (busy_shares_.empty()) continue;
    const double hz = board_.clocks().clusters_hz[cluster];
    want(cpu_held_[cluster],
         cpu_[cluster].poll({.elapsed = elapsed, .hz = hz, .busy = busy_shares_, .estimated = estimates_}));
  }
  ask();
  after(cpu_.front().interval(), sim::action<&Dvfs::poll_cpu>(*this));
}

void Dvfs::poll_gpu() {
  const sim::Duration elapsed = engine_.now() - gpu_polled_;
  gpu_polled_ = engine_.now();
  // The engine's load counter also runs during context switches, like the hardware's.
  const sim::Duration busy = board_.gpu().busy() + board_.gpu().switching();
  const sim::Duration worked = busy - gpu_busy_;
  gpu_busy_ = busy;
  gpu_idle_ = worked > sim::Duration::zero() ? sim::Duration::zero() : gpu_idle_ + elapsed;
  const double gated_after = spec_.gpu.gated_after_s;
  const bool suspended = gated_after > 0 && sim::to_seconds(gpu_idle_) >= gated_after;
  if (!suspended || !gpu_suspended_) {
    want(gpu_held_, gpu_->poll({.now = engine_.now(),
                                .elapsed = elapsed,
                                .busy = worked,
                                .hz = board_.clocks().gpu_hz,
                                .suspended = suspended}));
    ask();
  }
  gpu_suspended_ = suspended;
  after(gpu_->interval(), sim::action<&Dvfs::poll_gpu>(*this));
}

bool Dvfs::dla_powered() {
  sim::Duration busy;
  for (const dla::Dla& dla : board_.dlas()) busy += dla.busy();
  if (busy > std::exchange(dla_busy_, busy)) dla_used_ = engine_.now();
  return dla_used_ && engine_.now() - *dla_used_ <= setup_.scaling.emc.dla_powered_for;
}

void Dvfs::poll_emc() {
  const double elapsed = sim::to_seconds(engine_.now() - emc_polled_);
  emc_polled_ = engine_.now();
  const double bytes = board_.dram_bytes();
  const Clocks& clocks = board_.clocks();
  const double most = memory_capacity(board_.device(), clocks.emc_hz) * elapsed;
  const double busy = most > 0 ? std::clamp((bytes - emc_bytes_) / most, 0.0, 1.0) : 0;
  emc_bytes_ = bytes;
  want(emc_held_, emc_->poll({.hz = clocks.emc_hz,
                              .busy = busy,
                              .gpu_hz = gpu_suspended_ ? 0 : clocks.gpu_hz,
                              .dla = dla_powered()}));
  ask();
  after(emc_->interval(), sim::action<&Dvfs::poll_emc>(*this));
}

// --- controllers

double Dvfs::watts_since(Mark& mark) {
  const double joules = meter_.joules_by_now();
  const double seconds = sim::to_seconds(engine_.now() - mark.at);
  const double used = joules - mark.joules;
  mark = {.at = engine_.now(), .joules = joules};
  return seconds > 0 ? used / seconds : 0;
}

void Dvfs::read_cap() {
  const power::Throttle before = cap_->throttle();
  if (cap_->read(watts_since(cap_mark_)) != before) allow();
  if (cap_->unmet()) report_.cap_unmet_s += sim::to_seconds(cap_->interval());
  after(cap_->interval(), sim::action<&Dvfs::read_cap>(*this));
}

void Dvfs::read_limit() {
  const power::Throttle before = limit_->throttle();
  if (limit_->read(watts_since(limit_mark_), board_.clocks().gpu_hz) != before) allow();
  after(limit_->period(), sim::action<&Dvfs::read_limit>(*this));
}

void Dvfs::poll_over_current() {
  current_event_ = {};
  const power::Throttle before = over_current_->throttle();
  if (read_current() != before) allow();
  schedule_reading();
}

power::Throttle Dvfs::read_current() {
  const sim::Duration elapsed = engine_.now() - over_current_mark_.at;
  return over_current_->read(watts_since(over_current_mark_), elapsed);
}

// Clocks or temperature have changed, and with them the highest possible power.
void Dvfs::watch_current() {
  if (!over_current_) return;
  may_alarm_ = most_watts() >= lowest_alarm_w(*spec_.over_current, setup_.over_current);
  schedule_reading();
}

// Readings are needed while an alarm lasts, and while the board could draw enough to raise one.
void Dvfs::schedule_reading() {
  if (engine_.pending(current_event_) || !(may_alarm_ || over_current_->alarmed())) return;
  if (over_current_mark_.at != engine_.now()) read_current();
  const sim::Duration interval = over_current_->interval();
  const sim::Duration since_last = (engine_.now() - sim::Time::zero()) % interval;
  current_event_ =
      engine_.schedule(engine_.now() + interval - since_last, sim::action<&Dvfs::poll_over_current>(*this));
}

void Dvfs::poll_thermal() {
  account();
  thermal_->advance(watts_since(thermal_mark_), thermal_->polling());
  const power::Throttle before = thermal_->throttle();
  if (thermal_->poll() != before) allow();
  meter_.set_temperature(thermal_->celsius());
  watch_current();
  report_.peak_celsius = std::max(report_.peak_celsius, thermal_->celsius());
  if (sim::TraceSink* trace = engine_.trace())
    trace->count(heat_counter_, engine_.now(), thermal_->celsius());
  if (thermal_->down()) {
    engine_.stop();
    return;
  }
  after(thermal_->polling(), sim::action<&Dvfs::poll_thermal>(*this));
}

// --- clocks

Dvfs::Held Dvfs::held(const std::vector<double>& table, double highest_hz, double limit_hz, double wanted_hz,
                      bool gpu) const {
  const auto steps = [gpu](const auto& controller) {
    if (!controller) return 0;
    const power::Throttle throttle = controller->throttle();
    return gpu ? throttle.gpu_steps : throttle.cpu_steps;
  };
  return {.ceiling = power::combine(
              table, {.highest_hz = highest_hz,
                      .limit_hz = limit_hz,
                      .cap_steps = steps(cap_),
                      .power_limit_steps = steps(limit_),
                      .thermal_steps = steps(thermal_),
                      .over_current_ratio = over_current_ ? over_current_->throttle().ratio : 1}),
          .wanted_hz = wanted_hz};
}

void Dvfs::want(Held& held, double hz) {
  if (held.wanted_hz == hz) return;
  held.wanted_hz = hz;
  asked_ = false;
}

void Dvfs::allow() {
  asked_ = false;
  ask();
}

void Dvfs::ask() {
  if (std::exchange(asked_, true)) return;
  const DeviceSpec& device = board_.device();
  const auto soon = [this](sim::EventId& event, sim::Duration delay, sim::Action action) {
    if (!engine_.pending(event)) event = engine_.schedule(engine_.now() + delay, action);
  };
  bool changes = false;
  for (std::size_t i = 0; i < cpu_held_.size(); ++i) {
    cpu_held_[i] = held(device.cpu->clusters[i].clock_table_hz, hardware_.clusters_hz[i],
                        setup_.limits.clusters_hz[i], cpu_held_[i].wanted_hz, false);
    changes = changes || cpu_held_[i].hz() != board_.clocks().clusters_hz[i];
  }
  if (changes) soon(cpu_event_, setup_.scaling.cpu_delay, sim::action<&Dvfs::apply_cpu>(*this));
  if (gpu_) {
    gpu_held_ =
        held(device.gpu.clock_table_hz, hardware_.gpu_hz, setup_.limits.gpu_hz, gpu_held_.wanted_hz, true);
    if (gpu_held_.hz() != board_.clocks().gpu_hz)
      soon(gpu_event_, setup_.scaling.gpu_delay, sim::action<&Dvfs::apply_gpu>(*this));
  }
  if (emc_held_.wanted_hz != board_.clocks().emc_hz)
    soon(emc_event_, setup_.scaling.emc_delay, sim::action<&Dvfs::apply_emc>(*this));
}

void Dvfs::apply_cpu() {
  account();
  Clocks clocks;
  for (const Held& held : cpu_held_) clocks.clusters_hz.push_back(held.hz());
  meter_.set_cpu_pulses(cpu_held_.front().ceiling.ratio);
  board_.set_clocks(clocks);
  watch_current();
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && !cluster_counters_.empty()) {
    for (std::size_t i = 0; i < cluster_counters_.size(); ++i)
      trace->count(cluster_counters_[i], engine_.now(), clocks.clusters_hz[i] / 1e6);
  }
}

void Dvfs::apply_gpu() {
  if (!gpu_) return;
  account();
  meter_.set_gpu_pulses(gpu_held_.ceiling.ratio);
  board_.set_clocks({.clusters_hz = {}, .gpu_hz = gpu_held_.hz()});
  watch_current();
  // The GPU's clock requires a minimum clock of the memory.
  want(emc_held_, std::max(emc_held_.wanted_hz, emc_->floor_for(gpu_held_.hz())));
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && gpu_counter_ != sim::TrackId::none)
    trace->count(gpu_counter_, engine_.now(), gpu_held_.hz() / 1e6);
}

void Dvfs::apply_emc() {
  if (emc_held_.wanted_hz <= 0) return;
  account();
  board_.set_clocks({.clusters_hz = {}, .emc_hz = emc_held_.wanted_hz});
  watch_current();
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && emc_counter_ != sim::TrackId::none)
    trace->count(emc_counter_, engine_.now(), emc_held_.wanted_hz / 1e6);
}

// --- accounts

void Dvfs::account() {
  if (!meter_.accrue()) return;
  const power::Activity& last = meter_.last();
  const Clocks& clocks = board_.clocks();
  for (std::size_t i = 0; i < report_.clusters.size(); ++i)
    add_time(report_.clusters[i], clocks.clusters_hz[i], last.seconds);
  add_time(report_.gpu, clocks.gpu_hz, last.seconds);
  add_time(report_.emc, clocks.emc_hz, last.seconds);
  note_held(last);
}

// Records the causes that held clocks down while the clock was needed. A power mode counts only while its
// domain worked.
void Dvfs::note_held(const power::Activity& last) {
  std::array<double, power::cause_names.size()> seconds{};
  const auto note = [&seconds, &last](power::Cause cause, double busy_s) {
    double& held = seconds[static_cast<std::size_t>(cause)];
    held = std::max(held, cause == power::Cause::power_mode ? busy_s : last.seconds);
  };
  for (std::size_t i = 0; i < cpu_held_.size(); ++i) {
    const power::ClusterActivity& cluster = last.clusters[i];
    if (cluster.online > 0)
      note(cpu_held_[i].cause(hardware_.clusters_hz[i], setup_.limits.clusters_hz[i]),
           cluster.busy_core_s / cluster.online);
  }
  if (gpu_) {
    const power::Cause cause = gpu_held_.cause(hardware_.gpu_hz, setup_.limits.gpu_hz);
    note(cause, last.gpu_busy_s);
    note_throttled(cause);
  }
  for (std::size_t i = 1; i < seconds.size(); ++i) report_.held_s[i] += seconds[i];
}

void Dvfs::note_throttled(power::Cause cause) {
  if (!cap_ && !limit_ && !thermal_ && !over_current_) return;
  const bool held_down = cause != power::Cause::none && cause != power::Cause::power_mode;
  const double lost = held_down ? std::max(1 - board_.clocks().gpu_hz / gpu_held_.wanted_hz, 0.0) : 0;
  for (std::size_t i = 0; i < compute_s_.size(); ++i) {
    const double compute = board_.processes()[i].running().used.compute;
    throttled_s_[i] += lost * (compute - compute_s_[i]);
    compute_s_[i] = compute;
  }
}

void Dvfs::end_window() {
  account();
  const power::PerPart watts = meter_.end_window();
  report_.peak_w = std::max(report_.peak_w, power::sum_of(watts));
  power_series_.add(power::sum_of(watts));
  if (thermal_) heat_series_.add(thermal_->celsius());
  for (std::size_t i = 0; i < spec_.rails.size(); ++i)
    report_.rail_peak_w[i] = std::max(report_.rail_peak_w[i], power::on_rail(spec_.rails[i], watts));
  if (sim::TraceSink* trace = engine_.trace()) {
    // The mean of the window that ends now, drawn from the begin of the window on.
    const sim::Time begin = engine_.now() - window();
    trace->count(power_counter_, begin, power::sum_of(watts));
    for (std::size_t i = 0; i < rail_counters_.size(); ++i)
      trace->count(rail_counters_[i], begin, power::on_rail(spec_.rails[i], watts));
  }
  after(window(), sim::action<&Dvfs::end_window>(*this));
}

void Dvfs::after_end_of_warmup() {
  meter_.restart();
  emc_bytes_ = board_.dram_bytes();
  const double celsius = thermal_ ? thermal_->celsius() : spec_.reference_c;
  const std::size_t clusters = report_.clusters.size(), rails = report_.rail_peak_w.size();
  report_ = {};
  report_.clusters.resize(clusters);
  report_.rail_peak_w.resize(rails);
  report_.peak_celsius = celsius;
  std::ranges::fill(throttled_s_, 0);
  std::ranges::fill(compute_s_, 0);
}

PowerReport Dvfs::report() {
  account();
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
  report.has_temperature = thermal_.has_value();
  report.celsius = thermal_ ? thermal_->celsius() : spec_.reference_c;
  report.down = down();
  return report;
}

void Dvfs::open_counters(sim::TraceSink& trace) {
  power_counter_ = trace.counter(spec_.input.empty() ? "module input" : spec_.input, "W");
  for (const power::Rail& rail : spec_.rails) rail_counters_.push_back(trace.counter(rail.name, "W"));
  for (const cpu::ClusterSpec& cluster : board_.device().cpu->clusters)
    cluster_counters_.push_back(trace.counter("clock of " + cluster.name, "MHz"));
  if (gpu_) gpu_counter_ = trace.counter("clock of the GPU", "MHz");
  if (board_.clocks().emc_hz > 0) emc_counter_ = trace.counter("clock of the EMC", "MHz");
  if (thermal_) heat_counter_ = trace.counter("temperature", "degC");
  for (std::size_t i = 0; i < cluster_counters_.size(); ++i)
    trace.count(cluster_counters_[i], engine_.now(), board_.clocks().clusters_hz[i] / 1e6);
  if (gpu_) trace.count(gpu_counter_, engine_.now(), board_.clocks().gpu_hz / 1e6);
  if (board_.clocks().emc_hz > 0) trace.count(emc_counter_, engine_.now(), board_.clocks().emc_hz / 1e6);
}

}  // namespace jostle::board
