// One test for each mechanism of the sharing law, by figures that can be worked out on paper. Each was seen
// to fail with its mechanism taken out of models/gpu or models/process (what was taken out is named beside
// it).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/cpu/spec.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using process::Runtime;
using process::Share;
using process::Sync;
using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

constexpr Time at(Duration since_start) {
  return Time::zero() + since_start;
}

// Free but for kernels and changes of owner.
board::DeviceSpec device_with_switches() {
  board::DeviceSpec device = free_device(8);
  device.gpu.time_slicing.slice = milliseconds(2);
  device.gpu.time_slicing.switch_when_idle = microseconds(140);
  device.gpu.time_slicing.switch_at_expiry = microseconds(150);
  return device;
}

process::Spec graph(std::size_t kernels, Duration each, Sync sync = Sync::spin) {
  return process_with(Runtime::cuda_graph, sync, equal_kernels(kernels, each));
}
// One launch every `pace`, each of `each` on the GPU.
process::Spec paced(std::size_t kernels, Duration each, Duration pace) {
  process::Spec spec = process_with(Runtime::eager, Sync::spin, equal_kernels(kernels, each));
  spec.pace = pace;
  return spec;
}
process::Spec requested(process::Spec spec, std::vector<Time> times) {
  spec.arrivals.kind = process::ArrivalKind::trace;
  spec.arrivals.times = std::move(times);
  spec.sync = Sync::blocking;
  return spec;
}
std::vector<Time> seen_by(const Bench& bench, std::uint32_t index) {
  std::vector<Time> times;
  for (const Seen& seen : bench.recording.seen)
    if (seen.context == index) times.push_back(seen.at);
  return times;
}

board::Setup setup_of(std::vector<process::Spec> processes) {
  board::Setup setup;
  setup.processes = std::move(processes);
  return setup;
}

// Fails without: `contended() ? turn_ends_ : Time::never()` in plan().
TEST(GpuMechanisms, a_turn_with_work_left_ends_when_the_slice_expires) {
  Bench bench(device_with_switches(), setup_of({graph(100, microseconds(97)), graph(100, microseconds(97))}));
  bench.run_for(milliseconds(100));
  ASSERT_GT(bench.recording.turns.size(), 40U);
  for (const Turn& turn : bench.recording.turns) EXPECT_EQ(turn.length(), milliseconds(2));
}

TEST(GpuMechanisms, every_change_of_owner_costs_what_its_reason_says) {
  // One expires, the other has 0.3 ms a request: the turn after it begins the cost of running out of work
  // later.
  Bench bench(device_with_switches(),
              setup_of({graph(100, microseconds(97)),
                        requested(graph(3, microseconds(100)), {at(milliseconds(5))})}));
  bench.run_for(milliseconds(20));
  ASSERT_EQ(bench.recording.turns.size(), 2U);
  EXPECT_EQ(bench.recording.turns[0].end, at(milliseconds(6)));  // of its third slice
  EXPECT_EQ(bench.recording.turns[1].start, at(milliseconds(6.15)));
  EXPECT_EQ(bench.recording.turns[1].end, at(milliseconds(6.45)));
  EXPECT_EQ(bench.board.gpu().switches(), 2);
  EXPECT_EQ(bench.board.gpu().switching(), microseconds(150 + 140));
  EXPECT_EQ(bench.board.processes()[1].time().in(Share::gpu_switch), microseconds(150));
  EXPECT_EQ(bench.board.processes()[1].time().in(Share::gpu_slice_wait), milliseconds(1));
}

// Fails with next_waiting() going backwards.
TEST(GpuMechanisms, turns_go_round_in_the_order_of_the_contexts) {
  Bench bench(device_with_switches(), setup_of(std::vector<process::Spec>(4, graph(100, microseconds(97)))));
  bench.run_for(milliseconds(60));
  ASSERT_GT(bench.recording.turns.size(), 20U);
  for (std::size_t i = 0; i < bench.recording.turns.size(); ++i)
    EXPECT_EQ(bench.recording.turns[i].context, i % 4);
}

