// Batches that are repeated once loops are steady, against the simulation of every kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "models/gpu/space_sharing.hpp"
#include "models/gpu/steady_loops.hpp"
#include "sim/random.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test::steady {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

// The precision with which loops are steady; none: kernels of all batches are simulated.
using Precision = std::optional<LoopPrecision>;
constexpr Precision every_kernel, until_steady = SteadyLoops::alone;

// Closed loops on a GPU of eight SMs: each enqueues its kernels again, a pause after its batch was done.
class Loops {
 public:
  explicit Loops(const Precision& precision, std::size_t most_batches = 1U << 30U,
                 SpaceOf space = SpaceOf::all_processes, const Spec& spec = free_device(4).gpu)
      : gpu_(engine_, spec, space, 1, precision), most_batches_(most_batches) {}
  // `each`: work of the host per launch of a kernel; zero: kernels are launched as a whole.
  // `varies`: the share by which that differs from batch to batch, to either side.
  void add(const KernelSequence& kernels, Duration pause, std::uint32_t process = 0, Duration each = {},
           double varies = 0) {
    Loop& loop = loops_.emplace_back();
    loop.usual = each;
    loop.varies = varies;
    loop.random.emplace(loops_.size(), "launches");
    loop.of = this;
    loop.kernels = &kernels;
    loop.pause = pause;
    loop.id = gpu_.create_context({.name = "loop",
                                   .follow_up_prolongs_turn = true,
                                   .per_launch = {},
                                   .group = process,
                                   .listener = {.batch_seen =
                                                    [](void* context) {
                                                      Loop& loop = *static_cast<Loop*>(context);
                                                      loop.ends.push_back(loop.of->engine_.now());
                                                      loop.of->enqueue_later(loop);
                                                    },
                                                .context = &loop}});
    enqueue_later(loop);
  }
  void run_to(Duration end) { engine_.run(Time::zero() + end); }
  [[nodiscard]] SpaceSharedGpu& gpu() { return gpu_; }
  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  [[nodiscard]] ContextId id(std::size_t loop) const { return loops_[loop].id; }
  [[nodiscard]] const std::vector<Time>& ends(std::size_t loop) const { return loops_[loop].ends; }
  // The time between two ends that 99 of 100 do not exceed, from the first end after `from` on.
  [[nodiscard]] double p99_us(std::size_t loop, Duration from) const {
    std::vector<double> times;
    for (std::size_t i = 1; i < ends(loop).size(); ++i)
      if (ends(loop)[i - 1] - Time::zero() >= from)
        times.push_back(sim::to_us(ends(loop)[i] - ends(loop)[i - 1]));
    std::ranges::sort(times);
    return times.at(times.size() * 99 / 100);
  }
  // Batches per second, from the first end after `from` to the last.
  [[nodiscard]] double rate(std::size_t loop, Duration from) const {
    const auto& all = ends(loop);
    const auto first = std::ranges::find_if(all, [&](Time end) { return end - Time::zero() >= from; });
    return static_cast<double>(all.end() - first - 1) / sim::to_seconds(all.back() - *first);
  }

 private:
  struct Loop {
    Loops* of = nullptr;
    ContextId id;
    const KernelSequence* kernels = nullptr;
    Duration pause, usual, each;
    double varies = 0;
    std::optional<sim::RandomStream> random;
    std::vector<Time> ends;
    void enqueue() {
      each = sim::work_in(usual, 1 + varies * (2 * random->uniform() - 1));
      if (each == Duration::zero()) {
        of->gpu_.enqueue(id, *kernels, false);
        return;
      }
      const Time now = of->engine_.now();
      of->gpu_.begin_launches(id, *kernels, {.first = {}, .each = each}, false);
      of->gpu_.host_progress(id, {.since = now, .done = {}, .rate = 1});
      of->engine_.schedule(now + each * static_cast<std::int64_t>(kernels->kernels.size()),
                           sim::action<&Loop::launched>(*this));
    }
    void launched() { of->gpu_.finish_launches(id); }
  };
  void enqueue_later(Loop& loop) {
    if (loop.ends.size() < most_batches_)
      engine_.schedule(engine_.now() + loop.pause, sim::action<&Loop::enqueue>(loop));
  }

