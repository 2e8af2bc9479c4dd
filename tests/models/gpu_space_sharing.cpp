// The GPU shared in space: a lone process is as on the GPU shared in time; several get what the law says, and
// processes with several streams take turns.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/gpu/space_sharing.hpp"
#include "models/process/inference.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test::in_space {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;

// A kernel with so many blocks; an SM of the GPU of these tests holds one.
gpu::Kernel kernel(Duration duration, std::uint32_t blocks, float memory = 0) {
  gpu::Kernel made{.duration = duration};
  made.blocks = blocks;
  made.threads_per_block = 1024;
  made.sm_active = static_cast<float>(std::min(blocks, 8U)) / 8;
  made.memory_share = memory;
  made.compute_share = 1 - memory;
  return made;
}

Spec one_block_an_sm() {
  Spec spec = free_device(4).gpu;
  spec.sm_count = 8;
  spec.max_threads_per_sm = 1024;
  spec.max_blocks_per_sm = 1;
  return spec;
}

struct Shared {
  explicit Shared(const Spec& spec = one_block_an_sm(), SpaceOf space = SpaceOf::all_processes)
      : gpu(engine, spec, space) {}
  ContextId context(std::optional<std::uint32_t> group = {}, Priority priority = Priority::normal) {
    return gpu.create_context({.name = "process",
                               .follow_up_prolongs_turn = true,
                               .per_launch = per_launch,
                               .group = group,
                               .priority = priority,
                               .listener = {.batch_seen =
                                                [](void* self) {
                                                  auto& shared = *static_cast<Shared*>(self);
                                                  shared.seen.push_back(shared.engine.now());
                                                },
                                            .context = this}});
  }

  sim::Engine engine;
  SpaceSharedGpu gpu;
  Duration per_launch;
  std::vector<sim::Time> seen;
};

constexpr sim::Time instant(Duration since_start) {
  return sim::Time::zero() + since_start;
}

TEST(SpaceSharing, runs_kernels_that_fit_beside_each_other_at_full_speed) {
  Shared shared;
  const auto kernels = sequence({kernel(microseconds(30), 4), kernel(microseconds(10), 4)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(milliseconds(10)));
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(40)), instant(microseconds(40))}));
  EXPECT_EQ(shared.gpu.busy(), microseconds(40));
}

// Ten functions in turn, each of which moves 1 MB: nine others move 9 MB between two kernels of one.
TEST(SpaceSharing, mps_clients_wait_for_code_that_neither_instruction_caches_nor_l2_hold) {
  Spec spec = one_block_an_sm();
  spec.max_blocks_per_sm = 2;
  spec.max_threads_per_sm = 2048;
  spec.space_sharing.mps_kernel = microseconds(1);
  spec.space_sharing.mps_cold_code = microseconds(2);
  const auto time = [&](std::uint32_t functions, double l2, SpaceOf space) {
    std::vector<gpu::Kernel> turns;
    for (std::uint32_t i = 0; i < 10; ++i) {
      turns.push_back(kernel(microseconds(3), 8));
      turns.back().dram_bytes = 1e6F;
      turns.back().code = i % functions;
    }
    gpu::note_reuse(turns);
    const auto kernels = sequence(turns);
    spec.l2_bytes = l2;
    Shared shared(spec, space);
    shared.gpu.enqueue(shared.context(1U), kernels, false);
    shared.engine.run(instant(milliseconds(10)));
    return shared.seen.at(0);
  };
  EXPECT_EQ(time(10, 8e6, SpaceOf::all_processes), instant(microseconds(10 * (3 + 1 + 2))));
  EXPECT_EQ(time(10, 12e6, SpaceOf::all_processes), instant(microseconds(10 * (3 + 1))));
  EXPECT_EQ(time(5, 1e6, SpaceOf::all_processes), instant(microseconds(10 * (3 + 1))));
  EXPECT_EQ(time(10, 8e6, SpaceOf::each_process), instant(microseconds(30)));
}

TEST(SpaceSharing, blocks_of_the_second_kernel_start_where_those_of_the_first_end) {
  Shared shared;
  const auto longer = sequence({kernel(microseconds(30), 8)}),
             shorter = sequence({kernel(microseconds(10), 8)});
  const ContextId a = shared.context(), b = shared.context();
  shared.gpu.enqueue(a, longer, false);
  shared.gpu.enqueue(b, shorter, false);
  shared.engine.run(instant(milliseconds(10)));
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(30)), instant(microseconds(40))}));
  EXPECT_EQ(shared.gpu.running_time(a), microseconds(30));
  EXPECT_EQ(shared.gpu.running_time(b), microseconds(10));
  EXPECT_NEAR(shared.gpu.running(a).used.sm_active, 30e-6, 1e-9);
}