// Fails without: `stop_when_idle` in advance() (the owner waits for its next launch).
TEST(GpuMechanisms, running_dry_ends_a_turn_at_once_though_the_next_kernel_is_2_us_away) {
  // Launches at 7, 14, ... 98, 105 us; the other's request comes at 100 us, in mid-kernel.
  Bench bench(device_with_switches(),
              setup_of({paced(1000, microseconds(5), microseconds(7)),
                        requested(graph(1, milliseconds(1)), {at(microseconds(100))})}));
  bench.run_for(milliseconds(2));
  ASSERT_GE(bench.recording.turns.size(), 2U);
  EXPECT_EQ(bench.recording.turns[0].end, at(microseconds(103)));
  EXPECT_EQ(bench.recording.turns[1].start, at(microseconds(103 + 140)));
  // What piled up meanwhile runs back to back: 183 launches from 105 us to 1383 us.
  const Time back = at(microseconds(103 + 140 + 1000 + 140));
  std::vector<Stamp> after;
  for (const Stamp& kernel : bench.recording.kernels)
    if (kernel.context == 0 && kernel.start >= back) after.push_back(kernel);
  ASSERT_GT(after.size(), 90U);
  EXPECT_EQ(after[0].start, back);
  for (std::size_t i = 1; i < 90; ++i) EXPECT_EQ(after[i].start, after[i - 1].end);
}

// Turns of two equal spinning or blocking graph processes, 0.3 ms a batch, after the first round.
std::vector<Duration> graph_turns(Sync sync, bool launched_whole) {
  process::Spec spec = graph(3, microseconds(100), sync);
  spec.kernels.edit().launched_whole = launched_whole;
  board::DeviceSpec device = device_with_switches();
  device.follow_up = {};  // the measured rule
  device.sync = {microseconds(1), microseconds(20), microseconds(5)};
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(50));
  std::vector<Duration> turns = bench.turns_of(1);
  turns.erase(turns.begin(), turns.begin() + 2);
  return turns;
}

// Fails without: the condition on follow_up_prolongs_turn in due() (completions always seen), or the rule in
// process::follow_up_prolongs_turn.
TEST(GpuMechanisms, a_spinning_graph_of_kernels_alone_runs_two_batches_a_turn) {
  const std::vector<Duration> turns = graph_turns(Sync::spin, true);
  ASSERT_GT(turns.size(), 10U);
  for (const Duration turn : turns) EXPECT_EQ(turn, milliseconds(0.6));
}

// Fails without: completions being seen during the turn.
TEST(GpuMechanisms, refills_prolong_the_turn_of_a_graph_with_other_nodes_to_its_expiry) {
  const std::vector<Duration> turns = graph_turns(Sync::spin, false);
  ASSERT_GT(turns.size(), 5U);
  for (const Duration turn : turns) EXPECT_EQ(turn, milliseconds(2));
}
TEST(GpuMechanisms, refills_prolong_the_turn_of_a_blocking_process_to_its_expiry) {
  const std::vector<Duration> turns = graph_turns(Sync::blocking, true);
  ASSERT_GT(turns.size(), 5U);
  for (const Duration turn : turns) EXPECT_EQ(turn, milliseconds(2));
}

TEST(GpuMechanisms, the_rule_of_refills_is_by_runtime_and_way_of_waiting) {
  const process::FollowUpSpec rule{.graph_of_kernels_spinning = false,
                                   .graph_with_other_nodes_spinning = true,
                                   .launches_spinning = true,
                                   .paced_launches_spinning = false,
                                   .blocking = true};
  process::Spec spec = graph(1, microseconds(1));
  EXPECT_FALSE(follow_up_prolongs_turn(rule, spec));
  spec.kernels.edit().launched_whole = false;
  EXPECT_TRUE(follow_up_prolongs_turn(rule, spec));
  spec.runtime = Runtime::eager;
  EXPECT_TRUE(follow_up_prolongs_turn(rule, spec));
  spec.pace = microseconds(16);
  EXPECT_FALSE(follow_up_prolongs_turn(rule, spec));
  spec.sync = Sync::blocking;
  EXPECT_TRUE(follow_up_prolongs_turn(rule, spec));
}

