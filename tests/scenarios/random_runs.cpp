// Whatever scenario is drawn, its run ends well and adds up.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace {

std::string pick(const std::vector<std::string>& words) {
  return *rc::gen::elementOf(words);
}

std::string random_arrivals() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return fmt::format(", arrivals: {{poisson: {} /s}}", *rc::gen::inRange(1, 500));
    case 1:
      return fmt::format(", arrivals: {{periodic: {} /s, queue: {}}}", *rc::gen::inRange(1, 500),
                         *rc::gen::inRange(1, 10));
    default:
      return {};
  }
}

std::string random_process() {
  const std::string rest =
      fmt::format(", runtime: {}, sync: {}, count: {}, nice: {}{}}}",
                  pick({"tensorrt", "cuda-graph", "eager"}), pick({"spin", "yield", "blocking", "auto"}),
                  *rc::gen::inRange(1, 3), pick({"0", "0", "-5", "10"}), random_arrivals());
  if (*rc::gen::inRange(0, 4) == 0) {
    const std::string pace =
        *rc::gen::arbitrary<bool>() ? fmt::format(", pace: {} us", *rc::gen::inRange(1, 200)) : "";
    return fmt::format("{{model: {{kernels: {}, duration: {} us, blocks: {}, threads: 128{}}}",
                       *rc::gen::inRange(1, 300), *rc::gen::inRange(1, 3000), *rc::gen::inRange(1, 2000),
                       pace) +
           rest;
  }
  return fmt::format("{{model: {}, precision: {}, batch: {}",
                     pick({"resnet50", "resnet50", "mobilenet_v2", "fcn_resnet50"}),
                     pick({"fp32", "fp16", "tf32", "int8"}), pick({"1", "2", "4", "7", "16"})) +
         rest;
}

std::string random_scenario() {
  const std::string cores = *rc::gen::arbitrary<bool>() ? "host_cores: 2\n" : "";
  std::string processes;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) processes += "  - " + random_process() + "\n";
  return "device: " + pick(gpu_devices()) + "\n" + cores + "processes:\n" + processes +
         fmt::format("run: {{duration: 400 ms, warmup: 100 ms, seed: {}}}\n", *rc::gen::inRange(1, 1000));
}

RC_GTEST_PROP(AnyRun, ends_well_and_adds_up, ()) {
  const std::string text = random_scenario();
  RC_LOG() << text;
  const Result result = run_text(text);
  const auto fits = [](const ProcessResult& process) { return process.status == "ok"; };
  RC_ASSERT((result.status == "ok") == std::ranges::all_of(result.processes, fits));
  if (std::ranges::none_of(result.processes, fits)) return;
  RC_ASSERT(result.simulated_s == 0.4);
  double running = 0;
  for (const ProcessResult& process : result.processes) {
    if (!fits(process)) continue;
    RC_ASSERT(process.time_share.has_value());
    double sum = 0;
    for (const double share : *process.time_share) {
      RC_ASSERT(share >= 0.0);
      sum += share;
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-9);
    running += (*process.time_share)[index_of(process::Share::gpu_running)];
    RC_ASSERT(process.drops >= 0);
    if (process.throughput.mean) RC_ASSERT(*process.throughput.mean > 0.0);
    if (process.throughput.ci95) {
      const double rounding = 1e-12 * *process.throughput.mean;
      RC_ASSERT(process.throughput.ci95->first <= *process.throughput.mean + rounding);
      RC_ASSERT(process.throughput.ci95->second >= *process.throughput.mean - rounding);
    }
    const Latency& latency = process.latency_ms;
    if (!latency.mean) continue;
    RC_ASSERT(*latency.p50 > 0.0);
    RC_ASSERT(*latency.p50 <= *latency.p90);
    RC_ASSERT(*latency.p90 <= *latency.p95);
    RC_ASSERT(*latency.p95 <= *latency.p99);
  }
  RC_ASSERT(std::abs(running - *result.system.gpu.busy) < 1e-9);
  RC_ASSERT(*result.system.gpu.busy <= *result.system.gpu.reported_load);
  RC_ASSERT(*result.system.gpu.reported_load <= 1 + 1e-9);
}

RC_GTEST_PROP(AnyRun, gives_the_same_bytes_again, ()) {
  const std::string text = random_scenario();
  RC_LOG() << text;
  RC_ASSERT(to_json(run_text(text)) == to_json(run_text(text)));
}

}  // namespace
}  // namespace jostle::scenarios::testing
