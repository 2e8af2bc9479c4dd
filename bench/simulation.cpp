// How fast whole scenarios are simulated: seconds on the board per second here, on one core.
//
// Assembled once (profile, kernel tables); the board is set up in each iteration, as a run does.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {
namespace {

// Processes on three cores of the measured host, spinning.
Scenario on_h200(const Model& model, Runtime runtime, std::int64_t count) {
  ProcessEntry entry;
  entry.work.model = model;
  if (std::holds_alternative<BuiltInModel>(model)) entry.work.precision = Precision::fp16;
  entry.count = count;
  entry.host.runtime = runtime;
  entry.host.sync = Sync::spin;
  Scenario scenario;
  scenario.device = "nvidia-h200";
  scenario.host_cores = 3;
  scenario.processes.push_back(entry);
  return scenario;
}

profiles::Profile profile_of(const std::string& device) {
  input::Problems problems;
  const auto text = profiles::device_text(device);
  auto profile = profiles::parse_profile(text.value_or(""), device, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return *std::move(profile);
}

void simulate(benchmark::State& state, const Scenario& scenario) {
  const Assembly assembly = assemble(scenario, profile_of(scenario.device));
  const sim::Duration span = sim::seconds(20);
  double simulated = 0, steps = 0;
  for (auto _ : state) {
    sim::Engine engine;
    board::Board board(engine, assembly.device, assembly.setup);
    engine.run(sim::Time::zero() + span);
    board.settle();
    simulated += sim::to_seconds(span);
    steps += static_cast<double>(engine.steps());
  }
  state.counters["simulated_s_per_s"] = benchmark::Counter(simulated, benchmark::Counter::kIsRate);
  state.counters["steps_per_simulated_s"] = steps / simulated;
}

// By the number of processes: resnet50, one image a batch.
void resnet50_as_cuda_graphs(benchmark::State& state) {
  simulate(state, on_h200(BuiltInModel{"resnet50"}, Runtime::cuda_graph, state.range(0)));
}
BENCHMARK(resnet50_as_cuda_graphs)->Arg(8)->Arg(32)->Arg(128)->Unit(benchmark::kMillisecond);

void resnet50_eager(benchmark::State& state) {
  simulate(state, on_h200(BuiltInModel{"resnet50"}, Runtime::eager, state.range(0)));
}
BENCHMARK(resnet50_eager)->Arg(8)->Arg(32)->Arg(128)->Unit(benchmark::kMillisecond);

// By the number of kernels a batch, of 5 us each: eight processes.
void kernels_eager(benchmark::State& state) {
  const SyntheticModel model{.kernels = state.range(0), .duration = sim::microseconds(5), .pace = {}};
  simulate(state, on_h200(model, Runtime::eager, 8));
}
BENCHMARK(kernels_eager)->Arg(200)->Arg(2000)->Arg(20000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jostle::scenarios