// Fails without: `launch_gap += lone_gap` in go_on(); and, contended, without the condition on it.
TEST(GpuMechanisms, launch_gaps_lengthen_the_batches_of_a_lone_process_only) {
  process::Spec spec = graph(10, microseconds(100));
  spec.kernels.edit().lone_gap = microseconds(50);
  Bench alone(device_with_switches(), setup_of({spec}));
  alone.run_for(milliseconds(20));
  const std::vector<Time> lone = seen_by(alone, 0);
  ASSERT_GT(lone.size(), 10U);
  for (std::size_t i = 1; i < lone.size(); ++i) EXPECT_EQ(lone[i] - lone[i - 1], milliseconds(1.05));

  Bench both(device_with_switches(), setup_of({spec, spec}));
  both.run_for(milliseconds(20));
  const std::vector<Stamp>& kernels = both.recording.kernels;
  ASSERT_GT(kernels.size(), 100U);
  int changes = 0;
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    if (kernels[i].context != kernels[i - 1].context) {
      ++changes;
    } else {
      EXPECT_EQ(kernels[i].start, kernels[i - 1].end);
    }
  }
  EXPECT_GT(changes, 5);
}

// Fails without: `contexts_.size() == 1` in go_on().
TEST(GpuMechanisms, a_graph_has_gaps_only_where_no_other_context_exists) {
  process::Spec spec = graph(1, milliseconds(0.3));
  spec.kernels.edit().lone_gap = milliseconds(1);
  Bench bench(device_with_switches(),
              setup_of({spec, requested(graph(1, milliseconds(1)), {at(milliseconds(1.8))})}));
  bench.run_for(milliseconds(6));
  ASSERT_GE(bench.recording.kernels.size(), 3U);
  EXPECT_EQ(bench.recording.kernels[1].start, bench.recording.kernels[0].end);
}

// Fails without: the refill in cache_refill_after_expiry().
TEST(GpuMechanisms, after_an_expiry_the_first_kernels_are_slowed_by_refilled_caches) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.refill_after_expiry = microseconds(65);
  process::Spec spec = graph(1, milliseconds(5));
  spec.kernels.edit().kernels[0].memory_share = 0.5F;
  spec.kernels.edit().rebuild_finish();
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(12));
  // Turns of the first: 0 to 2, 4.3 to 6.3 and from 8.6 ms; 2 and 1.935 ms of kernel are done before the
  // last.
  ASSERT_EQ(seen_by(bench, 0).size(), 1U);
  EXPECT_EQ(seen_by(bench, 0)[0], at(milliseconds(8.6 + 0.065 + 1.065)));
  // The refill counts as running.
  EXPECT_EQ(bench.board.gpu().busy(), milliseconds(12 - 5 * 0.15));
}
// Fails without: restart_after_expiry in cache_refill_after_expiry().
TEST(GpuMechanisms, kernels_that_touch_no_memory_restart_but_refill_nothing) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.refill_after_expiry = microseconds(65);
  device.gpu.time_slicing.restart_after_expiry = microseconds(20);
  Bench bench(device, setup_of({graph(1, milliseconds(5)), graph(1, milliseconds(5))}));
  bench.run_for(milliseconds(12));
  ASSERT_EQ(seen_by(bench, 0).size(), 1U);
  EXPECT_EQ(seen_by(bench, 0)[0], at(milliseconds(8.6 + 0.02 + 1.02)));
}
TEST(GpuMechanisms, running_dry_leaves_no_cold_caches_behind) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.restart_after_expiry = microseconds(65);
  device.follow_up.graph_of_kernels_spinning = false;
  Bench bench(device, setup_of({graph(1, milliseconds(0.5)), graph(1, milliseconds(0.5))}));
  bench.run_for(milliseconds(30));
  for (const Duration turn : bench.turns_of(0)) EXPECT_EQ(turn, milliseconds(1));
}