  sim::Engine engine_;
  SpaceSharedGpu gpu_;
  std::size_t most_batches_;
  std::deque<Loop> loops_;
};

Kernel kernel(int us, std::uint32_t blocks, float memory = 0) {
  Kernel made{.duration = microseconds(us)};
  made.blocks = blocks;
  made.threads_per_block = 512;
  made.sm_active = static_cast<float>(std::min(blocks, 8U)) / 8;
  made.memory_share = memory;
  made.compute_share = 1 - memory;
  made.dram_bytes = 1e5F;
  return made;
}

BatchRecord record_of(Duration time, Duration pause = {}) {
  return {.time = time, .ran = time, .pause = pause, .used = {}};
}

TEST(SteadyLoops, are_steady_after_enough_equal_batches_of_each) {
  SteadyLoops loops;
  const KernelSequence kernels;
  int batches = 0;
  for (; !loops.steady(); ++batches)
    for (const std::size_t context : {0U, 1U})
      loops.add(context, {.kernels = &kernels}, record_of(microseconds(100), microseconds(1)));
  EXPECT_GE(batches, 24);
  EXPECT_LE(batches, 64);
  EXPECT_EQ(loops.next(1, microseconds(1)).time, microseconds(100));
  EXPECT_TRUE(loops.repeats(0, {.kernels = &kernels}));
  EXPECT_FALSE(loops.repeats(0, {.kernels = &kernels, .priority = Priority::high}));
  EXPECT_TRUE(loops.may_pause(0, microseconds(2)));
  EXPECT_FALSE(loops.may_pause(0, microseconds(8)));
  EXPECT_TRUE(loops.unknown(2));
  loops.forget();
  EXPECT_FALSE(loops.steady());
  EXPECT_TRUE(loops.unknown(0));
}

TEST(SteadyLoops, are_not_steady_while_their_batches_get_longer) {
  SteadyLoops loops;
  const KernelSequence kernels;
  for (int batch = 0; batch < 2000; ++batch)
    loops.add(0, {.kernels = &kernels}, record_of(microseconds(100 + 0.1 * batch)));
  EXPECT_FALSE(loops.steady());
}

TEST(SteadyLoops, are_not_steady_if_one_waits_for_requests) {
  SteadyLoops loops;
  const KernelSequence kernels;
  for (int batch = 0; batch < 2000; ++batch)
    loops.add(0, {.kernels = &kernels}, record_of(microseconds(100), microseconds(batch == 7 ? 30 : 1)));
  EXPECT_FALSE(loops.steady());
}

TEST(SteadyLoops, need_twice_the_records_after_one_was_not_what_it_seemed) {
  const auto batches_until_steady = [](int distrusted) {
    SteadyLoops loops;
    const KernelSequence kernels;
    for (int time = 0; time < distrusted; ++time) loops.distrust();
    int batches = 0;
    for (; !loops.steady(); ++batches)
      loops.add(0, {.kernels = &kernels}, record_of(microseconds(100), microseconds(1)));
    return batches;
  };
  EXPECT_EQ(batches_until_steady(2), 4 * batches_until_steady(0));
}

