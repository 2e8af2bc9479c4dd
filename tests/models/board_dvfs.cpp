// Governors and controllers on a running board: that clocks follow, work is re-timed, and the energy adds up.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models/board/dvfs.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::board {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::milliseconds;
using sim::seconds;

DeviceSpec device() {
  DeviceSpec spec;
  spec.name = "board";
  spec.cpu->clusters = {
      {.name = "c", .cores = 2, .max_clock_hz = 2e9, .clock_table_hz = {5e8, 1e9, 1.5e9, 2e9}}};
  spec.cpu->reference_clock_hz = 2e9;
  spec.cpu->scheduler = {.tick = milliseconds(4),
                         .latency = milliseconds(6),
                         .min_granularity = milliseconds(1),
                         .wakeup_granularity = milliseconds(1)};
  spec.gpu.sm_count = 4;
  spec.gpu.max_clock_hz = 1e9;
  spec.gpu.clock_table_hz = {2e8, 4e8, 6e8, 8e8, 1e9};
  spec.gpu.bandwidth_bytes_per_s = 5e10;
  spec.gpu.bandwidth_efficiency = 1;
  spec.gpu.time_slicing.slice = milliseconds(1);
  spec.memory.max_clock_hz = 2e9;
  spec.memory.clock_table_hz = {5e8, 1e9, 2e9};
  spec.runtimes[process::Runtime::eager].emplace().per_launch = sim::microseconds(5);
  spec.sync.poll = sim::microseconds(1);
  power::Spec& power = spec.power.emplace();
  power.cpu = {.voltage = {{5e8, 0.6}, {2e9, 1.0}}, .core_f = 1e-9, .idle_core_f = 1e-11, .leakage_w = 0.05};
  power.gpu.voltage = {{2e8, 0.6}, {1e9, 0.9}};
  power.gpu.clock_tree_f = 2.5e-11;
  power.gpu.busy_f = 1.25e-9;
  power.gpu.leakage_w = 0.025;
  power.gpu.gated_after_s = 0.5;
  power.base_w = 1;
  power.scaling.cpu = power::cpu_governor("schedutil");
  power.scaling.gpu = power::gpu_governor("nvhost_podgov");
  power.scaling.cpu_delay = milliseconds(1);
  power.scaling.gpu_delay = milliseconds(5);
  power.scaling.emc_delay = milliseconds(8);
  return spec;
}

// Ten kernels of a millisecond at full clock, bound by arithmetic; a closed loop, or asked for now and then.
process::Spec process(Duration period = Duration::zero()) {
  gpu::Kernel kernel;
  kernel.duration = milliseconds(1);
  kernel.sm_active = 1;
  process::Spec spec;
  spec.name = "p";
  spec.runtime = process::Runtime::eager;
  spec.sync = process::Sync::blocking;
  spec.kernels.edit().kernels.assign(10, kernel);
  spec.kernels.edit().rebuild_finish();
  if (period > Duration::zero()) {
    spec.arrivals.kind = process::ArrivalKind::periodic;
    spec.arrivals.rate_per_s = 1 / sim::to_seconds(period);
    spec.arrivals.phase = Duration::zero();
  }
  return spec;
}

DvfsSetup governed() {
  DvfsSetup setup;
  setup.cpu_pinned = setup.gpu_pinned = false;
  return setup;
}

struct Bench {
  explicit Bench(const DeviceSpec& spec, std::vector<process::Spec> processes,
                 const DvfsSetup& changes = governed())
      : board(engine, spec, {.cores = {}, .clocks = {}, .processes = std::move(processes), .seed = 1}),
        dvfs(engine, board, with_limits(spec, changes)) {}

  static DvfsSetup with_limits(const DeviceSpec& spec, DvfsSetup setup) {
    if (setup.limits.gpu_hz <= 0) setup.limits = maximum_clocks(spec);
    setup.scaling = spec.power->scaling;
    return setup;
  }
  PowerReport run(Duration duration) {
    engine.run(engine.now() + duration);
    return dvfs.report();
  }

  sim::Engine engine;
  Board board;
  Dvfs dvfs;
};

double share_at(const StateTimes& states, double hz) {
  double all = 0, there = 0;
  for (const auto& [clock, held_s] : states) {
    all += held_s;
    if (clock == hz) there = held_s;
  }
  return there / all;
}

TEST(Dvfs, a_saturated_gpu_rises_to_its_highest_clock_and_stays) {
  Bench bench(device(), {process()});
  const PowerReport report = bench.run(seconds(4));
  EXPECT_GT(share_at(report.gpu, 1e9), 0.9);
  EXPECT_GT(share_at(report.gpu, 2e8), 0);  // where it began
}

