#include "models/board/dvfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/cpu/spec.hpp"

namespace jostle::board {

Dvfs::Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup)
    : engine_(engine),
      board_(board),
      cpu_(board, setup, domains_.cpu),
      gpu_(board, setup, domains_.gpu),
      emc_(board, setup, domains_.emc),
      account_(engine, board, domains_, setup),
      controllers_(engine, board, account_, setup, sim::action<&Dvfs::limit>(*this)) {
  for (ClockDomain* domain : domains_.all()) {
    domain->limit(controllers_.throttles());
    apply(*domain);
  }
  after<&Dvfs::poll<&Dvfs::cpu_>>(cpu_.interval());
  after<&Dvfs::poll<&Dvfs::gpu_>>(gpu_.interval());
  after<&Dvfs::poll<&Dvfs::emc_>>(emc_.interval());
  controllers_.start();
  account_.start();
  if (sim::TraceSink* trace = engine.trace()) open_counters(*trace);
}

void Dvfs::open_counters(sim::TraceSink& trace) {
  account_.open_counters(trace);
  for (ClockDomain* domain : domains_.all())
    for (Clock& clock : domain->clocks)
      if (clock.hz > 0) clock.counter = trace.counter(clock.name, "MHz");
  controllers_.open_counters(trace);
  marks_ = trace.track("who changed clocks");
  for (ClockDomain* domain : domains_.all()) domain->trace(trace, engine_.now());
}

void Dvfs::after_end_of_warmup() {
  account_.restart();
  emc_.bytes = board_.dram_bytes();
}

template <auto Member>
void Dvfs::after(sim::Duration interval) {
  if (interval > sim::Duration::zero())
    engine_.schedule(engine_.now() + interval, sim::action<Member>(*this));
}

template <auto Polls>
void Dvfs::poll() {
  if ((this->*Polls).poll(board_, domains_, engine_.now())) change();
  after<&Dvfs::poll<Polls>>((this->*Polls).interval());
}

void Dvfs::limit() {
  for (ClockDomain* domain : domains_.all()) domain->limit(controllers_.throttles());
  change();
}

void Dvfs::change() {
  const auto begin = [this](ClockDomain& domain, sim::Action apply) {
    if (domain.due() && !engine_.pending(domain.change))
      domain.change = engine_.schedule(engine_.now() + domain.delay, apply);
  };
  begin(domains_.cpu, sim::action<&Dvfs::apply_to<&ClockDomains::cpu>>(*this));
  begin(domains_.gpu, sim::action<&Dvfs::apply_to<&ClockDomains::gpu>>(*this));
  begin(domains_.emc, sim::action<&Dvfs::apply_to<&ClockDomains::emc>>(*this));
}

void Dvfs::apply(ClockDomain& domain) {
  account_.accrue();
  const std::vector<Clock> before =
      marks_ == sim::TrackId::none ? std::vector<Clock>() : domain.clocks;  // copied for the timeline only
  domain.apply();
  for (std::size_t i = 0; i < before.size(); ++i) mark(domain.clocks[i], before[i].hz);
  account_.meter().set_cpu_pulses(domains_.cpu.clocks.front().pulses);
  for (const Clock& gpu : domains_.gpu.clocks) account_.meter().set_gpu_pulses(gpu.pulses);
  board_.set_clocks(domains_.now());
  controllers_.watch_current();
  // The GPU's clock requires a minimum clock of the memory.
  if (&domain == &domains_.gpu && !domain.clocks.empty()) {
    double& requested_hz = domains_.emc.clocks.front().requested_hz;
    requested_hz = std::max(requested_hz, emc_.scaling.floor_for(domain.clocks.front().hz));
  }
  if (sim::TraceSink* trace = engine_.trace()) domain.trace(*trace, engine_.now());
}

void Dvfs::mark(const Clock& clock, double before_hz) {
  sim::TraceSink* const trace = engine_.trace();
  if (trace == nullptr || clock.hz == before_hz) return;
  std::string who = clock.cause() == power::Cause::none
                        ? "governor"
                        : std::string(power::cause_names.at(static_cast<std::size_t>(clock.cause())));
  std::ranges::replace(who, '_', ' ');
  trace->slice(marks_, engine_.now(), sim::Duration::zero(),
               fmt::format("{}: {:.0f} to {:.0f} MHz, {}", clock.name, before_hz / 1e6, clock.hz / 1e6, who));
}