// The mean of times that vary by a hundredth is known to 0.04 % after some 400 of them; if they vary by a
// tenth, to 0.15 % after some 3,000.
TEST(SteadyLoops, with_random_times_are_steady_once_their_mean_is_known) {
  for (const auto& [varies_us, fewest, most] :
       {std::tuple{1, 200, 1000}, {3, 2048, 2600}, {10, 2600, 6000}}) {
    SteadyLoops loops;
    const KernelSequence kernels;
    sim::RandomStream random(3, "times");
    double sum = 0;
    int batches = 0;
    for (; !loops.steady() && batches < 30'000; ++batches)
      loops.add(0, {.kernels = &kernels},
                record_of(microseconds(100 + varies_us * (2 * random.uniform() - 1))));
    ASSERT_TRUE(loops.steady());
    EXPECT_GT(batches, fewest);
    EXPECT_LT(batches, most);
    for (int i = 0; i < batches / 2; ++i) sum += sim::to_us(loops.next(0, {}).time);
    EXPECT_NEAR(sum / (batches / 2), 100, 0.3);
  }
}

// Streams come into step after 68 batches, the last of which have the mean of those that follow.
TEST(SteadyLoops, are_not_steady_while_their_start_has_the_longest_batches) {
  SteadyLoops loops;
  const KernelSequence kernels;
  sim::RandomStream random(3, "times");
  int batches = 0;
  for (; !loops.steady(); ++batches) {
    double time_us = batches < 62 ? 97 + 6 * random.uniform() : 100;
    if (batches >= 62 && batches < 68) time_us += batches % 2 == 0 ? 3 : -3;
    loops.add(0, {.kernels = &kernels}, record_of(microseconds(time_us)));
  }
  EXPECT_EQ(batches, 156);
  ASSERT_TRUE(loops.begin_repeats());
  for (int i = 0; i < batches; ++i) EXPECT_EQ(loops.next(0, {}).time, microseconds(100));
}

// Batches after a long pause take longer, as where another client's input was copied before.
TEST(SteadyLoops, repeat_batches_that_began_after_such_a_pause) {
  SteadyLoops loops;
  const KernelSequence kernels;
  for (int batch = 0; batch < 200; ++batch)
    loops.add(0, {.kernels = &kernels},
              record_of(microseconds(batch % 3 == 0 ? 104 : 100 + 1e-3 * batch),
                        microseconds(batch % 3 == 0 ? 15 : 2)));
  ASSERT_TRUE(loops.begin_repeats());
  for (const double pause_us : {15.0, 14.5, 15.0, 19.0})
    EXPECT_EQ(loops.next(0, microseconds(pause_us)).time, microseconds(104));
  const Duration first = loops.next(0, microseconds(2)).time, second = loops.next(0, microseconds(2)).time;
  EXPECT_LT(first, microseconds(101));
  EXPECT_EQ(second - first, sim::nanoseconds(1));
}

// Two loops of batches that take 100 us, 20 us after the one before, pause for so long while they are
// repeated. Their kernels take so long, one after another, and their cycles then so long: up to a twentieth
// is made up.
TEST(SteadyLoops, keep_their_pace_where_their_kernels_fill_the_gpu) {
  for (const auto& [kernel_us, pause_us, cycle_us] :
       {std::tuple{70, 16.0, 120.0}, {70, 24.0, 120.0}, {70, 5.0, 110.0}, {50, 16.0, 116.0}}) {
    SteadyLoops loops;
    const auto kernels = sequence({kernel(kernel_us, 8)});
    for (int batch = 0; batch < 200; ++batch)
      for (const std::size_t context : {0U, 1U})
        loops.add(context, {.kernels = &kernels}, record_of(microseconds(100), microseconds(20)));
    ASSERT_TRUE(loops.begin_repeats());
    for (int batch = 0; batch < 1000; ++batch) (void)loops.next(0, microseconds(pause_us));
    const BatchRecord last = loops.next(0, microseconds(pause_us));
    EXPECT_NEAR(pause_us + sim::to_us(last.time), cycle_us, 0.01);
    EXPECT_LE(last.ran, last.time);
  }
}

// The mean of times that vary by a tenth is known to 0.15 % after some 3,000 of them, to 0.21 % after half as
// many; that of the other kind at once.
TEST(SteadyLoops, of_several_kinds_are_steady_once_the_mean_square_of_their_errors_is_small) {
  SteadyLoops loops;
  const KernelSequence varying, constant;
  sim::RandomStream random(3, "times");
  int batches = 0;
  for (; !loops.steady() && batches < 30'000; ++batches) {
    loops.add(0, {.kernels = &varying}, record_of(microseconds(90 + 20 * random.uniform())));
    loops.add(1, {.kernels = &constant}, record_of(microseconds(100)));
  }
  EXPECT_GT(batches, 1000);
  EXPECT_LT(batches, 2000);
}

// Half of what launches are late delays these batches, so their other times are equal.
TEST(SteadyLoops, follow_their_launches_as_far_as_the_records_did) {
  SteadyLoops loops;
  const KernelSequence kernels;
  sim::RandomStream random(3, "launches");
  int batches = 0;
  for (; !loops.steady() && batches < 1000; ++batches) {
    const Duration late = microseconds(40 * random.uniform());
    BatchRecord record = record_of(microseconds(100) + late / 2);
    record.launched = microseconds(80) + late;
    loops.add(0, {.kernels = &kernels}, record);
  }
  EXPECT_LT(batches, 100);
  ASSERT_TRUE(loops.begin_repeats());
  EXPECT_NEAR(loops.following(0), 0.5, 1e-6);
}

// The first of two takes 120 us, the other one `other_us`, as if in step; both vary by so much, or not at
// all.
TEST(SteadyLoops, repeat_each_their_own_batches_if_these_differ) {
  for (const auto& [other_us, varies_us, own] :
       {std::tuple{100, 0, true}, {100, 20, true}, {120, 20, false}}) {
    SteadyLoops loops;
    const KernelSequence kernels;
    sim::RandomStream random(3, "times");
    std::set<Duration> of_first;
    for (int batch = 0; !loops.steady() && batch < 30'000; ++batch)
      for (const std::size_t context : {0U, 1U}) {
        const double usual = context == 0 ? 120 : other_us;
        const Duration time = microseconds(usual + varies_us * random.uniform());
        if (context == 0) of_first.insert(time);
        loops.add(context, {.kernels = &kernels}, record_of(time));
      }
    ASSERT_TRUE(loops.begin_repeats()) << other_us;
    int others = 0;
    for (int i = 0; i < 30'000; ++i) others += of_first.contains(loops.next(0, {}).time) ? 0 : 1;
    EXPECT_EQ(others == 0, own) << other_us << ' ' << varies_us;
  }
}

TEST(SteadyLoops, of_late_hosts_are_steady_unless_they_pause) {
  for (const auto& [launched_us, pause_us, steady] :
       {std::tuple{95, 0, true}, {95, 1, true}, {95, 5, false}, {50, 5, true}}) {
    SteadyLoops loops;
    const KernelSequence kernels;
    BatchRecord record = record_of(microseconds(100), microseconds(pause_us));
    record.launched = microseconds(launched_us);
    for (int batch = 0; batch < 200; ++batch) loops.add(0, {.kernels = &kernels}, record);
    EXPECT_EQ(loops.steady(), steady) << launched_us << ' ' << pause_us;
  }
}

TEST(SteadyLoops, of_one_of_many_runs_need_fewer_records) {
  const auto needed = [](const LoopPrecision& precision) {
    SteadyLoops loops(precision);
    const KernelSequence kernels;
    sim::RandomStream random(3, "times");
    int batches = 0;
    for (; !loops.steady() && batches < 30'000; ++batches)
      loops.add(0, {.kernels = &kernels}, record_of(microseconds(99 + 2 * random.uniform())));
    return batches;
  };
  EXPECT_LT(3 * needed(SteadyLoops::one_of_many), needed(SteadyLoops::alone));
}

TEST(RepeatedBatches, of_a_lone_loop_end_when_they_do_kernel_by_kernel_and_use_the_same) {
  const auto kernels = sequence({kernel(30, 6), kernel(20, 12, 0.5F)});
  Loops exact(every_kernel), steady(until_steady);
  for (Loops* const loops : {&exact, &steady}) {
    loops->add(kernels, microseconds(3));
    loops->run_to(milliseconds(100.5));
  }
  EXPECT_EQ(exact.ends(0), steady.ends(0));
  EXPECT_EQ(exact.gpu().repeating(), Duration::zero());
  EXPECT_GT(steady.gpu().repeating(), milliseconds(90));
  const Running by_kernel = exact.gpu().running(exact.id(0)), repeated = steady.gpu().running(steady.id(0));
  EXPECT_NEAR(sim::to_us(by_kernel.total), sim::to_us(repeated.total), 50);  // one batch
  EXPECT_NEAR(by_kernel.used.sm_active, repeated.used.sm_active, 50e-6);
  EXPECT_NEAR(by_kernel.used.dram_bytes, repeated.used.dram_bytes, 2e5);
  EXPECT_NEAR(sim::to_us(exact.gpu().busy()), sim::to_us(steady.gpu().busy()), 50);
}

// One to four loops of random kernels.
// Rates from 200 ms on within 0.4 %; use of the GPU and the time that it is busy within `tolerance`.
void expect_the_same(Loops& exact, Loops& steady, double tolerance, std::uint64_t seed) {
  double used = 0, repeated = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(steady.rate(i, milliseconds(200)) / exact.rate(i, milliseconds(200)), 1, 0.004) << seed;
    used += exact.gpu().running(exact.id(i)).used.sm_active;
    repeated += steady.gpu().running(steady.id(i)).used.sm_active;
  }
  EXPECT_NEAR(repeated / used, 1, tolerance) << seed;
  EXPECT_NEAR(sim::to_seconds(steady.gpu().busy()) / sim::to_seconds(exact.gpu().busy()), 1, tolerance)
      << seed;
}

TEST(RepeatedBatches, have_the_rates_that_every_kernel_gives) {
  int repeated_half = 0;  // runs of which at least half was repeated
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    sim::RandomStream random(seed, "loops");
    const auto between = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low)));
    };
    std::deque<KernelSequence> all;
    const int count = between(1, 5);
    for (int i = 0; i < count; ++i) {
      std::vector<Kernel> kernels;
      for (int left = between(2, 8); left > 0; --left)
        kernels.push_back(kernel(between(5, 60), static_cast<std::uint32_t>(between(1, 40)),
                                 between(0, 2) == 0 ? 0.5F : 0));
      all.push_back(sequence(std::move(kernels)));
    }
    Loops exact(every_kernel), steady(until_steady);
    for (Loops* const loops : {&exact, &steady}) {
      for (const KernelSequence& kernels : all) loops->add(kernels, microseconds(2));
      loops->run_to(milliseconds(500));
    }
    expect_the_same(exact, steady, 0.005, seed);
    repeated_half += steady.gpu().repeating() > milliseconds(250) ? 1 : 0;
  }
  EXPECT_GE(repeated_half, 6);
}

