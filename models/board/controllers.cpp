#include "models/board/controllers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/cpu/spec.hpp"

namespace jostle::board {

Controllers::Controllers(sim::Engine& engine, Board& board, PowerAccount& account, const DvfsSetup& setup,
                         sim::Action changed)
    : engine_(engine),
      board_(board),
      account_(account),
      setup_(setup),
      changed_(changed),
      spec_(board.device().power.value()) {
  const std::vector<double>& gpu = board.device().gpu.clock_table_hz;
  const std::vector<double>& cpu = board.device().cpu->clusters.front().clock_table_hz;
  const auto below = [&](const Clocks& clocks) {
    return std::pair(power::steps_below(gpu, clocks.gpu_hz),
                     power::steps_below(cpu, clocks.clusters_hz.front()));
  };
  if (setup.cap) {
    const auto [gpu_steps, cpu_steps] = below(setup.limits);
    cap_.emplace(*setup.cap, gpu_steps, cpu_steps);
  }
  if (const auto steps = below(setup.limits).first; setup.limit && steps > 0) {
    std::vector<double> clocks(gpu.begin(), gpu.begin() + steps);
    clocks.push_back(setup.limits.gpu_hz);
    Clocks stopped = setup.limits;
    stopped.gpu_hz = 0;
    const double celsius = account.meter().celsius();
    limit_.emplace(*setup.limit, clocks, spec_.gpu.voltage, watts_when(0, setup.limits, celsius),
                   watts_when(0, stopped, celsius));
  }
  if (spec_.over_current) over_current_.emplace(*spec_.over_current, setup.over_current);
  if (spec_.thermal) {
    // The kernel's cooling devices ignore power modes: their steps begin at the highest clocks.
    const auto [gpu_steps, cpu_steps] = below(maximum_clocks(board.device()));
    thermal_ = setup.heat;
    if (!thermal_) thermal_.emplace(*spec_.thermal, setup.ambient_c, setup.fan, gpu_steps, cpu_steps);
  }
}

void Controllers::start() {
  if (thermal_) {
    // Start at the steady-state temperature of the idle board with clocks at their limits.
    if (!setup_.heat) thermal_->settle(watts_when(0, setup_.limits, setup_.ambient_c));
    account_.set_temperature(thermal_->celsius());
    after(thermal_->polling(), sim::action<&Controllers::poll_thermal>(*this));
  }
  if (cap_) after(cap_->interval(), sim::action<&Controllers::read_cap>(*this));
  if (limit_) after(limit_->period(), sim::action<&Controllers::read_limit>(*this));
  watch_current();
}

void Controllers::open_counters(sim::TraceSink& trace) {
  if (thermal_) heat_counter_ = trace.counter("temperature", "degC");
}

power::Throttles Controllers::throttles() const {
  power::Throttles all{};
  const auto add = [&all](power::Cause cause, const auto& controller) {
    if (controller) all[static_cast<std::size_t>(cause)] = controller->throttle();
  };
  add(power::Cause::power_cap, cap_);
  add(power::Cause::power_limit, limit_);
  add(power::Cause::over_current, over_current_);
  add(power::Cause::thermal, thermal_);
  return all;
}

double Controllers::limit_w() const {
  double watts = lowest_alarm_w();
  if (setup_.cap) watts = std::min(watts, setup_.cap->budget_w);
  if (setup_.limit) watts = std::min(watts, setup_.limit->budget_w);
  return watts;
}

double Controllers::watts_since(Mark& mark) {
  const double joules = account_.meter().joules_by_now();
  const double seconds = sim::to_seconds(engine_.now() - mark.at);
  const double used = joules - mark.joules;
  mark = {.at = engine_.now(), .joules = joules};
  return seconds > 0 ? used / seconds : 0;
}

// --- power cap

void Controllers::read_cap() {
  const power::Throttle before = cap_->throttle();
  if (cap_->read(watts_since(cap_mark_)) != before) changed_();
  if (cap_->unmet()) account_.add_unmet_budget(sim::to_seconds(cap_->interval()));
  after(cap_->interval(), sim::action<&Controllers::read_cap>(*this));
}

// --- power limit

void Controllers::read_limit() {
  const power::Throttle before = limit_->throttle();
  if (limit_->read(watts_since(limit_mark_), board_.clocks().gpu_hz) != before) changed_();
  if (limit_->unmet()) account_.add_unmet_budget(sim::to_seconds(limit_->period()));
  after(limit_->period(), sim::action<&Controllers::read_limit>(*this));
}

// --- over-current alarms

// The lowest power that raises an alarm; infinite without any.
double Controllers::lowest_alarm_w() const {
  double watts = std::numeric_limits<double>::infinity();
  const auto lower = [&](const std::optional<power::OverCurrentAlarm>& alarm, std::optional<double> amperes) {
    if (alarm) watts = std::min(watts, amperes ? *amperes * spec_.over_current->input_v : alarm->threshold_w);
  };
  if (spec_.over_current) {
    lower(spec_.over_current->average, setup_.over_current.average_a);
    lower(spec_.over_current->instantaneous, setup_.over_current.instantaneous_a);
  }
  return watts;
}

void Controllers::poll_over_current() {
  current_event_ = {};
  const power::Throttle before = over_current_->throttle();
  if (read_current() != before) changed_();
  schedule_reading();
}

power::Throttle Controllers::read_current() {
  const sim::Duration elapsed = engine_.now() - over_current_mark_.at;
  return over_current_->read(watts_since(over_current_mark_), elapsed);
}

void Controllers::watch_current() {
  if (!over_current_) return;
  may_alarm_ = watts_when(1, board_.clocks(), account_.meter().celsius()) >= lowest_alarm_w();
  schedule_reading();
}

// Readings are needed while an alarm lasts, and while the board could draw enough to raise one.
void Controllers::schedule_reading() {
  if (engine_.pending(current_event_) || !(may_alarm_ || over_current_->alarmed())) return;
  if (over_current_mark_.at != engine_.now()) read_current();
  const sim::Duration interval = over_current_->interval();
  const sim::Duration since_last = (engine_.now() - sim::Time::zero()) % interval;
  current_event_ = engine_.schedule(engine_.now() + interval - since_last,
                                    sim::action<&Controllers::poll_over_current>(*this));
}

// --- heat

void Controllers::poll_thermal() {
  account_.accrue();
  thermal_->advance(watts_since(thermal_mark_), thermal_->polling());
  const power::Throttle before = thermal_->throttle();
  if (thermal_->poll() != before) changed_();
  account_.set_temperature(thermal_->celsius());
  watch_current();
  if (sim::TraceSink* trace = engine_.trace())
    trace->count(heat_counter_, engine_.now(), thermal_->celsius());
  if (thermal_->down()) {
    engine_.stop();
    return;
  }
  after(thermal_->polling(), sim::action<&Controllers::poll_thermal>(*this));
}

// --- the power of a busy or idle board

double Controllers::watts_when(double busy, const Clocks& clocks, double celsius) const {
  const DeviceSpec& device = board_.device();
  power::Activity activity = account_.meter().last();
  activity.seconds = 1;
  for (std::size_t i = 0; i < activity.clusters.size(); ++i) {
    activity.clusters[i].hz = clocks.clusters_hz[i];
    activity.clusters[i].busy_core_s = busy * activity.clusters[i].online;
  }
  activity.gpu_hz = clocks.gpu_hz;
  activity.emc_hz = clocks.emc_hz;
  activity.dla_hz = clocks.dla_hz;
  activity.gpu_busy_s = activity.working_s = activity.tensor_s = activity.issue_s = activity.warps_s = busy;
  activity.gpu_gated_s = 0;
  activity.dram_bytes = activity.gpu_dram_bytes = busy * memory_capacity(device, clocks.emc_hz);
  activity.dla_busy_s = busy * device.dla.count;
  activity.dla_operations = activity.dla_busy_s * device.dla.ops_per_clock.int8 * activity.dla_hz;
  return power::sum_of(power::energy_of(spec_, activity, celsius));
}

}  // namespace jostle::board
