// The price of activity: the laws that any energy account obeys.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models/power/energy.hpp"

namespace jostle::power {
namespace JOSTLE_FILE {

Spec board() {
  Spec spec;
  spec.cpu = {
      .voltage = {{1e8, 0.6}, {2e9, 0.9}}, .core_f = 0.4e-9, .idle_core_f = 0.02e-9, .leakage_w = 0.05};
  spec.gpu.voltage = {{3e8, 0.6}, {6e8, 0.6}, {1e9, 0.8}};
  spec.gpu.clock_tree_f = 0.125e-9;
  spec.gpu.busy_f = 0.0625e-9;
  spec.gpu.sm_f = 0.4e-9;
  spec.gpu.tensor_f = 0.6e-9;
  spec.gpu.issue_f = 0.3e-9;
  spec.gpu.warp_f = 0.1e-9;
  spec.gpu.byte_j = 5e-12;
  spec.gpu.leakage_w = 0.0375;
  spec.dla = {.voltage = {{1e9, 0.7}}, .busy_f = 2e-9, .idle_f = 0.1e-9, .leakage_w = 0.1};
  spec.soc = {.voltage = {{2e9, 0.65}, {3e9, 0.8}}, .base_w = 1, .clock_f = 0.2e-9, .byte_j = 20e-12};
  spec.dram = {.base_w = 0.2, .clock_w_per_hz = 1e-10, .byte_j = 40e-12};
  spec.base_w = 2;
  spec.efficiency = 0.9;
  spec.rails = {{"GPU", {Part::gpu}},
                {"rest", {Part::cpu, Part::dla, Part::soc, Part::dram, Part::base, Part::loss}}};
  return spec;
}

// Shares of what there is, 0 to 1.
double share(int percent) {
  return static_cast<double>(percent) / 100;
}

struct Shares {
  int cores = 0, gpu = 0, working = 0, tensor = 0, memory = 0, dla = 0, issue = 0;
};

Activity activity(double seconds, const Shares& shares) {
  Activity activity;
  activity.seconds = seconds;
  activity.clusters = {{.hz = 1.5e9, .online = 4, .busy_core_s = 4 * seconds * share(shares.cores)},
                       {.hz = 0.7e9, .online = 2, .busy_core_s = 0}};
  activity.sms = 8;
  activity.gpu_hz = 0.8e9;
  activity.emc_hz = 2.5e9;
  activity.dla_hz = 1e9;
  activity.gpu_busy_s = seconds * share(shares.gpu);
  activity.working_s = activity.gpu_busy_s * share(shares.working);
  activity.tensor_s = activity.working_s * share(shares.tensor);
  activity.issue_s = activity.working_s * share(shares.issue);
  activity.gpu_dram_bytes = 1e11 * seconds * share(shares.memory);
  activity.dram_bytes = activity.gpu_dram_bytes + 1e9 * seconds;
  activity.dlas = 2;
  activity.dla_busy_s = 2 * seconds * share(shares.dla);
  return activity;
}

Shares any_shares() {
  const auto percent = [] { return *rc::gen::inRange(0, 101); };
  return {percent(), percent(), percent(), percent(), percent(), percent(), percent()};
}

double joules(const Activity& of, double celsius = 50) {
  return sum_of(energy_of(board(), of, celsius));
}

RC_GTEST_PROP(Energy, is_the_sum_of_its_parts_and_of_its_rails, ()) {
  const PerPart parts = energy_of(board(), activity(1.5, any_shares()), 50);
  double rails = 0;
  for (const Rail& rail : board().rails) rails += on_rail(rail, parts);
  RC_ASSERT(std::abs(rails - sum_of(parts)) < 1e-9 * rails);
  for (const double part : parts) RC_ASSERT(part >= 0 && std::isfinite(part));
}

RC_GTEST_PROP(Energy, of_two_stretches_is_that_of_both_together, ()) {
  const Shares shares = any_shares();
  const double first = *rc::gen::inRange(1, 1000) * 1e-3, second = *rc::gen::inRange(1, 1000) * 1e-3;
  const double apart = joules(activity(first, shares)) + joules(activity(second, shares));
  const double together = joules(activity(first + second, shares));
  RC_ASSERT(std::abs(apart - together) < 1e-9 * together);
}

RC_GTEST_PROP(Energy, rises_with_every_activity, ()) {
  const Shares shares = any_shares();
  const double before = joules(activity(1, shares));
  const auto more = [](int percent) { return percent + (101 - percent) / 2; };
  Shares busier = shares;
  int Shares::*const which[] = {&Shares::cores,  &Shares::gpu, &Shares::working, &Shares::tensor,
                                &Shares::memory, &Shares::dla, &Shares::issue};
  int Shares::*const one = which[*rc::gen::inRange(0, 7)];
  busier.*one = std::min(more(shares.*one), 100);
  RC_ASSERT(joules(activity(1, busier)) >= before);
  if (one == &Shares::cores && busier.cores > shares.cores) RC_ASSERT(joules(activity(1, busier)) > before);
}

RC_GTEST_PROP(Energy, rises_with_clock_at_the_same_shares, ()) {
  const Shares shares = any_shares();
  Activity slow = activity(1, shares), fast = slow;
  slow.gpu_hz = *rc::gen::inRange(300, 900) * 1e6;
  fast.gpu_hz = slow.gpu_hz + 1e8;
  RC_ASSERT(joules(fast) > joules(slow));
  Activity cool = slow, hot = slow;
  hot.clusters.front().hz = 1.8e9;
  RC_ASSERT(joules(hot) > joules(cool));
  Activity low = slow, high = slow;
  low.emc_hz = 2.1e9;
  high.emc_hz = 2.9e9;
  RC_ASSERT(joules(high) > joules(low));
}

TEST(Energy, of_a_slow_cluster_is_at_the_voltage_that_the_fast_one_needs) {
  const auto cpu = [](double slow_hz, int fast_online) {
    Activity two = activity(1, {});
    two.clusters = {{.hz = 2e9, .online = fast_online}, {.hz = slow_hz, .online = 2}};
    return energy_of(board(), two, board().reference_c)[static_cast<std::size_t>(Part::cpu)];
  };
  // Six idle cores at 0.9 V: they leak as at the highest voltage, and switch at their own clocks.
  EXPECT_NEAR(cpu(0.1e9, 4), 6 * 0.05 + 0.02e-9 * 0.81 * (4 * 2e9 + 2 * 0.1e9), 1e-12);
  // A cluster without cores that are online needs no voltage.
  EXPECT_NEAR(cpu(0.1e9, 0), 2 * 0.05 * std::pow(0.6 / 0.9, 3) + 0.02e-9 * 0.36 * 2 * 0.1e9, 1e-12);
}

TEST(Energy, of_no_time_is_nothing) {
  const PerPart parts = energy_of(board(), activity(0, {}), 50);
  for (const double part : parts) EXPECT_EQ(part, 0);
}

TEST(Energy, of_an_idle_board_is_leakage_clock_trees_and_base) {
  const Spec spec = board();
  const PerPart parts = energy_of(spec, activity(2, {}), spec.reference_c);
  const double volts = voltage_at(spec.gpu.voltage, 0.8e9);
  const double leakage = 0.3 * std::pow(volts / 0.8, 3);
  EXPECT_NEAR(parts[static_cast<std::size_t>(Part::gpu)], 2 * (1e-9 * volts * volts * 0.8e9 + leakage), 1e-9);
  EXPECT_DOUBLE_EQ(parts[static_cast<std::size_t>(Part::base)], 4);
}

TEST(Energy, of_an_sm_grows_with_the_warps_that_it_holds) {
  Activity spinning = activity(1, {.gpu = 100, .working = 100});
  const double few = joules(spinning);
  spinning.warps_s = 0.5;
  const double volts = voltage_at(board().gpu.voltage, 0.8e9);
  EXPECT_NEAR(joules(spinning) - few, 8 * 0.5 * 0.1e-9 * volts * volts * 0.8e9 / board().efficiency, 1e-9);
}

TEST(Energy, rises_with_voltage_by_its_square) {
  Spec spec = board();
  spec.cpu.leakage_w = 0;
  const Activity busy = activity(1, {.cores = 100});
  const double before = energy_of(spec, busy, 50)[0];
  for (VoltagePoint& point : spec.cpu.voltage) point.volts *= 1.1;
  EXPECT_NEAR(energy_of(spec, busy, 50)[0], 1.21 * before, 1e-9);
}

TEST(Energy, leaks_more_when_hot) {
  EXPECT_GT(joules(activity(1, {}), 80), joules(activity(1, {}), 40));
}

TEST(Energy, of_a_gated_gpu_is_nothing) {
  Activity gated = activity(1, {});
  gated.gpu_gated_s = 1;
  EXPECT_EQ(energy_of(board(), gated, 50)[static_cast<std::size_t>(Part::gpu)], 0);
}

TEST(Energy, of_skipped_pulses_has_the_voltage_of_the_faster_clock) {
  Activity slowed = activity(1, {.gpu = 100, .working = 100}), slow = slowed;
  slowed.gpu_hz = 0.5e9;
  slowed.gpu_pulses = 0.5;
  slow.gpu_hz = 0.5e9;
  EXPECT_GT(joules(slowed), joules(slow));
}

TEST(Voltage, lies_on_straight_lines_and_is_flat_outside) {
  const VoltageCurve curve{{1e9, 0.6}, {2e9, 0.8}};
  EXPECT_DOUBLE_EQ(voltage_at(curve, 1.5e9), 0.7);
  EXPECT_DOUBLE_EQ(voltage_at(curve, 0.5e9), 0.6);
  EXPECT_DOUBLE_EQ(voltage_at(curve, 3e9), 0.8);
}

TEST(Wall, adds_the_carrier_board_and_the_supplys_losses) {
  EXPECT_DOUBLE_EQ(at_wall({.base_w = 3, .efficiency = 0.8}, 9), 15);
}

TEST(Energy, an_sm_without_power_draws_nothing) {
  Activity idle = activity(1, {});
  const double eight = energy_of(board(), idle, 45)[static_cast<std::size_t>(Part::gpu)];
  idle.sms = 4;
  EXPECT_NEAR(energy_of(board(), idle, 45)[static_cast<std::size_t>(Part::gpu)], eight / 2, 1e-9);
  idle.sms = 0;
  EXPECT_EQ(energy_of(board(), idle, 45)[static_cast<std::size_t>(Part::gpu)], 0);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