// Kernels wait for their launches, some of which take as long as the kernels do.
TEST(RepeatedBatches, of_late_hosts_have_the_rates_that_every_kernel_gives) {
  const auto large = sequence({kernel(60, 30), kernel(40, 12, 0.5F), kernel(30, 8)});
  const auto small = sequence({kernel(20, 6), kernel(10, 4)});
  for (const int each_us : {40, 70, 120}) {
    Loops exact(every_kernel), steady(until_steady);
    for (Loops* const loops : {&exact, &steady}) {
      loops->add(large, {}, 0, microseconds(each_us), 0.2);
      loops->add(large, {}, 1, microseconds(each_us), 0.2);
      loops->add(small, {}, 2, microseconds(each_us), 0.2);
      loops->run_to(milliseconds(2000));
    }
    expect_the_same(exact, steady, 0.01, static_cast<std::uint64_t>(each_us));
    EXPECT_GT(steady.gpu().repeating(), milliseconds(1000)) << each_us;
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_NEAR(steady.p99_us(i, milliseconds(200)) / exact.p99_us(i, milliseconds(200)), 1, 0.02)
          << each_us;
  }
}

// Three or four networks, which never come into step, of which some are launched kernel by kernel.
TEST(RepeatedBatches, of_random_mixes_have_the_rates_and_the_tails_that_every_kernel_gives) {
  int repeated_half = 0;
  constexpr int mixes = 8;
  int tails = 0, off = 0;
  for (std::uint64_t seed = 1; seed <= mixes; ++seed) {
    sim::RandomStream random(seed, "mixes");
    const auto between = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low)));
    };
    std::deque<KernelSequence> all;
    std::vector<Duration> each;
    for (int count = between(3, 5); count > 0; --count) {
      std::vector<Kernel> kernels;
      for (int left = between(6, 20); left > 0; --left)
        kernels.push_back(kernel(between(5, 40), static_cast<std::uint32_t>(between(4, 60)),
                                 between(0, 2) == 0 ? 0.5F : 0));
      all.push_back(sequence(std::move(kernels)));
      each.push_back(microseconds(between(0, 3)));
    }
    Loops exact(every_kernel), steady(until_steady);
    for (Loops* const loops : {&exact, &steady}) {
      for (std::size_t i = 0; i < all.size(); ++i) loops->add(all[i], microseconds(3), 0, each[i]);
      loops->run_to(sim::seconds(1));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Duration from = milliseconds(200);
      EXPECT_NEAR(steady.rate(i, from) / exact.rate(i, from), 1, 0.005) << seed;
      const double tail = steady.p99_us(i, from) / exact.p99_us(i, from);
      EXPECT_NEAR(tail, 1, 0.04) << seed;
      off += std::abs(tail - 1) > 0.02 ? 1 : 0;
      ++tails;
    }
    repeated_half += steady.gpu().repeating() > milliseconds(500) ? 1 : 0;
  }
  EXPECT_GE(repeated_half, mixes / 2);
  EXPECT_LE(20 * off, 2 * tails);
}

