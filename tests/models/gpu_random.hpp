// Random boards and processes for the properties of models/gpu and models/process.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/cpu/spec.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {

// Some odd number of picoseconds up to `most`; zero now and then.
inline sim::Duration any_duration(sim::Duration most) {
  if (*rc::gen::inRange(0, 5) == 0) return sim::Duration::zero();
  return sim::Duration{*rc::gen::inRange<std::int64_t>(1, most.ps() + 1)};
}
inline sim::Duration some_duration(sim::Duration least, sim::Duration most) {
  return sim::Duration{*rc::gen::inRange<std::int64_t>(least.ps(), most.ps() + 1)};
}

inline gpu::KernelSequence any_kernels() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 25);
  const sim::Duration most =
      *rc::gen::element(sim::microseconds(4), sim::microseconds(40), sim::microseconds(900));
  const bool memory = *rc::gen::arbitrary<bool>();
  std::vector<gpu::Kernel> kernels;
  for (std::size_t i = 0; i < count; ++i) {
    kernels.push_back({.duration = some_duration(sim::Duration{1000}, most),
                       .compute_share = 0.5F,
                       .memory_share = memory ? 0.25F : 0.0F,
                       .fixed_share = memory ? 0.25F : 0.5F,
                       .blocks = *rc::gen::inRange(1U, 900U),
                       .threads_per_block = *rc::gen::element(32U, 128U, 500U),
                       .sm_active = *rc::gen::element(0.25F, 0.75F, 1.0F),
                       .issue_slot = *rc::gen::element(0.0F, 0.2F),
                       .tensor_active = *rc::gen::element(0.0F, 0.1F),
                       .occupancy = 0.125F,
                       .dram_bytes = *rc::gen::element(0.0F, 1e6F)});
  }
  gpu::KernelSequence made = sequence(std::move(kernels));
  made.lone_gap = any_duration(sim::microseconds(100));
  made.launched_whole = *rc::gen::arbitrary<bool>();
  return made;
}

// Changes of the GPU's rates in the first `span`: between few values, as governors make them, or to any.
inline std::vector<RateChange> any_rate_changes(sim::Duration span) {
  const auto any_rate = [] { return static_cast<double>(*rc::gen::inRange(1, 41)) / 20; };
  std::vector<Rates> few = {{}, {any_rate(), 1}, {any_rate(), any_rate()}};
  const auto count = *rc::gen::element(0, 3, 30, 200);
  const bool any = *rc::gen::arbitrary<bool>();
  std::vector<RateChange> changes;
  for (int i = 0; i < count; ++i)
    changes.push_back({sim::Time::zero() + any_duration(span),
                       any ? Rates{any_rate(), any_rate()} : few.at(*rc::gen::inRange<std::size_t>(0, 3))});
  return changes;
}

inline process::RuntimeSpec any_runtime() {
  return {.per_launch = any_duration(sim::microseconds(30)),
          .per_batch = any_duration(sim::microseconds(200)),
          .per_node = any_duration(sim::microseconds(1)),
          .gap_beyond_tables = {},
          .api_share = 0.5,
          .gpu_per_launch = any_duration(sim::microseconds(4)),
          // Without variation equal processes move in step, and then ties decide.
          .variation = *rc::gen::element(0.05, 0.3),
          .working_set_bytes = *rc::gen::element(0.0, 5e5)};
}

inline board::DeviceSpec any_device() {
  board::DeviceSpec device = free_device(*rc::gen::inRange(1, 5));
  device.cpu->scheduler.policy = *rc::gen::element(&cpu::cfs, &cpu::eevdf);
  device.cpu->costs.context_switch = any_duration(sim::microseconds(5));
  device.cpu->costs.preempted = any_duration(sim::microseconds(100));
  device.cpu->costs.migrated_within = any_duration(sim::microseconds(50));
  TimeSlicing& slicing = device.gpu.time_slicing;
  slicing.slice = some_duration(sim::microseconds(150), sim::milliseconds(2.2));
  slicing.slice_jitter = any_duration(sim::microseconds(20));
  slicing.switch_when_idle = any_duration(sim::microseconds(200));
  slicing.switch_at_expiry = any_duration(sim::microseconds(250));
  slicing.state_bandwidth_bytes_per_s = *rc::gen::element(0.0, 60e9);
  slicing.restart_after_expiry = any_duration(sim::microseconds(30));
  slicing.refill_after_expiry = any_duration(sim::microseconds(70));
  slicing.hold_when_idle =
      *rc::gen::element(0, 1) == 0 ? sim::Duration::zero() : any_duration(sim::milliseconds(1));
  slicing.granularity = *rc::gen::element(PreemptionGranularity::instruction,
                                          PreemptionGranularity::thread_block, PreemptionGranularity::kernel);
  if (*rc::gen::arbitrary<bool>())
    device.gpu.idle_wake = {any_duration(sim::milliseconds(2)), any_duration(sim::microseconds(300))};
  device.gpu.copy_bandwidth_bytes_per_s = *rc::gen::element(0.0, 10e9);
  device.gpu.copy_fixed = any_duration(sim::microseconds(5));
  device.runtimes[process::Runtime::cuda_graph] = any_runtime();
  device.runtimes[process::Runtime::eager] = any_runtime();
  device.runtimes[process::Runtime::tensorrt] = any_runtime();
  device.paced = any_runtime();
  device.sync = {.poll = any_duration(sim::microseconds(2)),
                 .wake_latency = any_duration(sim::microseconds(30)),
                 .before_sleep = any_duration(sim::microseconds(5))};
  device.follow_up.graph_of_kernels_spinning = *rc::gen::arbitrary<bool>();
  device.follow_up.launches_spinning = *rc::gen::arbitrary<bool>();
  device.follow_up.paced_launches_spinning = *rc::gen::arbitrary<bool>();
  return device;
}

inline process::Spec any_process() {
  process::Spec spec;
  spec.runtime =
      *rc::gen::element(process::Runtime::cuda_graph, process::Runtime::eager, process::Runtime::tensorrt);
  spec.sync = *rc::gen::element(process::Sync::spin, process::Sync::yield, process::Sync::blocking);
  spec.kernels = any_kernels();
  spec.input_bytes = *rc::gen::element(0.0, 6e5);
  spec.output_bytes = *rc::gen::element(0.0, 4e3);
  if (*rc::gen::inRange(0, 4) == 0) spec.pace = some_duration(sim::microseconds(1), sim::microseconds(40));
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      spec.arrivals = {.kind = process::ArrivalKind::periodic,
                       .rate_per_s = *rc::gen::element(97.0, 413.0, 2003.0),
                       .phase = {},
                       .times = {},
                       .queue_limit = {}};
      break;
    case 1:
      spec.arrivals = {.kind = process::ArrivalKind::poisson,
                       .rate_per_s = *rc::gen::element(100.0, 500.0, 2000.0),
                       .phase = {},
                       .times = {},
                       .queue_limit = 3};
      break;
    default:
      break;
  }
  return spec;
}

}  // namespace jostle::gpu::test