TEST(SpaceSharing, the_head_of_the_line_keeps_out_kernels_that_would_fit) {
  Shared shared;
  // Two waves and a half leave no room before the last; six blocks do not fit beside four.
  const auto first = sequence({kernel(microseconds(10), 4)}), head = sequence({kernel(microseconds(10), 6)}),
             small = sequence({kernel(microseconds(1), 2)});
  for (const auto* kernels : {&first, &head, &small}) shared.gpu.enqueue(shared.context(), *kernels, false);
  shared.engine.run(instant(milliseconds(10)));
  // Four of the head's six blocks start at once, the others at 10 us; the small kernel waits for that.
  EXPECT_EQ(shared.seen,
            (std::vector{instant(microseconds(10)), instant(microseconds(11)), instant(microseconds(20))}));
}

TEST(SpaceSharing, a_high_priority_overtakes_the_line_and_evicts_nobody) {
  Shared shared;
  const auto big = sequence({kernel(microseconds(40), 32)}), small = sequence({kernel(microseconds(5), 8)});
  const ContextId low = shared.context({}, Priority::low), high = shared.context({}, Priority::high);
  shared.gpu.enqueue(low, big, false);
  shared.gpu.enqueue(high, small, false);
  shared.engine.run(instant(milliseconds(10)));
  // After the first of four waves of 10 us.
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(15)), instant(microseconds(45))}));
}