// The host of the second loop takes four times as long for its launches as the GPU for its kernels.
TEST(RepeatedBatches, are_not_those_of_late_hosts_that_pause) {
  const auto first = sequence({kernel(30, 16)}), second = sequence(std::vector(10, kernel(10, 8)));
  Loops loops(until_steady);
  loops.add(first, microseconds(2));
  loops.add(second, microseconds(20), 0, microseconds(40));
  loops.run_to(milliseconds(500));
  EXPECT_EQ(loops.gpu().repeating(), Duration::zero());
}

// Processes of one to three streams. Slices of 1 ms end in the middle of batches, and cost a switch and a
// refill.
TEST(RepeatedBatches, of_processes_in_turns_have_the_rates_that_every_kernel_gives) {
  Spec spec = free_device(4).gpu;
  spec.time_slicing.slice = milliseconds(1);
  spec.time_slicing.slice_jitter = microseconds(20);
  spec.time_slicing.switch_when_idle = spec.time_slicing.switch_at_expiry = microseconds(50);
  spec.time_slicing.restart_after_expiry = microseconds(10);
  int repeated_half = 0;  // runs of which at least half was repeated
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    sim::RandomStream random(seed, "loops in turns");
    const auto between = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low)));
    };
    Loops exact(every_kernel, 1U << 30U, SpaceOf::each_process, spec);
    Loops steady(until_steady, 1U << 30U, SpaceOf::each_process, spec);
    std::deque<KernelSequence> all;
    for (std::uint32_t process = 0; process < 2; ++process) {
      std::vector<Kernel> kernels;
      for (int left = between(2, 8); left > 0; --left)
        kernels.push_back(kernel(between(5, 60), static_cast<std::uint32_t>(between(1, 40))));
      all.push_back(sequence(std::move(kernels)));
      for (int streams = between(1, 4); streams > 0; --streams)
        for (Loops* const loops : {&exact, &steady}) loops->add(all.back(), microseconds(2), process);
    }
    for (Loops* const loops : {&exact, &steady}) loops->run_to(milliseconds(600));
    expect_the_same(exact, steady, 0.01, seed);
    repeated_half += steady.gpu().repeating() > milliseconds(300) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(steady.gpu().switches()) / static_cast<double>(exact.gpu().switches()), 1,
                0.01)
        << seed;
  }
  EXPECT_GE(repeated_half, 6);
}

