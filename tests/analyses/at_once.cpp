// Answers by the short ways against those by the long ones, over random cases: repeated batches against every
// kernel, and intervals of the draws that suffice against those of all. JOSTLE_RANDOM_SCENARIOS is the number
// of cases, by default what a minute takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "analyses/interval/interval.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

int cases(int usual) {
  const char* const asked = std::getenv("JOSTLE_RANDOM_SCENARIOS");
  return asked != nullptr ? std::atoi(asked) : usual;
}

struct Dice {
  sim::RandomStream random;
  int between(int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <std::size_t count>
  const char* of(const std::array<const char*, count>& words) {
    return words.at(static_cast<std::size_t>(between(0, static_cast<int>(count) - 1)));
  }
};

constexpr std::array networks{"resnet18",      "resnet50",        "mobilenet_v2",
                              "squeezenet1_1", "efficientnet_b0", "vgg16"};

std::string process(Dice& dice, const char* runtime, const std::string& more) {
  return fmt::format("  - {{model: {}, precision: fp16, batch: {}, runtime: {}{}}}\n", dice.of(networks),
                     1 << dice.between(0, 3), runtime, more);
}

// Streams of one process, or MPS clients, which keep the GPU busy.
std::string loops(Dice& dice, const char* run) {
  const bool mps = dice.between(0, 1) == 1;
  std::string text = fmt::format("device: nvidia-h200\nmps: {}\nrun: {}\nprocesses:\n", mps, run);
  constexpr std::array by_kernel{"tensorrt", "eager", "onnxruntime"};
  const char* const runtime = dice.between(0, 1) > 0 ? "cuda-graph" : dice.of(by_kernel);
  if (!mps) return text + process(dice, runtime, fmt::format(", streams: {}", dice.between(2, 5)));
  for (int left = dice.between(1, 3); left > 0; --left)
    text += process(dice, runtime, fmt::format(", count: {}", dice.between(1, 2)));
  return text;
}

// Processes that take turns, with cameras or without.
std::string turns(Dice& dice, const char* run) {
  constexpr std::array boards{"jetson-orin-nano-super", "jetson-agx-orin-64gb", "nvidia-h200"};
  std::string text = fmt::format("device: {}\nrun: {}\nprocesses:\n", dice.of(boards), run);
  for (int left = dice.between(1, 3); left > 0; --left) {
    const bool camera = dice.between(0, 1) == 1;
    const std::string rate = fmt::format(", arrivals: {{periodic: {} /s}}", dice.between(5, 20));
    text += process(dice, dice.between(0, 3) > 0 ? "tensorrt" : "eager", camera ? rate : "");
  }
  return text;
}

Scenario scenario(const std::string& text) {
  input::Problems problems;
  const auto read = parse_scenario({text, "test.yaml", {}}, shipped_catalogue(), {}, problems);
  if (!read) throw std::runtime_error(problems.text() + text);
  return *read;
}

double ratio(const Metric& a, const Metric& b) {
  return a && b && *b > 0 ? *a / *b : 1;
}

// How far results of two ways may be apart, and how many were further.
struct Apart {
  const char* of;
  double most, furthest = 0;
  int further = 0, all = 0;
  void note(double by, const std::string& text) {
    ++all;
    furthest = std::max(furthest, by);
    if (by <= most) return;
    ++further;
    fmt::print("{} {:.2f} % apart: {}", of, 100 * by, text);
  }
  void tell() const {
    fmt::print("{}: {} of {} beyond {} %, furthest {:.2f} %\n", of, further, all, 100 * most, 100 * furthest);
  }
};

TEST(Answers, of_repeated_batches_are_those_of_every_kernel) {
  Apart rates{"rate", 0.005}, middles{"p50", 0.005}, tails{"p99", 0.02};
  int repeated = 0;
  const int count = cases(8);
  for (int i = 0; i < count; ++i) {
    Dice dice{sim::RandomStream(static_cast<std::uint64_t>(i), "repeated")};
    const std::string text = loops(dice, "{duration: 1500 ms, warmup: 200 ms}");
    Scenario asked = scenario(text);
    const auto short_way = *run(asked, {});
    if (!(short_way.system.gpu.repeated > 0)) continue;
    ++repeated;
    asked.run.every_kernel = true;
    const auto long_way = *run(asked, {});
    for (std::size_t p = 0; p < long_way.processes.size(); ++p) {
      const ProcessResult &a = short_way.processes[p], &b = long_way.processes[p];
      rates.note(std::abs(ratio(a.throughput.mean, b.throughput.mean) - 1), text);
      middles.note(std::abs(ratio(a.latency_ms.p50, b.latency_ms.p50) - 1), text);
      tails.note(std::abs(ratio(a.latency_ms.p99, b.latency_ms.p99) - 1), text);
    }
  }
  for (const Apart* const each : {&rates, &middles, &tails}) {
    each->tell();
    EXPECT_LE(each->further, each->all / 10) << each->of;
  }
  EXPECT_GE(repeated, count / 4);
}

TEST(Answers, have_the_intervals_of_all_draws) {
  std::array<Apart, 4> ends{{{"rate", 0.03}, {"latency", 0.03}, {"p99", 0.03}, {"watts", 0.03}}};
  for (int i = 0; i < cases(12); ++i) {
    Dice dice{sim::RandomStream(static_cast<std::uint64_t>(i), "intervals")};
    const bool in_space = i % 6 == 0;
    const std::string text = in_space ? loops(dice, "{duration: 300 ms, warmup: 100 ms}")
                                      : turns(dice, "{duration: 1 s, warmup: 200 ms}");
    const Scenario asked = scenario(text);
    input::Problems problems;
    const auto known = *uncertain_profile(asked, problems);
    const auto with = [&](const DrawnRuns& runs) {
      Result result = runs.point;
      add_intervals(result, asked, known, spreads_of(asked, runs));
      return result;
    };
    const DrawnRuns all = drawn_runs({&asked, 1}, known, {})->front();
    const Result long_way = with(all), short_way = with(*drawn_runs(asked, known, all.point, {}));
    const auto compare = [&](Apart& apart, const Interval& a, const Interval& b) {
      EXPECT_EQ(a.has_value(), b.has_value()) << apart.of << ' ' << text;
      if (!a || !b) return;
      apart.note(std::max(std::abs(ratio(a->first, b->first) - 1), std::abs(ratio(a->second, b->second) - 1)),
                 text);
    };
    for (std::size_t p = 0; p < long_way.processes.size(); ++p) {
      const ProcessResult &a = short_way.processes[p], &b = long_way.processes[p];
      compare(ends[0], a.throughput.pi90, b.throughput.pi90);
      compare(ends[1], a.latency_ms.pi90.mean, b.latency_ms.pi90.mean);
      compare(ends[2], a.latency_ms.pi90.p99, b.latency_ms.pi90.p99);
    }
    compare(ends[3], short_way.system.power_w.pi90, long_way.system.power_w.pi90);
  }
  for (const Apart& each : ends) {
    each.tell();
    EXPECT_LE(each.further, each.all / 20) << each.of;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
