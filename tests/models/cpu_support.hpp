// Small machines and loads that the CPU tests are built from.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "sim/engine.hpp"

namespace jostle::cpu {
// How GoogleTest names a case of a parameter.
inline void PrintTo(const NamedPolicy& policy, std::ostream* out) {
  *out << policy.name;
}
}  // namespace jostle::cpu

namespace jostle::cpu::test {

// One cluster of `cores` at 1 GHz without any cost, 250 Hz tick.
inline Spec machine(int cores, const SchedulerPolicy& policy) {
  Spec spec;
  spec.clusters.push_back({.name = "all", .cores = cores, .max_clock_hz = 1e9, .cache_bytes = 1e6});
  spec.scheduler = {.policy = &policy,
                    .tick = sim::milliseconds(4),
                    .latency = sim::milliseconds(6),
                    .min_granularity = sim::milliseconds(0.75),
                    .wakeup_granularity = sim::milliseconds(1),
                    .base_slice = sim::milliseconds(0.75),
                    .cache_hot_for = sim::milliseconds(0.5)};
  spec.costs.preempted_time_constant = sim::milliseconds(1);
  return spec;
}

// Two equal clusters.
inline Spec two_clusters(int cores_each, const SchedulerPolicy& policy) {
  Spec spec = machine(cores_each, policy);
  spec.clusters.push_back(spec.clusters.front());
  return spec;
}

// As Jetson TX2: two Denver cores, then four A57.
inline Spec tx2_like() {
  Spec spec = machine(2, cfs);
  spec.clusters.push_back(
      {.name = "small", .cores = 4, .capacity = 600, .max_clock_hz = 1e9, .cache_bytes = 1e6});
  return spec;
}

struct Host {
  explicit Host(const Spec& spec, const Confinement& confinement = {}, std::uint64_t seed = 1)
      : cpu(engine, spec, confinement, sim::RandomStream(seed, "tick")) {}

  void run_for(sim::Duration duration) { engine.run(engine.now() + duration); }
  // A thread that polls a flag nobody sets.
  ThreadId spinner(ThreadSpec spec = {}) {
    const ThreadId thread = cpu.create_thread(spec);
    engine.spawn(spin_for_ever(cpu, thread), spec.name, sim::Role::daemon);
    return thread;
  }
  ThreadId yielder(ThreadSpec spec = {}) {
    const ThreadId thread = cpu.create_thread(spec);
    engine.spawn(yield_for_ever(cpu, thread), spec.name, sim::Role::daemon);
    return thread;
  }
  // Works for `work`, sleeps for `pause`, `times` times; counts what it finished.
  ThreadId worker(sim::Duration work, sim::Duration pause, std::int64_t times, ThreadSpec spec = {}) {
    const ThreadId thread = cpu.create_thread(spec);
    engine.spawn(work_and_sleep(*this, thread, work, pause, times), spec.name, sim::Role::daemon);
    return thread;
  }
  [[nodiscard]] double share(ThreadId thread) const {
    const ThreadStatistics s = cpu.statistics(thread);
    return static_cast<double>(
               (s.in(State::on_core) + s.in(State::refilling) + s.in(State::switching)).ps()) /
           static_cast<double>(engine.now().ps());
  }

  sim::Engine engine;
  Cpu cpu;
  std::vector<sim::Time> finished;  // of every work item, in order

 private:
  static sim::Process spin_for_ever(Cpu& cpu, ThreadId thread) {
    Flag never;
    co_await cpu.spin(thread, never, sim::microseconds(1));
  }
  static sim::Process yield_for_ever(Cpu& cpu, ThreadId thread) {
    Flag never;
    co_await cpu.yield_spin(thread, never, sim::microseconds(1));
  }
  static sim::Process work_and_sleep(Host& host, ThreadId thread, sim::Duration work, sim::Duration pause,
                                     std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      co_await host.cpu.run(thread, work);
      host.finished.push_back(host.engine.now());
      if (pause > sim::Duration::zero()) co_await host.cpu.sleep_until(thread, host.engine.now() + pause);
    }
    host.cpu.retire(thread);
  }
};

}  // namespace jostle::cpu::test
