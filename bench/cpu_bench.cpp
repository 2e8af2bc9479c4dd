// How fast the CPU model is: simulated seconds per second, with spinners and with threads that work and
// sleep.
#include <benchmark/benchmark.h>

#include <string>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

// The H200 host: 16 cores, EEVDF, 250 Hz, with plausible costs.
Spec host_spec() {
  Spec spec;
  spec.clusters.push_back({.name = "all", .cores = 16, .max_clock_hz = 2.1e9, .cache_bytes = 2e6});
  spec.scheduler = {.policy = &eevdf,
                    .tick = sim::milliseconds(4),
                    .base_slice = sim::milliseconds(0.75),
                    .cache_hot_for = sim::milliseconds(0.5)};
  spec.costs = {.context_switch = sim::microseconds(2),
                .preempted = sim::microseconds(50),
                .preempted_time_constant = sim::milliseconds(1),
                .migrated_within = sim::microseconds(50),
                .migrated_across = sim::microseconds(100)};
  return spec;
}

sim::Process spin(Cpu& cpu, ThreadId thread) {
  Flag never;
  co_await cpu.spin(thread, never, sim::microseconds(1));
}

sim::Process work_and_sleep(sim::Engine& engine, Cpu& cpu, ThreadId thread) {
  for (;;) {
    co_await cpu.run(thread, sim::microseconds(300));
    co_await cpu.sleep_until(thread, engine.now() + sim::microseconds(500));
  }
}

template <class Start>
void simulate(benchmark::State& state, int cores, Start&& start) {
  sim::Engine engine;
  Confinement confinement;
  for (int i = 0; i < cores; ++i) confinement.allowed.push_back(i);
  Cpu cpu(engine, host_spec(), confinement, sim::RandomStream(1, "tick"));
  for (int i = 0; i < state.range(0); ++i) {
    const ThreadId thread = cpu.create_thread({.name = std::to_string(i), .working_set_bytes = 1e6});
    engine.spawn(start(engine, cpu, thread), std::to_string(i), sim::Role::daemon);
  }
  double simulated = 0;
  for (auto _ : state) {
    engine.run(engine.now() + sim::seconds(10));
    simulated += 10;
  }
  state.counters["simulated_s_per_s"] = benchmark::Counter(simulated, benchmark::Counter::kIsRate);
  state.counters["steps_per_simulated_s"] = static_cast<double>(engine.steps()) / simulated;
}

void spinners_on_three_cores(benchmark::State& state) {
  simulate(state, 3, [](sim::Engine&, Cpu& cpu, ThreadId thread) { return spin(cpu, thread); });
}
BENCHMARK(spinners_on_three_cores)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

void workers_on_three_cores(benchmark::State& state) {
  simulate(state, 3, [](sim::Engine& engine, Cpu& cpu, ThreadId thread) {
    return work_and_sleep(engine, cpu, thread);
  });
}
BENCHMARK(workers_on_three_cores)->Arg(3)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jostle::cpu