// Both loops slow each other down. From 200 ms on there is a third.
TEST(RepeatedBatches, end_when_another_loop_begins) {
  const auto two = sequence({kernel(30, 16), kernel(20, 24)}), other = sequence({kernel(50, 32)});
  const auto rates = [&](const Precision& way) {
    Loops loops(way);
    loops.add(two, microseconds(2));
    loops.add(two, microseconds(2));
    loops.run_to(milliseconds(200));
    EXPECT_EQ(way.has_value(), loops.gpu().repeating() > milliseconds(100));
    loops.add(other, microseconds(2));
    loops.run_to(milliseconds(600));
    return std::vector{loops.rate(0, milliseconds(300)), loops.rate(2, milliseconds(300))};
  };
  const auto exact = rates(every_kernel), steady = rates(until_steady);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(steady[i] / exact[i], 1, 0.005) << i;
}

// A long batch beside the loop while it is recorded: what it took then is not what it takes later.
TEST(RepeatedBatches, are_not_those_beside_a_batch_that_is_over) {
  const auto loop = sequence({kernel(20, 16)}), other = sequence(std::vector(400, kernel(50, 32)));
  const auto rate = [&](const Precision& way) {
    Loops loops(way);
    loops.add(loop, microseconds(2));
    loops.run_to(milliseconds(20));
    const ContextId id = loops.gpu().create_context(
        {.name = "other", .follow_up_prolongs_turn = true, .per_launch = {}, .listener = {}});
    loops.gpu().enqueue(id, other, false);
    loops.run_to(milliseconds(300));
    return loops.rate(0, milliseconds(100));
  };
  EXPECT_NEAR(rate(until_steady) / rate(every_kernel), 1, 0.001);
}

