// Laws that compare runs: the same bytes again, and more of something that never serves less.
//
// Clocks are pinned: with more work or faster parts a governor may choose others.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/sanitized.hpp"
#include "tests/scenarios/invariants/generator.hpp"
#include "tests/scenarios/invariants/laws.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

const std::vector<std::string>& processes() {
  static const std::vector<std::string> kinds{
      "{model: resnet50, precision: fp16}",
      "{model: mobilenet_v2, precision: fp16, batch: 4, runtime: cuda-graph, sync: spin}",
      "{model: resnet18, precision: fp32, runtime: eager}",
      "{model: alexnet, precision: fp32, batch: 8, runtime: libtorch, sync: blocking}",
      "{model: {kernels: 50, duration: 30 us, blocks: 16, threads: 128}, runtime: cuda-graph}",
  };
  return kinds;
}

std::string pinned(const std::string& device, double gpu_hz = 0) {
  const bool scales = device.starts_with("jetson");
  std::string text = "device: " + device + (scales ? "\njetson_clocks: true\n" : "\n");
  if (gpu_hz > 0) text += fmt::format("clocks: {{gpu: {} MHz}}\n", gpu_hz / 1e6);
  return text;
}

// Images/s of all; 0 where so few batches were done that nobody knows.
double served(const std::string& text) {
  return run_text(text).system.throughput.value_or(0);
}

// By a controller that protects the board.
bool held_down(const Result& result) {
  return std::ranges::any_of(result.system.limited_share, [](const auto& cause) {
    return cause.first != "power_mode" && cause.second > 0;
  });
}

const std::string shortly = "\nrun: {duration: 500 ms, warmup: 200 ms}\n";

TEST(Comparison, the_same_scenario_gives_the_same_bytes) {
  for (std::uint64_t number = 0; number < (sanitized ? 10 : 30); ++number) {
    const std::string text = draft(5'000'000 + number).text();
    std::string once;
    try {
      once = to_json(run_text(text));
    } catch (const std::runtime_error&) {
      continue;  // not valid
    }
    EXPECT_EQ(to_json(run_text(text)), once) << text;
  }
}

// A timeline that keeps nothing.
struct NoTimeline final : sim::TraceSink {
  sim::TrackId track(std::string_view, sim::TrackId) override { return sim::TrackId{1}; }
  sim::TrackId counter(std::string_view, std::string_view, sim::TrackId) override { return sim::TrackId{1}; }
  void begin(sim::TrackId, sim::Time, std::string_view) override {}
  void end(sim::TrackId, sim::Time) override {}
  void slice(sim::TrackId, sim::Time, sim::Duration, std::string_view) override {}
  void count(sim::TrackId, sim::Time, double) override {}
};

// The result without what only one of them tells: windows, and which scenario it is.
std::string figures_of(Result result) {
  result.scenario_hash.clear();
  result.resolved.clear();
  result.system.gpu.windows.reset();
  for (ProcessResult& process : result.processes) process.gpu_windows.reset();
  return to_json(result);
}

// Readings in the midst of a kernel change no sum. With windows every kernel is simulated.
TEST(Comparison, a_timeline_and_windows_change_no_bit_of_a_result) {
  int compared = 0;
  for (std::uint64_t number = 0; number < (sanitized ? 10 : 50); ++number) {
    const std::optional<Scenario> drawn = loaded(draft(6'000'000 + number).text());
    if (!drawn || drawn->run.replications > 1) continue;
    SCOPED_TRACE(draft(6'000'000 + number).text());
    NoTimeline timeline;
    RunControl traced;
    traced.trace = &timeline;
    Scenario scenario = *drawn;
    EXPECT_EQ(figures_of(run(scenario, traced).value()), figures_of(run(scenario, RunControl{}).value()));
    scenario.gpu_metrics.reset();
    scenario.run.every_kernel = true;
    const std::string without = figures_of(run(scenario, RunControl{}).value());
    scenario.gpu_metrics = sim::microseconds(137);
    EXPECT_EQ(figures_of(run(scenario, RunControl{}).value()), without);
    ++compared;
  }
  EXPECT_GE(compared, sanitized ? 3 : 15);
}