struct DebtRun {
  std::int64_t batches = 0;
  Duration cache_refill;
};
DebtRun run_with_preemption_debt(Duration debt) {
  board::DeviceSpec device = device_with_switches();
  device.cpu->clusters[0].cores = 1;
  device.cpu->costs.preempted = debt;
  device.runtimes[Runtime::eager] = process::RuntimeSpec{.per_launch = microseconds(50),
                                                         .per_batch = {},
                                                         .per_node = {},
                                                         .gap_beyond_tables = {},
                                                         .gpu_per_launch = {},
                                                         .working_set_bytes = 1e6};
  const process::Spec spec = process_with(Runtime::eager, Sync::yield, equal_kernels(100, microseconds(1)));
  Bench bench(device, setup_of({spec, spec, spec}));
  bench.run_for(milliseconds(3000));
  DebtRun run;
  for (const process::Inference& process : bench.board.processes()) {
    run.batches += process.batches();
    run.cache_refill += process.time().in(Share::cache_refill);
  }
  return run;
}

// Fails without: the debt charged when a thread comes back to its core (cpu/dispatch.cpp), or
// State::refilling in TimeAccount::cause().
TEST(GpuMechanisms, the_cache_debt_of_preempted_hosts_shows_in_throughput_and_in_the_time_account) {
  const DebtRun free = run_with_preemption_debt(Duration::zero());
  const DebtRun indebted = run_with_preemption_debt(milliseconds(1));
  EXPECT_EQ(free.cache_refill, Duration::zero());
  EXPECT_GT(indebted.cache_refill, milliseconds(100));
  // A core in common: half of the time spent refilling is lost to work, 5 ms a batch.
  const double lost = static_cast<double>(free.batches - indebted.batches);
  EXPECT_NEAR(lost, sim::to_ms(indebted.cache_refill) / 2 / 5, 0.15 * lost + 3);
  EXPECT_LT(indebted.batches, free.batches * 97 / 100);
}

// Fails without: `slept` in joined(), or (last) without the maximum with the switch.
TEST(GpuMechanisms, the_gpu_wakes_late_after_idling_but_a_switch_hides_it) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.idle_wake = {milliseconds(6.5), microseconds(83)};
  const Duration work = milliseconds(1);
  const auto times = [](std::vector<double> ms) {
    std::vector<Time> made;
    for (const double t : ms) made.push_back(at(milliseconds(t)));
    return made;
  };
  Bench bench(device, setup_of({requested(graph(1, work), times({1, 5, 20})),
                                requested(graph(1, work), times({40, 50, 60}))}));
  bench.run_for(milliseconds(100));
  const std::vector<Time> first = seen_by(bench, 0), second = seen_by(bench, 1);
  ASSERT_EQ(first.size(), 3U);
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(first[0], at(milliseconds(1 + 1)));           // idle for 1 ms only
  EXPECT_EQ(first[1], at(milliseconds(5 + 1)));           // and for 3 ms
  EXPECT_EQ(first[2], at(milliseconds(20 + 0.083 + 1)));  // 14 ms
  EXPECT_EQ(second[0], at(milliseconds(40 + 0.14 + 1)));  // hidden in the switch
  EXPECT_EQ(second[1], at(milliseconds(50 + 0.083 + 1)));
}

Duration first_turn(PreemptionGranularity granularity) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.slice = milliseconds(1.4);
  device.gpu.time_slicing.granularity = granularity;
  // 12 blocks of 128 threads on each of 8 SMs at one time: 288 blocks pass in three waves of 1 ms.
  process::Spec spec = graph(2, milliseconds(3));
  for (gpu::Kernel& kernel : spec.kernels.edit().kernels) kernel.blocks = 288;
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(10));
  return bench.recording.turns.at(0).length();
}

