#include "models/process/collector.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/process.hpp"
#include "sim/random.hpp"

namespace jostle::process {
namespace {

sim::Process collect(sim::Engine& engine, cpu::Cpu& cpu, cpu::ThreadId thread, sim::Time at,
                     ObserverSpec observer) {
  for (;;) {
    co_await cpu.sleep_until(thread, at);
    co_await cpu.run(thread, observer.per_interval);
    at = std::max(at + observer.interval, engine.now());
  }
}

}  // namespace

void spawn_collector(sim::Engine& engine, cpu::Cpu& cpu, const ObserverSpec& observer, const Spec& spec,
                     const Identity& identity) {
  if (observer.interval <= sim::Duration::zero()) return;
  sim::RandomStream random = identity.random("collector");
  const std::string name = fmt::format("{} collector", spec.name);
  const cpu::ThreadId thread = cpu.create_thread({.name = name, .cpus = spec.cpus, .nice = spec.nice});
  const sim::Time first = engine.now() + sim::work_in(observer.interval, random.uniform());
  engine.spawn(collect(engine, cpu, thread, first, observer), name, sim::Role::daemon);
}

}  // namespace jostle::process
