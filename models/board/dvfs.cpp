#include "models/board/dvfs.hpp"

namespace jostle::board {

Dvfs::Dvfs(sim::Engine& engine, Board& board, const DvfsSetup& setup)
    : engine_(engine),
      board_(board),
      cpu_(board, setup, domains_.cpu),
      emc_(board, setup, domains_.emc),
      account_(engine, board, domains_, setup),
      controllers_(engine, board, account_, setup, sim::action<&Dvfs::limit>(*this)) {
  if (board.device().has_gpu()) gpu_.emplace(board, setup, domains_.gpu);
  for (ClockDomain* domain : domains_.all()) domain->limit(controllers_.throttles());
  apply_cpu();
  if (gpu_) apply_gpu();
  apply_emc();

  const auto start = [this](sim::Duration interval, sim::Action poll) {
    if (interval > sim::Duration::zero()) after(interval, poll);
  };
  start(cpu_.interval(), sim::action<&Dvfs::poll_cpu>(*this));
  if (gpu_) start(gpu_->interval(), sim::action<&Dvfs::poll_gpu>(*this));
  start(emc_.interval(), sim::action<&Dvfs::poll_emc>(*this));
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
  for (ClockDomain* domain : domains_.all()) domain->trace(trace, engine_.now());
}

void Dvfs::after_end_of_warmup() {
  account_.restart();
  emc_.restart();
}

// --- governors

void Dvfs::poll_cpu() {
  cpu_.poll(engine_.now());
  change();
  after(cpu_.interval(), sim::action<&Dvfs::poll_cpu>(*this));
}

void Dvfs::poll_gpu() {
  if (gpu_->poll(engine_.now())) change();
  after(gpu_->interval(), sim::action<&Dvfs::poll_gpu>(*this));
}

void Dvfs::poll_emc() {
  const bool powered = gpu_ && !gpu_->suspended();
  emc_.poll(engine_.now(), powered ? domains_.gpu.clocks.front().hz : 0);
  change();
  after(emc_.interval(), sim::action<&Dvfs::poll_emc>(*this));
}

// --- clocks

void Dvfs::limit() {
  for (ClockDomain* domain : domains_.all()) domain->limit(controllers_.throttles());
  change();
}

void Dvfs::change() {
  const auto begin = [this](ClockDomain& domain, sim::Action apply) {
    if (domain.due() && !engine_.pending(domain.change))
      domain.change = engine_.schedule(engine_.now() + domain.delay, apply);
  };
  begin(domains_.cpu, sim::action<&Dvfs::apply_cpu>(*this));
  begin(domains_.gpu, sim::action<&Dvfs::apply_gpu>(*this));
  begin(domains_.emc, sim::action<&Dvfs::apply_emc>(*this));
}

void Dvfs::apply_cpu() {
  take_effect(domains_.cpu);
  account_.meter().set_cpu_pulses(domains_.cpu.clocks.front().ceiling.ratio);
  Clocks clocks;
  for (const Clock& clock : domains_.cpu.clocks) clocks.clusters_hz.push_back(clock.hz);
  set(clocks, domains_.cpu);
}

void Dvfs::apply_gpu() {
  take_effect(domains_.gpu);
  const Clock& clock = domains_.gpu.clocks.front();
  account_.meter().set_gpu_pulses(clock.ceiling.ratio);
  set({.clusters_hz = {}, .gpu_hz = clock.hz}, domains_.gpu);
  emc_.raise_for_gpu(clock.hz);
}

void Dvfs::apply_emc() {
  take_effect(domains_.emc);
  set({.clusters_hz = {}, .emc_hz = domains_.emc.clocks.front().hz}, domains_.emc);
}

void Dvfs::take_effect(ClockDomain& domain) {
  account_.accrue();
  domain.apply();
}

void Dvfs::set(const Clocks& clocks, const ClockDomain& changed) {
  board_.set_clocks(clocks);
  controllers_.watch_current();
  if (sim::TraceSink* trace = engine_.trace()) changed.trace(*trace, engine_.now());
}

}  // namespace jostle::board