// Fails without: the drain in due(), or its cases in drain_after_expiry().
TEST(GpuMechanisms, what_runs_at_expiry_goes_on_to_what_the_granularity_of_preemption_says) {
  EXPECT_EQ(first_turn(PreemptionGranularity::instruction), milliseconds(1.4));
  EXPECT_EQ(first_turn(PreemptionGranularity::thread_block), milliseconds(2));
  EXPECT_EQ(first_turn(PreemptionGranularity::kernel), milliseconds(3));
}

// Fails without: the state in expiry_cost().
TEST(GpuMechanisms, preempting_a_kernel_saves_and_restores_what_is_resident) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.state_bandwidth_bytes_per_s = 60e9;
  process::Spec spec = graph(1, milliseconds(3));
  spec.kernels.edit().kernels[0].blocks = 288;
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(10));
  // 96 blocks of 128 threads with 32 registers of 4 bytes, out and back in.
  const double bytes = 96 * 128 * 32 * 4;
  ASSERT_GE(bench.recording.turns.size(), 2U);
  EXPECT_EQ(bench.recording.turns[1].start - bench.recording.turns[0].end,
            microseconds(150) + sim::seconds(2 * bytes / 60e9));
}

// Fails without: `batch.gated = gated`; and the last lines without the copy in Stream::batch_executed.
TEST(GpuMechanisms, a_batch_starts_when_its_input_is_copied_and_is_done_when_its_output_is) {
  for (const Runtime runtime : {Runtime::cuda_graph, Runtime::eager}) {
    board::DeviceSpec device = device_with_switches();
    device.gpu.copy_bandwidth_bytes_per_s = 10e9;
    device.gpu.copy_fixed = microseconds(5);
    process::Spec spec = process_with(runtime, Sync::blocking, equal_kernels(1, milliseconds(1)));
    spec.input_bytes = 1e6;   // 100 us
    spec.output_bytes = 5e5;  // 50 us
    Bench bench(device, setup_of({requested(spec, {at(milliseconds(1))})}));
    bench.run_for(milliseconds(10));
    ASSERT_EQ(bench.recording.kernels.size(), 1U);
    EXPECT_EQ(bench.recording.kernels[0].start, at(milliseconds(1 + 0.105)));
    const process::Inference& process = bench.board.processes()[0];
    ASSERT_EQ(process.batches(), 1);
    EXPECT_DOUBLE_EQ(process.latency().mean().value_or(0), 0.105e-3 + 1e-3 + 0.055e-3);
    EXPECT_EQ(process.time().in(Share::copying), microseconds(105 + 55));
  }
}

TEST(GpuMechanisms, copies_of_all_processes_share_one_engine) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.copy_bandwidth_bytes_per_s = 10e9;
  process::Spec spec = requested(graph(1, milliseconds(1)), {at(milliseconds(1))});
  spec.input_bytes = 1e6;
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(10));
  EXPECT_EQ(bench.board.processes()[0].time().in(Share::copying), microseconds(100));
  // 200 us, of which it was already waiting for nothing else.
  EXPECT_EQ(bench.board.processes()[1].time().in(Share::copying), microseconds(200));
}

// A kernel launched before its input had come counts as launched, even if the host has lost its core by then.
// Fails with: the gate looked at in launched_by().
TEST(GpuMechanisms,
     a_batch_launched_behind_a_closed_gate_starts_when_it_opens_though_its_host_is_off_its_core) {
  board::DeviceSpec device = device_with_switches();
  device.cpu->clusters[0].cores = 1;
  device.gpu.copy_bandwidth_bytes_per_s = 1e9;
  process::Spec spec = paced(2, microseconds(10), milliseconds(1));
  spec.kernels = equal_kernels(20, microseconds(10));
  spec.input_bytes = 12e6;  // 12 ms, while two hosts share the core by turns
  Bench bench(device, setup_of({spec, spec}));
  bench.run_for(milliseconds(13));
  std::int64_t done = 0;
  for (const Stamp& kernel : bench.recording.kernels) done += kernel.context == 0 ? 1 : 0;
  EXPECT_GE(done, 5);  // half of 12 launches
}