TEST(SpaceSharing, shares_the_bandwidth_where_kernels_are_bound_by_it) {
  Spec spec = one_block_an_sm();
  spec.space_sharing.memory_load = 1;
  Shared shared(spec);
  const auto kernels = sequence({kernel(microseconds(20), 4, 1)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(milliseconds(10)));
  // Twice, but for what the law leaves of a share just below one.
  EXPECT_NEAR(sim::to_seconds(shared.seen.back() - sim::Time{}), 40e-6, 1.2e-6);
}

TEST(SpaceSharing, a_kernel_of_few_instructions_loses_little_beside_one_that_fills_the_pipes) {
  Spec spec = one_block_an_sm();
  spec.max_blocks_per_sm = 2;
  spec.max_threads_per_sm = 2048;
  spec.space_sharing.compute_load = 1;
  const auto in_us = [&](float of_one, float of_other) {
    const auto using_pipes = [](float pipes) {
      gpu::Kernel made = kernel(microseconds(20), 8);
      made.issue_slot = pipes;
      return sequence({made});
    };
    Shared shared(spec);
    const auto one = using_pipes(of_one), other = using_pipes(of_other);
    shared.gpu.enqueue(shared.context(), one, false);
    shared.gpu.enqueue(shared.context(), other, false);
    shared.engine.run(instant(milliseconds(10)));
    return std::pair(1e6 * sim::to_seconds(shared.seen.front() - sim::Time{}),
                     1e6 * sim::to_seconds(shared.seen.back() - sim::Time{}));
  };
  const auto [one, other] = in_us(1, 1);
  EXPECT_NEAR(one, 40, 0.1);
  EXPECT_NEAR(other, 40, 0.1);
  const auto [light, heavy] = in_us(1, 0.1F);
  EXPECT_LT(light, 1.02 * 20);
  EXPECT_GT(heavy, 1.1 * 20);
}

TEST(SpaceSharing, keeps_the_fraction_of_a_kernel_when_rates_change) {
  Shared shared;
  const auto kernels = sequence({kernel(microseconds(40), 8)});
  shared.gpu.enqueue(shared.context(), kernels, false);
  shared.engine.run(instant(microseconds(10)));
  shared.gpu.set_rates({.clock = 0.5, .memory = 1});
  shared.engine.run(instant(milliseconds(10)));
  EXPECT_EQ(shared.seen.back(), instant(microseconds(10 + 60)));
}

TEST(SpaceSharing, waits_for_launches_and_for_the_input) {
  Shared shared;
  shared.per_launch = microseconds(1);
  const auto kernels = sequence({kernel(microseconds(4), 8), kernel(microseconds(4), 8)});
  const ContextId context = shared.context();
  shared.gpu.begin_launches(context, kernels, {.first = Duration::zero(), .each = microseconds(10)}, true);
  shared.gpu.host_progress(context, {sim::Time::zero(), Duration::zero(), 1});
  shared.engine.run(instant(microseconds(15)));
  EXPECT_EQ(shared.gpu.busy(), Duration::zero());
  shared.gpu.open(context);
  shared.engine.run(instant(milliseconds(10)));
  // The first from 15 us on, the second launched at 20, each after a front-end microsecond.
  EXPECT_EQ(shared.seen.back(), instant(microseconds(25)));
}

TEST(SpaceSharing, streams_of_two_processes_take_turns) {
  Spec spec = one_block_an_sm();
  spec.time_slicing.slice = microseconds(100);
  spec.time_slicing.switch_when_idle = microseconds(5);
  Shared shared(spec, SpaceOf::each_process);
  const auto kernels = sequence({kernel(microseconds(30), 4)});
  for (const std::uint32_t process : {0U, 0U, 1U, 1U})
    shared.gpu.enqueue(shared.context(process), kernels, false);
  shared.engine.run(instant(milliseconds(10)));
  EXPECT_EQ(shared.seen, (std::vector{instant(microseconds(30)), instant(microseconds(30)),
                                      instant(microseconds(65)), instant(microseconds(65))}));
  EXPECT_EQ(shared.gpu.switches(), 1);
  EXPECT_EQ(shared.gpu.switching(), microseconds(5));
}

TEST(SpaceSharing, a_slice_that_expires_stops_all_streams_of_the_process) {
  Spec spec = one_block_an_sm();
  spec.time_slicing.slice = microseconds(20);
  spec.time_slicing.switch_at_expiry = spec.time_slicing.switch_when_idle = microseconds(10);
  spec.time_slicing.state_bandwidth_bytes_per_s = 0;
  spec.time_slicing.restart_after_expiry = spec.time_slicing.refill_after_expiry = Duration::zero();
  Shared shared(spec, SpaceOf::each_process);
  const auto kernels = sequence({kernel(microseconds(30), 4)});
  // The first turn began before time zero: its slice is over when others come.
  for (const std::uint32_t process : {0U, 0U, 1U, 1U})
    shared.gpu.enqueue(shared.context(process), kernels, false);
  shared.engine.run(instant(milliseconds(10)));
  ASSERT_EQ(shared.seen.size(), 4U);
  EXPECT_EQ(shared.seen[0], shared.seen[1]);
  EXPECT_EQ(shared.seen[2], shared.seen[3]);
  EXPECT_EQ(shared.gpu.busy(), microseconds(60));
  EXPECT_EQ(shared.gpu.switching(), microseconds(10) * shared.gpu.switches());
}

TEST(SpaceSharing, of_a_lone_process_is_the_gpu_as_it_is_without) {
  for (const auto runtime : {process::Runtime::cuda_graph, process::Runtime::eager}) {
    const auto batches = [&](bool in_space) {
      const board::DeviceSpec device = free_device(2);
      board::Setup setup;
      auto kernels = sequence({kernel(microseconds(30), 6), kernel(microseconds(20), 3, 0.5F)});
      kernels.lone_gap = microseconds(5);
      setup.processes.push_back(process_with(runtime, process::Sync::spin, std::move(kernels)));
      sim::Engine engine;
      std::unique_ptr<Gpu> gpu;
      if (in_space) gpu = std::make_unique<SpaceSharedGpu>(engine, device.gpu, SpaceOf::all_processes);
      board::Board board(engine, device, setup, std::move(gpu));
      engine.run(instant(milliseconds(20)));
      return board.processes().front().batches();
    };
    EXPECT_EQ(batches(true), batches(false));
  }
}

RC_GTEST_PROP(SpaceSharingLaw, no_more_than_all_sms_work_and_everything_is_done, ()) {
  Shared shared;
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  std::deque<gpu::KernelSequence> all;
  std::vector<ContextId> contexts;
  double work = 0, longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<gpu::Kernel> kernels;
    const auto length = *rc::gen::inRange(1, 8);
    for (int k = 0; k < length; ++k)
      kernels.push_back(kernel(microseconds(*rc::gen::inRange(1, 100)), *rc::gen::inRange(1U, 9U)));
    all.push_back(sequence(std::move(kernels)));
    contexts.push_back(shared.context());
    work += all.back().used.back().sm_active;
    longest = std::max(longest, sim::to_seconds(all.back().total()));
    shared.gpu.enqueue(contexts.back(), all.back(), false);
  }
  shared.engine.run(instant(sim::seconds(1)));
  RC_ASSERT(shared.seen.size() == count);
  const double end = sim::to_seconds(shared.seen.back() - sim::Time::zero());
  // A kernel has its SMs for as long as it runs, also where some of its blocks wait for others.
  const double active = shared.gpu.used().sm_active, busy = sim::to_seconds(shared.gpu.busy());
  RC_ASSERT(active >= work - 1e-9);
  RC_ASSERT(active <= busy + 1e-9);
  RC_ASSERT(end >= longest - 1e-12);
  RC_ASSERT(end >= work - 1e-9);  // at most all SMs
  RC_ASSERT(busy <= end + 1e-12);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test::in_space