namespace {

power::OppTable opps(const std::vector<double>& table, double floor_hz, double limit_hz) {
  return {.hz = table, .min_hz = std::min(floor_hz, limit_hz), .max_hz = limit_hz};
}

power::GpuScaling gpu_scaling(const DeviceSpec& device, const DvfsSetup& setup) {
  const power::ScalingSpec& scaling = setup.scaling;
  const bool pinned = setup.gpu_pinned || !device.has_gpu();
  return {*(pinned ? power::gpu_governor("performance") : scaling.gpu),
          opps(device.gpu.clock_table_hz, scaling.gpu_floor_hz, setup.limits.gpu_hz), scaling.gpu_settings,
          device.gpu.max_clock_hz};
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
    : core_busy(static_cast<std::size_t>(board.cpu().cores())) {
  const cpu::Spec& cpu = *board.device().cpu;
  const power::ScalingSpec& scaling = setup.scaling;
  const power::CpuGovernor& governor = *(setup.cpu_pinned ? power::cpu_governor("performance") : scaling.cpu);
  domain.delay = scaling.cpu_delay;
  for (std::size_t i = 0; i < cpu.clusters.size(); ++i) {
    const cpu::ClusterSpec& cluster = cpu.clusters[i];
    const double limit_hz = setup.limits.clusters_hz[i];
    clusters.emplace_back(governor, opps(cluster.clock_table_hz, scaling.cpu_floor_hz, limit_hz),
                          scaling.cpu_settings, cluster.max_clock_hz);
    domain.clocks.push_back(
        {"clock of " + cluster.name,
         {cluster.clock_table_hz, cluster.max_clock_hz, limit_hz, &power::Throttle::cpu_steps},
         clusters.back().start()});
  }
  if (governor.reads_estimates && cpu.scheduler.rules().estimates_utilisation)
    board.cpu().track_utilisation();
}

bool CpuPolls::poll(Board& board, ClockDomains& domains, sim::Time now) {
  const sim::Duration elapsed = now - std::exchange(polled, now);
  cpu::Cpu& cpu = board.cpu();
  for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
    busy_shares.clear();
    estimates.clear();
    for (int core = 0; core < cpu.cores(); ++core) {
      const cpu::Core& state = cpu.machine().core(core);
      if (!state.online || static_cast<std::size_t>(state.cluster) != cluster) continue;
      const sim::Duration busy = cpu.core_statistics(core).busy;
      const sim::Duration before = std::exchange(core_busy[static_cast<std::size_t>(core)], busy);
      busy_shares.push_back(sim::to_seconds(busy - before) / sim::to_seconds(elapsed));
      if (cpu.machine().tracks_utilisation) estimates.push_back(cpu.take_estimate(core));
    }
    if (busy_shares.empty()) continue;
    Clock& clock = domains.cpu.clocks[cluster];
    clock.requested_hz = clusters[cluster].poll(
        {.elapsed = elapsed, .hz = clock.hz, .busy = busy_shares, .estimated = estimates});
  }
  return true;
}

// --- GPU

GpuPolls::GpuPolls(const Board& board, const DvfsSetup& setup, ClockDomain& domain)
    : scaling(gpu_scaling(board.device(), setup)) {
  const gpu::Spec& gpu = board.device().gpu;
  domain.delay = setup.scaling.gpu_delay;
  if (!board.device().has_gpu()) return;
  domain.clocks.push_back(
      {"clock of the GPU",
       {gpu.clock_table_hz, gpu.max_clock_hz, setup.limits.gpu_hz, &power::Throttle::gpu_steps},
       scaling.start()});
}

bool GpuPolls::poll(Board& board, ClockDomains& domains, sim::Time now) {
  const sim::Duration elapsed = now - std::exchange(polled, now);
  // The engine's load counter also runs during context switches, like the hardware's. Of several instances
  // the busiest one counts.
  busy.resize(board.gpu_instances());
  sim::Duration worked;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const sim::Duration counter = board.gpu_load(i);
    worked = std::max(worked, counter - std::exchange(busy[i], counter));
  }
  idle = worked > sim::Duration::zero() ? sim::Duration::zero() : idle + elapsed;
  const double gated_after = board.device().power->gpu.gated_after_s;
  const bool powered = gated_after <= 0 || sim::to_seconds(idle) < gated_after;
  if (!std::exchange(domains.gpu.powered, powered) && !powered) return false;
  Clock& clock = domains.gpu.clocks.front();
  clock.requested_hz =
      scaling.poll({.now = now, .elapsed = elapsed, .busy = worked, .hz = clock.hz, .suspended = !powered});
  return true;
}

// --- memory

EmcPolls::EmcPolls(const Board& board, const DvfsSetup& setup, ClockDomain& domain)
    : scaling(emc_scaling(board.device(), setup)), dla_powered_for(setup.scaling.emc.dla_powered_for) {
  const memory::Spec& memory = board.device().memory;
  domain.delay = setup.scaling.emc_delay;
  domain.clocks.push_back({"clock of the EMC",
                           {memory.clock_table_hz, memory.max_clock_hz, setup.limits.emc_hz},
                           scaling.start()});
}

bool EmcPolls::poll(Board& board, ClockDomains& domains, sim::Time now) {
  const double elapsed = sim::to_seconds(now - std::exchange(polled, now));
  Clock& clock = domains.emc.clocks.front();
  const double most = memory_capacity(board.device(), clock.hz) * elapsed;
  const double moved = board.dram_bytes();
  const double used = moved - std::exchange(bytes, moved);
  sim::Duration dla;
  for (const dla::Dla& each : board.dlas()) dla += each.busy();
  if (dla > std::exchange(dla_busy, dla)) dla_used = now;
  clock.requested_hz = scaling.poll({.hz = clock.hz,
                                     .busy = most > 0 ? std::clamp(used / most, 0.0, 1.0) : 0,
                                     .gpu_hz = domains.gpu.powered ? domains.gpu.clocks.front().hz : 0,
                                     .dla = dla_used && now - *dla_used <= dla_powered_for});
  return true;
}

}  // namespace jostle::board