std::optional<Time> end_of_lone_turn(Duration hold_when_idle) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.hold_when_idle = hold_when_idle;
  Bench bench(device, setup_of({paced(1000, microseconds(5), microseconds(7)),
                                requested(graph(1, milliseconds(1)), {at(microseconds(100))})}));
  bench.run_for(milliseconds(4));
  if (bench.recording.turns.empty()) return std::nullopt;
  return bench.recording.turns[0].end;
}

// Fails without: Mode::holding.
TEST(GpuMechanisms, an_owner_that_ran_dry_lingers_and_goes_on_if_its_launch_comes_in_time) {
  EXPECT_EQ(end_of_lone_turn(Duration::zero()), at(microseconds(103)));
  EXPECT_EQ(end_of_lone_turn(microseconds(1.5)), at(microseconds(104.5)));  // 0.5 us too short
  EXPECT_EQ(end_of_lone_turn(microseconds(2.5)), at(microseconds(2007)));   // to its expiry
}
// Fails without: the minimum with turn_ends_ in ran_dry().
TEST(GpuMechanisms, an_owner_does_not_linger_beyond_its_slice) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.hold_when_idle = milliseconds(3);
  Bench bench(device, setup_of({requested(graph(1, milliseconds(0.5)), {at(Duration::zero())}),
                                requested(graph(1, milliseconds(0.5)), {at(milliseconds(0.2))})}));
  bench.run_for(milliseconds(10));
  ASSERT_GE(bench.recording.turns.size(), 2U);
  EXPECT_EQ(bench.recording.turns[0].end, at(milliseconds(2)));
  EXPECT_EQ(seen_by(bench, 1).at(0), at(milliseconds(2 + 0.14 + 0.5)));
}

// Fails without: per_launch in advance().
TEST(GpuMechanisms, kernels_launched_by_themselves_pass_the_front_end_first) {
  board::DeviceSpec device = device_with_switches();
  device.runtimes[Runtime::eager]->gpu_per_launch = microseconds(1);
  Bench bench(device,
              setup_of({process_with(Runtime::eager, Sync::spin, equal_kernels(10, microseconds(5)))}));
  bench.run_for(milliseconds(6));
  const std::vector<Stamp>& kernels = bench.recording.kernels;
  ASSERT_EQ(kernels.size(), 1000U);
  for (std::size_t i = 1; i < kernels.size(); ++i)
    EXPECT_EQ(kernels[i].start - kernels[i - 1].end, microseconds(1));
  EXPECT_EQ(bench.board.gpu().busy(), milliseconds(5));
}

// Fails without: slice_jitter in begin_turn().
TEST(GpuMechanisms, slices_spread_about_their_mean) {
  board::DeviceSpec device = device_with_switches();
  device.gpu.time_slicing.slice_jitter = microseconds(10);
  Bench bench(device, setup_of({graph(100, microseconds(97)), graph(100, microseconds(97))}));
  bench.run_for(milliseconds(2000));
  Duration least = Duration::max(), most, sum;
  for (const Turn& turn : bench.recording.turns) {
    least = std::min(least, turn.length());
    most = std::max(most, turn.length());
    sum += turn.length();
  }
  EXPECT_GE(least, microseconds(1990));
  EXPECT_LT(least, microseconds(1990.5));
  EXPECT_LE(most, microseconds(2010));
  EXPECT_GT(most, microseconds(2009.5));
  EXPECT_NEAR(sim::to_us(sum) / static_cast<double>(bench.recording.turns.size()), 2000, 1);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