TEST(Comparison, a_longer_run_of_a_stable_load_agrees) {
  for (const std::string& device : gpu_devices()) {
    for (const std::string& process : processes()) {
      const std::string text = pinned(device) + "processes: [" + process + "]\n";
      const double brief = served(text + "run: {duration: 1 s, warmup: 200 ms}\n");
      EXPECT_NEAR(brief, served(text + "run: {duration: 4 s, warmup: 200 ms}\n"), 0.02 * brief) << text;
    }
  }
}

TEST(Comparison, a_longer_run_serves_a_random_load_at_the_rate_offered) {
  const std::string text =
      pinned("jetson-orin-nano") +
      "processes: [{model: resnet18, precision: fp16, count: 2, arrivals: {poisson: 100 /s}}]\n";
  for (const double seconds : {0.5, 2.0, 8.0}) {
    const double noise = 5 * std::sqrt(200 / seconds);
    EXPECT_NEAR(served(text + fmt::format("run: {{duration: {} ms, warmup: 200 ms}}\n", 1e3 * seconds)), 200,
                noise);
  }
}

TEST(Comparison, a_higher_clock_of_the_gpu_does_not_serve_less) {
  for (const std::string& device : gpu_devices()) {
    const board::DeviceSpec spec =
        device_of(scenario_of(pinned(device) + "processes: [" + processes()[0] + "]"));
    for (const std::string& process : processes()) {
      double before = 0;
      for (const double hz : spec.gpu.clock_table_hz) {
        const std::string text = pinned(device, hz) + "processes: [" + process + "]" + shortly;
        const Result result = run_text(text);
        if (held_down(result)) break;  // Xavier's over-current alarm lowers clocks that are pinned, too
        const double now = result.system.throughput.value_or(0);
        EXPECT_GE(now, 0.99 * before) << text;
        before = now;
      }
    }
  }
}

TEST(Comparison, more_bandwidth_of_a_link_does_not_serve_less) {
  for (const std::string arrivals : {"", ", arrivals: {periodic: 60 /s}", ", arrivals: {poisson: 60 /s}"}) {
    double before = 0;
    for (const int mbit : {1, 5, 20, 40, 80, 160, 1000}) {
      const std::string text =
          pinned("jetson-orin-nano") +
          fmt::format("link: {{bandwidth: {} Mbit/s, rtt: 10 ms, jitter: 2 ms, loss: 1 %}}\n", mbit) +
          "processes: [{model: resnet18, precision: fp16, count: 2" + arrivals + "}]" +
          "\nrun: {duration: 2 s, warmup: 0 s}\n";
      const double now = served(text);
      EXPECT_GE(now, 0.99 * before) << text;
      before = now;
    }
  }
}

TEST(Comparison, one_more_process_does_not_let_the_others_serve_more) {
  for (const std::string device : {"jetson-orin-nano", "jetson-tx2", "nvidia-h200"}) {
    for (const std::string& first : processes()) {
      const double alone = served(pinned(device) + "processes: [" + first + "]" + shortly);
      for (const std::string& second : processes()) {
        const std::string text = pinned(device) + "processes: [" + first + ", " + second + "]" + shortly;
        EXPECT_LE(run_text(text).processes[0].throughput.mean.value(), 1.01 * alone) << text;
      }
    }
  }
}

TEST(Comparison, a_higher_load_waits_longer) {
  double before = 0;
  for (const int rate : {50, 100, 200, 300, 350}) {
    const std::string text =
        pinned("nvidia-h200") +
        "processes: [{model: {kernels: 4, duration: 500 us, blocks: 200, threads: 128}, " +
        fmt::format("arrivals: {{poisson: {} /s}}}}]", rate) + "\nrun: {duration: 20 s, warmup: 200 ms}\n";
    const double mean = run_text(text).processes[0].latency_ms.mean.value();
    EXPECT_GT(mean, before) << text;
    before = mean;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
