#include "models/board/clock_polls.hpp"

#include <algorithm>
#include <utility>

#include "models/cpu/spec.hpp"

namespace jostle::board {

namespace {

power::OppTable opps(const std::vector<double>& table, double floor_hz, double limit_hz) {
  return {.hz = table, .min_hz = std::min(floor_hz, limit_hz), .max_hz = limit_hz};
}

power::GpuScaling gpu_scaling(const DeviceSpec& device, const DvfsSetup& setup) {
  const power::ScalingSpec& scaling = setup.scaling;
  return {*(setup.gpu_pinned ? power::gpu_governor("performance") : scaling.gpu),
          opps(device.gpu.clock_table_hz, scaling.gpu_floor_hz, setup.limits.gpu_hz), scaling.gpu_settings};
}

power::EmcScaling emc_scaling(const DeviceSpec& device, const DvfsSetup& setup) {
  power::EmcSettings emc = setup.scaling.emc;
  emc.scales = emc.scales && !setup.emc_pinned && device.has_gpu() && setup.limits.emc_hz > 0;
  const std::vector<double>& gpu_table = device.gpu.clock_table_hz;
  return {opps(device.memory.clock_table_hz, setup.scaling.emc_floor_hz, setup.limits.emc_hz),
          gpu_table.empty() ? device.gpu.max_clock_hz : gpu_table.front(), emc};
}

}  // namespace

// --- CPU

CpuPolls::CpuPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain)
    : board_(board), domain_(domain), core_busy_(static_cast<std::size_t>(board.cpu().cores())) {
  const cpu::Spec& cpu = *board.device().cpu;
  const power::ScalingSpec& scaling = setup.scaling;
  const power::CpuGovernor& governor = *(setup.cpu_pinned ? power::cpu_governor("performance") : scaling.cpu);
  domain.delay = scaling.cpu_delay;
  for (std::size_t i = 0; i < cpu.clusters.size(); ++i) {
    const cpu::ClusterSpec& cluster = cpu.clusters[i];
    const double limit_hz = setup.limits.clusters_hz[i];
    clusters_.emplace_back(governor, opps(cluster.clock_table_hz, scaling.cpu_floor_hz, limit_hz),
                           cluster.max_clock_hz, scaling.cpu_settings);
    domain.clocks.push_back(
        {"clock of " + cluster.name,
         {cluster.clock_table_hz, cluster.max_clock_hz, limit_hz, &power::Throttle::cpu_steps},
         clusters_.back().start()});
  }
  if (governor.reads_estimates && cpu.scheduler.rules().estimates_utilisation)
    board.cpu().track_utilisation();
}

void CpuPolls::poll(sim::Time now) {
  const sim::Duration elapsed = now - std::exchange(polled_, now);
  cpu::Cpu& cpu = board_.cpu();
  for (std::size_t cluster = 0; cluster < clusters_.size(); ++cluster) {
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
    Clock& clock = domain_.clocks[cluster];
    clock.requested_hz = clusters_[cluster].poll(
        {.elapsed = elapsed, .hz = clock.hz, .busy = busy_shares_, .estimated = estimates_});
  }
}

// --- GPU

GpuPolls::GpuPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain)
    : board_(board), domain_(domain), scaling_(gpu_scaling(board.device(), setup)) {
  const gpu::Spec& gpu = board.device().gpu;
  domain.delay = setup.scaling.gpu_delay;
  domain.clocks.push_back(
      {"clock of the GPU",
       {gpu.clock_table_hz, gpu.max_clock_hz, setup.limits.gpu_hz, &power::Throttle::gpu_steps},
       scaling_.start()});
}

bool GpuPolls::poll(sim::Time now) {
  const sim::Duration elapsed = now - std::exchange(polled_, now);
  // The engine's load counter also runs during context switches, like the hardware's.
  const sim::Duration busy = board_.gpu().busy() + board_.gpu().switching();
  const sim::Duration worked = busy - std::exchange(busy_, busy);
  idle_ = worked > sim::Duration::zero() ? sim::Duration::zero() : idle_ + elapsed;
  const double gated_after = board_.device().power->gpu.gated_after_s;
  const bool suspended = gated_after > 0 && sim::to_seconds(idle_) >= gated_after;
  if (std::exchange(suspended_, suspended) && suspended) return false;
  Clock& clock = domain_.clocks.front();
  clock.requested_hz =
      scaling_.poll({.now = now, .elapsed = elapsed, .busy = worked, .hz = clock.hz, .suspended = suspended});
  return true;
}

// --- memory

EmcPolls::EmcPolls(Board& board, const DvfsSetup& setup, ClockDomain& domain)
    : board_(board),
      domain_(domain),
      dla_powered_for_(setup.scaling.emc.dla_powered_for),
      scaling_(emc_scaling(board.device(), setup)) {
  const memory::Spec& memory = board.device().memory;
  domain.delay = setup.scaling.emc_delay;
  domain.clocks.push_back({"clock of the EMC",
                           {memory.clock_table_hz, memory.max_clock_hz, setup.limits.emc_hz},
                           scaling_.start()});
}

bool EmcPolls::dla_powered(sim::Time now) {
  sim::Duration busy;
  for (const dla::Dla& dla : board_.dlas()) busy += dla.busy();
  if (busy > std::exchange(dla_busy_, busy)) dla_used_ = now;
  return dla_used_ && now - *dla_used_ <= dla_powered_for_;
}

void EmcPolls::poll(sim::Time now, double gpu_hz) {
  const double elapsed = sim::to_seconds(now - std::exchange(polled_, now));
  Clock& clock = domain_.clocks.front();
  const double bytes = board_.dram_bytes();
  const double most = memory_capacity(board_.device(), clock.hz) * elapsed;
  const double busy = most > 0 ? std::clamp((bytes - bytes_) / most, 0.0, 1.0) : 0;
  bytes_ = bytes;
  clock.requested_hz =
      scaling_.poll({.hz = clock.hz, .busy = busy, .gpu_hz = gpu_hz, .dla = dla_powered(now)});
}

void EmcPolls::raise_for_gpu(double hz) {
  Clock& clock = domain_.clocks.front();
  clock.requested_hz = std::max(clock.requested_hz, scaling_.floor_for(hz));
}

}  // namespace jostle::board
