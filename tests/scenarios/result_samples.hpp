// A result with something in every place, for tests of what is made of results.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::scenarios::test {

inline Result sample_result() {
  ProcessResult process;
  process.index = 0;
  process.model = "resnet50";
  process.precision = "fp16";
  process.batch = 4;
  process.runtime = "cuda-graph";
  process.grades = {.kernels = "measured", .sharing = "fitted", .power = {}};
  process.throughput = {2143.4, {{2139.0, 2147.8}}, std::nullopt};
  process.latency_ms.mean = 3.7;
  process.latency_ms.p50 = 3.69;
  process.latency_ms.p90 = 3.8;
  process.latency_ms.p95 = 3.85;
  process.latency_ms.p99 = 3.9;
  process.ec_ms = {1.2, 0.9, 0.1, 0.2, 0.0};
  process.sync_ms = 2.5;
  process.time_share = TimeShare{0.5, 0.05, 0.3, 0, 0, 0, 0, 0.05, 0.05, 0, 0.04, 0.01};
  process.gpu_running_by = {0.6, 0.3, 0.1, 0.0};
  process.memory_mb = 512;
  process.memory = {440, 52, 12, 8, 142};

  ProcessResult failed;
  failed.index = 1;
  failed.entry = 1;
  failed.name = "front, \"left\"";
  failed.model = "synthetic";
  failed.runtime = "eager";
  failed.status = "out_of_memory";
  failed.grades.kernels = "datasheet";
  failed.problem = "does not fit into memory: 12 MB short, at its engine";

  Result result;
  result.scenario = "cameras at the gate";
  result.scenario_hash = "0123456789abcdef";
  result.device = "nvidia-h200";
  result.profile_hash = "fedcba9876543210";
  result.seed = 7;
  result.simulated_s = 4;
  result.status = "out_of_memory";
  result.processes = {process, failed};
  result.system.throughput = 2143.4;
  result.system.memory = {1512, 7620, 0.02, std::nullopt, 1512, std::nullopt};
  result.system.gpu.busy = 0.982;
  result.system.gpu.switches_per_s = 481.5;
  result.system.cpu.busy_cores = 1.25;
  return result;
}

}  // namespace jostle::scenarios::test
