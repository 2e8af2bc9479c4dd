// How fast whole scenarios are simulated: seconds on the board per second here, on one core.
//
// Assembled once (profile, kernel tables); the board is set up in each iteration, as a run does.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>

#include "calibration/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {
namespace {

// Eight processes of resnet50, one image a batch, on three cores of the measured host, spinning.
Scenario eight_resnets(Runtime runtime) {
  ProcessEntry entry;
  entry.model = BuiltInModel{"resnet50"};
  entry.precision = Precision::fp16;
  entry.count = 8;
  entry.runtime = runtime;
  entry.sync = Sync::spin;
  Scenario scenario;
  scenario.device = "nvidia-h200";
  scenario.host_cores = 3;
  scenario.processes.push_back(entry);
  return scenario;
}

calibration::Profile profile_of(const std::string& device) {
  input::Problems problems;
  const auto text = calibration::device_text(device);
  auto profile = calibration::parse_profile(text.value_or(""), device, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return *std::move(profile);
}

void simulate(benchmark::State& state, Runtime runtime) {
  const Scenario scenario = eight_resnets(runtime);
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

void eight_resnet50_as_cuda_graphs(benchmark::State& state) {
  simulate(state, Runtime::cuda_graph);
}
BENCHMARK(eight_resnet50_as_cuda_graphs)->Unit(benchmark::kMillisecond);

void eight_resnet50_eager(benchmark::State& state) {
  simulate(state, Runtime::eager);
}
BENCHMARK(eight_resnet50_eager)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jostle::scenarios
