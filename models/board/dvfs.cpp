#include "models/board/dvfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

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

}  // namespace jostle::board
