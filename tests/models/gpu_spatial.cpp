// The GPU shared in space: a lone process is as on the GPU shared in time; several get what the law says.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/gpu/spatial_sharing.hpp"
#include "models/process/inference.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;

gpu::Kernel kernel(Duration duration, float sms, float memory = 0) {
  gpu::Kernel made{.duration = duration};
  made.sm_active = sms;
  made.memory_share = memory;
  made.compute_share = 1 - memory;
  return made;
}

struct Shared {
  explicit Shared(const Spec& spec = free_device(4).gpu) : gpu(engine, spec) {}
  ContextId context() {
    return gpu.create_context({.name = "process",
                               .refill_prolongs_turn = true,
                               .per_launch = per_launch,
                               .listener = {.batch_seen =
                                                [](void* self) {
                                                  auto& shared = *static_cast<Shared*>(self);
                                                  shared.seen.push_back(shared.engine.now());
                                                },
                                            .context = this}});
  }

  sim::Engine engine;
  SpatiallySharedGpu gpu;
  Duration per_launch;
  std::vector<sim::Time> seen;
};

constexpr sim::Time instant(Duration since_start) {
  return sim::Time::zero() + since_start;
}

TEST(SpatialSharing, runs_kernels_that_fit_beside_each_other_at_full_speed) {
  Shared shared;
  const auto kernels = sequence({kernel(microseconds(30), 0.5), kernel(microseconds(10), 0.5)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(sim::milliseconds(10)));
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(40)), instant(microseconds(40))}));
  EXPECT_EQ(shared.gpu.busy(), microseconds(40));
}

TEST(SpatialSharing, shares_the_sms_where_each_would_take_all) {
  Shared shared;
  const auto longer = sequence({kernel(microseconds(30), 1)}),
             shorter = sequence({kernel(microseconds(10), 1)});
  const ContextId a = shared.context(), b = shared.context();
  shared.gpu.enqueue(a, longer, false);
  shared.gpu.enqueue(b, shorter, false);
  shared.engine.run(instant(sim::milliseconds(10)));
  // Both at half speed for 20 us, then the longer alone.
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(20)), instant(microseconds(40))}));
  EXPECT_EQ(shared.gpu.running_time(a), microseconds(40));
  EXPECT_NEAR(shared.gpu.running(a).used.sm_active, 30e-6, 1e-9);
  EXPECT_NEAR(shared.gpu.running(b).used.compute, 20e-6, 1e-9);
}

TEST(SpatialSharing, shares_the_bandwidth_where_kernels_are_bound_by_it) {
  Shared shared;
  const auto kernels = sequence({kernel(microseconds(20), 0.25, 0.75)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(sim::milliseconds(10)));
  EXPECT_EQ(shared.seen.back(), instant(microseconds(30)));
}

TEST(SpatialSharing, keeps_the_fraction_of_a_kernel_when_rates_change) {
  Shared shared;
  const auto kernels = sequence({kernel(microseconds(40), 1)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(microseconds(10)));
  shared.gpu.set_rates({.clock = 0.5, .memory = 1});
  shared.engine.run(instant(sim::milliseconds(10)));
  EXPECT_EQ(shared.seen.back(), instant(microseconds(10 + 60)));
}

TEST(SpatialSharing, waits_for_launches_and_for_the_input) {
  Shared shared;
  shared.per_launch = microseconds(1);
  const auto kernels = sequence({kernel(microseconds(4), 1), kernel(microseconds(4), 1)});
  const ContextId context = shared.context();
  shared.gpu.begin_launches(context, kernels, {.first = Duration::zero(), .each = microseconds(10)}, true);
  shared.gpu.host_progress(context, {sim::Time::zero(), Duration::zero(), 1});
  shared.engine.run(instant(microseconds(15)));
  EXPECT_EQ(shared.gpu.busy(), Duration::zero());
  shared.gpu.open(context);
  shared.engine.run(instant(sim::milliseconds(10)));
  // The first from 15 us on, the second launched at 20, each after a front-end microsecond.
  EXPECT_EQ(shared.seen.back(), instant(microseconds(25)));
}

TEST(SpatialSharing, of_a_lone_process_is_the_gpu_as_it_is_without) {
  for (const auto runtime : {process::Runtime::cuda_graph, process::Runtime::eager}) {
    const auto batches = [&](Sharing sharing) {
      const board::DeviceSpec device = free_device(2);
      board::Setup setup;
      setup.sharing = sharing;
      auto kernels = sequence({kernel(microseconds(30), 0.7F), kernel(microseconds(20), 0.3F, 0.5F)});
      kernels.lone_gap = microseconds(5);
      setup.processes.push_back(process_with(runtime, process::Sync::spin, std::move(kernels)));
      sim::Engine engine;
      board::Board board(engine, device, setup);
      engine.run(instant(milliseconds(20)));
      return board.processes().front().batches();
    };
    EXPECT_EQ(batches(Sharing::mps), batches(Sharing::time_slicing));
  }
}

RC_GTEST_PROP(SpatialSharingLaw, no_more_than_all_sms_work_and_everything_is_done, ()) {
  Shared shared;
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  std::deque<gpu::KernelSequence> all;
  std::vector<ContextId> contexts;
  double work = 0, longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<gpu::Kernel> kernels;
    const auto length = *rc::gen::inRange(1, 8);
    for (int k = 0; k < length; ++k)
      kernels.push_back(
          kernel(microseconds(*rc::gen::inRange(1, 100)), static_cast<float>(*rc::gen::inRange(1, 9)) / 8));
    all.push_back(sequence(std::move(kernels)));
    contexts.push_back(shared.context());
    work += all.back().used.back().sm_active;
    longest = std::max(longest, sim::to_seconds(all.back().total()));
    shared.gpu.enqueue(contexts.back(), all.back(), false);
  }
  shared.engine.run(instant(sim::seconds(1)));
  RC_ASSERT(shared.seen.size() == count);
  const double end = sim::to_seconds(shared.seen.back() - sim::Time::zero());
  double done = 0;
  for (const ContextId context : contexts) done += shared.gpu.running(context).used.sm_active;
  RC_ASSERT(std::abs(done - work) < 1e-9);
  RC_ASSERT(end >= longest - 1e-12);
  RC_ASSERT(end >= work - 1e-9);  // at most all SMs
  RC_ASSERT(sim::to_seconds(shared.gpu.busy()) <= end + 1e-12);
}

}  // namespace
}  // namespace jostle::gpu::test
