// How long a full sweep of clocks takes: every pair of CPU and GPU clocks of a Xavier NX, 3 200 inferences at
// each, from the scenario to the result, on all cores of this machine.
#include <benchmark/benchmark.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {
namespace {

constexpr const char* board = "jetson-xavier-nx";
constexpr std::int64_t batch = 16, inferences = 3200;

profiles::Profile profile_of(const char* device) {
  input::Problems problems;
  auto profile = profiles::parse_profile(profiles::device_text(device).value_or(""), device, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return *std::move(profile);
}

std::vector<Scenario> points(const profiles::Profile& profile, const char* network) {
  ProcessEntry entry;
  entry.work.model = BuiltInModel{network};
  entry.work.precision = Precision::fp16;
  entry.work.batch = batch;
  std::vector<Scenario> all;
  for (const double cpu_hz : profile.spec->cpu.clusters.front().clock_table_hz) {
    for (const double gpu_hz : profile.spec->gpu.clock_table_hz) {
      Scenario& point = all.emplace_back();
      point.device = board;
      point.clocks.cpu_hz = cpu_hz;
      point.clocks.gpu_hz = gpu_hz;
      point.processes = {entry};
      point.run.batches = inferences / batch;
    }
  }
  return all;
}

void full_sweep_of_clocks(benchmark::State& state, const char* network) {
  const profiles::Profile profile = profile_of(board);
  const std::vector<Scenario> all = points(profile, network);
  for (auto _ : state) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < all.size(); i = next++)
        benchmark::DoNotOptimize(run(all[i], profile, RunControl{}));
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
    work();
  }
  state.counters["points"] = static_cast<double>(all.size());
}
BENCHMARK_CAPTURE(full_sweep_of_clocks, mobilenet_v2, "mobilenet_v2")
    ->Unit(benchmark::kSecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(full_sweep_of_clocks, resnet50, "resnet50")->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace jostle::scenarios
