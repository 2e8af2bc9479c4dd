// Batches whose kernels run alone on the GPU shared in space: that these are not simulated one by one changes
// nothing. An observer of kernels, who sees each of them, is the reference.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/gpu/space_sharing.hpp"
#include "tests/models/gpu_random.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test::alone {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::Time;

enum class What : std::uint8_t { graph, kernels, reading, rates };
struct Event {
  Time at;
  What what = What::graph;
  std::size_t context = 0, kernels = 0;
  Rates rates = {};
};

// The readings and ends of batches, in their order.
struct Seen {
  std::vector<std::int64_t> times;
  std::vector<double> amounts;

  void add(const Usage& used) {
    for (const double amount : {used.compute, used.memory, used.sm_active, used.working, used.dram_bytes})
      amounts.push_back(amount);
  }
};

Spec spec_of(int sms) {
  Spec spec = free_device(4).gpu;
  spec.sm_count = sms;
  spec.l2_bytes = 1e6;
  spec.bandwidth_bytes_per_s = 1e12;
  spec.space_sharing.kernel_start = sim::nanoseconds(300);
  spec.space_sharing.fetch = sim::nanoseconds(200);
  spec.space_sharing.foreign_fetch = sim::nanoseconds(500);
  spec.space_sharing.block_turnover = sim::nanoseconds(700);
  spec.space_sharing.miss_latency = 1.5;
  spec.space_sharing.mps_kernel = sim::nanoseconds(250);
  spec.space_sharing.mps_cold_code = sim::nanoseconds(900);
  return spec;
}

Seen what_is_seen(SpaceOf space, const std::vector<KernelSequence>& sequences,
                  const std::vector<Event>& events, std::size_t contexts, bool each_kernel) {
  sim::Engine engine;
  SpaceSharedGpu gpu(engine, spec_of(8), space);
  KernelObserver observer;
  observer.finished = [](void*, ContextId, Time, Time) {};
  if (each_kernel) gpu.set_observer(observer);
  Seen seen;
  struct Told {
    sim::Engine& engine;
    Seen& seen;
  } told{engine, seen};
  std::vector<ContextId> ids;
  for (std::size_t i = 0; i < contexts; ++i) {
    ids.push_back(
        gpu.create_context({.name = "process",
                            .follow_up_prolongs_turn = true,
                            .per_launch = sim::nanoseconds(400),
                            .group = space == SpaceOf::all_processes ? static_cast<std::uint32_t>(i) : 0U,
                            .functions = static_cast<std::uint32_t>(i),
                            .listener = {.batch_seen =
                                             [](void* self) {
                                               auto& to = *static_cast<Told*>(self);
                                               to.seen.times.push_back((to.engine.now() - Time::zero()).ps());
                                             },
                                         .context = &told}}));
  }
  for (const Event& event : events) {
    engine.run(event.at);
    if (event.what == What::graph) {
      gpu.enqueue(ids[event.context], sequences[event.kernels], false);
    } else if (event.what == What::kernels) {
      gpu.begin_launches(ids[event.context], sequences[event.kernels], {}, false);
      gpu.finish_launches(ids[event.context]);
    } else if (event.what == What::rates) {
      gpu.set_rates(event.rates);
    } else {
      seen.add(gpu.used());
      seen.times.push_back(gpu.busy().ps());
      seen.times.push_back(gpu.running_time(ids[event.context]).ps());
      seen.times.push_back(gpu.process_running_time(ids[event.context]).ps());
    }
  }
  engine.run(Time::zero() + sim::seconds(10));
  seen.times.push_back(gpu.busy().ps());
  seen.add(gpu.used());
  return seen;
}

struct Mix {
  SpaceOf space = *rc::gen::element(SpaceOf::each_process, SpaceOf::all_processes);
  std::size_t contexts = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<KernelSequence> sequences = {};
  std::vector<Event> events = {};
};

Mix any_mix() {
  Mix mix;
  auto& [space, contexts, sequences, events] = mix;
  for (int i = 0; i < 3; ++i) {
    sequences.push_back(any_kernels());
    for (Kernel& kernel : sequences.back().kernels) {
      kernel.moved_bytes = *rc::gen::element(0.0F, 5e5F, 2e6F);
      kernel.dram_bytes = kernel.moved_bytes * *rc::gen::element(0.0F, 0.5F, 1.0F);
      kernel.code = *rc::gen::inRange(0U, 20U);
      kernel.persistent = *rc::gen::inRange(0, 4) == 0;
      if (kernel.persistent) kernel.tiles = *rc::gen::inRange(0U, 60U);
    }
    note_reuse(sequences.back().kernels);
    note_same_functions(sequences.back().kernels);
    sequences.back().rebuild_finish();
  }
  const Duration span = sim::milliseconds(*rc::gen::element(1, 10, 60));
  const int count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    Event event{.at = Time::zero() + some_duration(Duration{1}, span)};
    event.what = *rc::gen::element(What::graph, What::kernels, What::reading, What::rates);
    event.context = *rc::gen::inRange<std::size_t>(0, contexts);
    event.kernels = *rc::gen::inRange<std::size_t>(0, 3);
    if (event.what == What::rates) event.rates.clock = static_cast<double>(*rc::gen::inRange(5, 21)) / 20;
    events.push_back(event);
  }
  std::ranges::stable_sort(events, {}, &Event::at);
  return mix;
}

RC_GTEST_PROP(RunningAlone, changes_nothing, ()) {
  const Mix mix = any_mix();
  const Seen one_by_one = what_is_seen(mix.space, mix.sequences, mix.events, mix.contexts, true);
  const Seen alone = what_is_seen(mix.space, mix.sequences, mix.events, mix.contexts, false);
  RC_ASSERT(alone.times == one_by_one.times);
  RC_ASSERT(alone.amounts == one_by_one.amounts);
}

// Not even in the last bit.
RC_GTEST_PROP(Readings, change_no_sum, ()) {
  Mix mix = any_mix();
  const bool each_kernel = *rc::gen::arbitrary<bool>();
  Seen read = what_is_seen(mix.space, mix.sequences, mix.events, mix.contexts, each_kernel);
  std::erase_if(mix.events, [](const Event& event) { return event.what == What::reading; });
  const Seen unread = what_is_seen(mix.space, mix.sequences, mix.events, mix.contexts, each_kernel);
  read.amounts.erase(read.amounts.begin(), read.amounts.end() - 5);
  RC_ASSERT(read.amounts == unread.amounts);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test::alone
