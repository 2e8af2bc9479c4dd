#include "models/board/power_meter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/contract.hpp"
#include "sim/math.hpp"

namespace jostle::board {

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
  reading.gpu_busy = board_.gpu_busy();
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