TEST(RepeatedBatches, end_when_a_loop_ends) {
  const auto short_one = sequence({kernel(20, 32)}), long_one = sequence({kernel(60, 32)});
  const auto ends = [&](const Precision& way) {
    Loops loops(way, 1000);
    loops.add(short_one, microseconds(1));
    loops.add(long_one, microseconds(1));
    loops.run_to(sim::seconds(1));
    return std::vector{loops.ends(0).back(), loops.ends(1).back()};
  };
  const auto exact = ends(every_kernel), steady = ends(until_steady);
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_NEAR(sim::to_us(steady[i] - Time::zero()) / sim::to_us(exact[i] - Time::zero()), 1, 0.005) << i;
}

TEST(RepeatedBatches, follow_a_change_of_the_clock) {
  const auto kernels = sequence({kernel(30, 16), kernel(20, 24)});
  Loops loops(until_steady);
  for (int i = 0; i < 2; ++i) loops.add(kernels, Duration::zero());
  loops.run_to(milliseconds(200));
  const double before = loops.rate(0, milliseconds(100));
  loops.gpu().set_rates({.clock = 0.5, .memory = 1});
  loops.run_to(milliseconds(600));
  EXPECT_NEAR(loops.rate(0, milliseconds(300)) / before, 0.5, 0.01);
  EXPECT_GT(loops.gpu().repeating(), milliseconds(350));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test::steady