TEST(Dvfs, a_gpu_with_little_to_do_settles_low_and_one_without_work_at_its_lowest) {
  Bench little(device(), {process(milliseconds(100))});
  EXPECT_LT(share_at(little.run(seconds(4)).gpu, 1e9), 0.1);
  Bench nothing(device(), {process(seconds(100))});
  nothing.run(seconds(2));
  EXPECT_EQ(nothing.board.clocks().gpu_hz, 2e8);
}

TEST(Dvfs, the_first_change_of_a_clock_comes_a_poll_and_a_delay_after_the_load) {
  Bench bench(device(), {process()});
  bench.engine.run(sim::Time::zero() + milliseconds(54.999));
  EXPECT_EQ(bench.board.clocks().gpu_hz, 2e8);  // polls at 25 and 50 ms, nothing before 50 (block_window)
  bench.engine.run(sim::Time::zero() + milliseconds(55));
  EXPECT_GT(bench.board.clocks().gpu_hz, 2e8);
}

TEST(Dvfs, pinned_clocks_stand_at_their_limits_throughout) {
  Bench bench(device(), {process()}, {});
  const PowerReport report = bench.run(seconds(1));
  EXPECT_EQ(share_at(report.gpu, 1e9), 1);
  EXPECT_EQ(share_at(report.clusters.front(), 2e9), 1);
}

TEST(Dvfs, work_at_half_the_clock_takes_twice_as_long) {
  DvfsSetup half;
  half.limits = maximum_clocks(device());
  Bench fast(device(), {process()}, half);
  fast.run(seconds(2));
  DvfsSetup slow = half;
  Bench slowed(device(), {process()}, slow);
  slowed.board.set_clocks({.clusters_hz = {}, .gpu_hz = 5e8});
  slowed.run(seconds(2));
  const auto batches = [](Bench& bench) {
    return static_cast<double>(bench.board.processes().front().batches());
  };
  EXPECT_NEAR(batches(slowed), batches(fast) / 2, 1);
}

RC_GTEST_PROP(Dvfs, energy_is_power_over_time_and_the_sum_of_the_parts, ()) {
  const auto period = milliseconds(*rc::gen::inRange(20, 300));
  Bench bench(device(), {process(period), process(3 * period)});
  const PowerReport report = bench.run(milliseconds(*rc::gen::inRange(1, 900)));
  const double joules = power::sum_of(report.joules);
  RC_ASSERT(joules > 0);
  RC_ASSERT(std::abs(report.seconds - sim::to_seconds(bench.engine.now() - sim::Time::zero())) < 1e-9);
  RC_ASSERT(report.peak_w >= joules / report.seconds * (1 - 1e-9));
  double held = 0;
  for (const auto& [hz, held_s] : report.gpu) held += held_s;
  RC_ASSERT(std::abs(held - report.seconds) < 1e-9);
}

TEST(Dvfs, reading_the_meter_more_often_changes_no_energy) {
  Bench once(device(), {process(milliseconds(37))}), often(device(), {process(milliseconds(37))});
  const double whole = power::sum_of(once.run(seconds(1)).joules);
  PowerReport report;
  for (int i = 0; i < 1000; ++i) report = often.run(milliseconds(1));
  EXPECT_NEAR(power::sum_of(report.joules), whole, 1e-6 * whole);
}

TEST(Dvfs, an_idle_board_draws_its_idle_power) {
  DeviceSpec spec = device();
  Bench bench(spec, {process(seconds(1000))});
  bench.run(seconds(2));
  bench.dvfs.before_end_of_warmup();
  bench.board.end_warmup();
  bench.dvfs.after_end_of_warmup();
  const PowerReport report = bench.run(seconds(1));
  power::Activity idle{
      .seconds = 1, .clusters = {{.hz = 5e8, .online = 2}}, .sms = 4, .gpu_hz = 2e8, .emc_hz = 2e9};
  idle.gpu_gated_s = 1;
  EXPECT_NEAR(power::sum_of(report.joules), power::sum_of(power::energy_of(*spec.power, idle, 45)), 1e-9);
}

TEST(Dvfs, a_power_cap_is_kept_and_named) {
  DvfsSetup setup = governed();
  setup.cap = power::PowerCapSpec{.budget_w = 3.5, .window = milliseconds(500)};
  Bench capped(device(), {process()}, setup), free(device(), {process()});
  const auto mean = [](const PowerReport& report) { return power::sum_of(report.joules) / report.seconds; };
  EXPECT_GT(mean(free.run(seconds(10))), 4);
  const PowerReport report = capped.run(seconds(10));
  EXPECT_LT(mean(report), 3.5);
  EXPECT_GT(report.held_s[static_cast<std::size_t>(power::Cause::power_cap)], 8)
      << "nearly all of the time, whatever its governor asks for in between";
  EXPECT_GT(capped.dvfs.account().throttled_s(0), 0);
  EXPECT_EQ(free.dvfs.account().throttled_s(0), 0);
}

TEST(Dvfs, the_power_limit_of_a_card_is_kept_and_named_beside_a_cap) {
  DvfsSetup setup = governed();
  setup.gpu_pinned = true;
  setup.limit = power::PowerLimitSpec{
      .budget_w = 3.5, .window = milliseconds(900), .period = milliseconds(20), .gain = 5.5, .burst = 1.07};
  Bench limited(device(), {process()}, setup);
  const auto mean = [](const PowerReport& report) { return power::sum_of(report.joules) / report.seconds; };
  const auto held = [](const PowerReport& report, power::Cause cause) {
    return report.held_s[static_cast<std::size_t>(cause)];
  };
  const PowerReport report = limited.run(seconds(20));
  EXPECT_LE(mean(report), 3.5);
  EXPECT_GT(mean(report), 0.78 * 3.5) << "the board has five clocks, and the next is above the limit";
  EXPECT_GT(held(report, power::Cause::power_limit), 10);
  EXPECT_EQ(held(report, power::Cause::power_cap), 0);

  setup.cap = power::PowerCapSpec{.budget_w = 2.5, .window = milliseconds(500)};
  Bench capped(device(), {process()}, setup);
  const PowerReport lower = capped.run(seconds(20));
  EXPECT_LE(mean(lower), 2.503) << "the last readings may be owed";
  EXPECT_GT(mean(lower), 2.45) << "clocks alternate between two of the five";
  EXPECT_GT(held(lower, power::Cause::power_cap), 15);
}

DeviceSpec with_alarm_at(double watts) {
  DeviceSpec spec = device();
  power::OverCurrentSpec& alarms = spec.power->over_current.emplace();
  alarms.instantaneous = power::OverCurrentAlarm{
      .threshold_w = watts, .averaging = {}, .ratio = 0.5, .release = milliseconds(5)};
  return spec;
}

// Governed clocks start low, where no reading is needed: the alarm is raised once they have risen.
TEST(Dvfs, an_alarm_is_raised_by_clocks_that_rise_and_not_by_those_that_cannot) {
  const auto alarmed_s = [](double watts) {
    Bench bench(with_alarm_at(watts), {process()});
    return bench.run(seconds(2)).held_s[static_cast<std::size_t>(power::Cause::over_current)];
  };
  EXPECT_GT(alarmed_s(4), 0.2);
  EXPECT_EQ(alarmed_s(20), 0);
}

TEST(Dvfs, a_board_that_cannot_draw_as_much_is_not_read_for_alarms) {
  const auto steps = [](const DeviceSpec& spec, std::vector<process::Spec> processes) {
    Bench bench(spec, std::move(processes));
    (void)bench.run(seconds(2));
    return bench.engine.steps();
  };
  EXPECT_EQ(steps(with_alarm_at(20), {process()}), steps(device(), {process()}));
  // With little to do its clocks go down; until then there are a few readings.
  EXPECT_LT(steps(with_alarm_at(4), {process(seconds(1000))}),
            steps(device(), {process(seconds(1000))}) + 10);
}

TEST(Dvfs, heat_steps_clocks_down_and_without_any_it_would_not) {
  DeviceSpec spec = device();
  spec.power->thermal = power::ThermalSpec{
      .stages = {{.resistance_k_per_w = 6, .resistance_without_k_per_w = 30, .capacity_j_per_k = 0.5}},
      .fan_curve = {},
      .passive_c = 80,
      .critical_c = 200};
  DvfsSetup cooled, hot;
  hot.fan = false;
  Bench with_fan(spec, {process()}, cooled), without(spec, {process()}, hot);
  EXPECT_EQ(with_fan.run(seconds(60)).held_s[static_cast<std::size_t>(power::Cause::thermal)], 0);
  const PowerReport report = without.run(seconds(60));
  EXPECT_GT(report.held_s[static_cast<std::size_t>(power::Cause::thermal)], 20);
  EXPECT_LT(report.celsius, 95);
  EXPECT_GT(report.peak_celsius, 80);
}

TEST(Dvfs, a_board_that_reaches_its_critical_trip_goes_down) {
  DeviceSpec spec = device();
  spec.power->thermal = power::ThermalSpec{
      .stages = {{.resistance_k_per_w = 50, .resistance_without_k_per_w = 50, .capacity_j_per_k = 0.2}},
      .fan_curve = {},
      .passive_c = 90,
      .critical_c = 100};
  Bench bench(spec, {process()}, {});
  bench.run(seconds(100));
  EXPECT_TRUE(bench.dvfs.down());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::board
