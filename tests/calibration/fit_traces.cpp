// Estimators on tables whose truth is known, made by the mechanism that each is of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibration/fit/launch_cost.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "calibration/fit/trace_priors.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

input::CsvTable table(const std::string& text) {
  return input::CsvTable::parse(text, "made-up.csv");
}

double any(double least, double most) {
  return least + (most - least) * (*rc::gen::inRange(0, 100'001)) / 100'000.0;
}

// `processes` kernels that spin, stopped while the others have the GPU.
std::string spinning(int processes, double slice_us, double switch_us, int gaps = 30) {
  std::string rows;
  const double period = processes * (slice_us + switch_us);
  for (int p = 0; p < processes; ++p) {
    for (int k = 0; k < gaps; ++k) {
      const double start = p * (slice_us + switch_us) + slice_us + k * period;
      rows += std::to_string(processes) + ',' + std::to_string(p) + ',' + std::to_string(k) + ',' +
              std::to_string(1e3 * start) + ',' + std::to_string(1e3 * (start + period - slice_us)) + '\n';
    }
  }
  return rows;
}
const std::string spinning_header = "processes,process,interval,gap_start_ns,gap_end_ns\n";

// Two processes that always have kernels of `kernel_us`, stamped from `front_us` after their start.
std::vector<Turn> expiring_turns(double slice_us, double switch_us, double restart_us, double kernel_us,
                                 int turns = 400) {
  const double front_us = 2;
  std::vector<Turn> all;
  double next = 0;
  struct {
    double left = 0;          // of a kernel that was cut short
    std::ptrdiff_t cut = -1;  // the turn in which it was stamped
  } of[2];
  for (int i = 0; i < turns; ++i) {
    auto& own = of[i % 2];
    // Slices differ by up to half a kernel, evenly, so that expiries fall everywhere in one.
    const double begin = next, end = begin + slice_us + kernel_us * (std::fmod(i * 0.6180339887, 1) - 0.5);
    next = end + switch_us;
    double t = begin + (i < 2 ? 0 : restart_us) + own.left;
    if (own.cut >= 0) all[static_cast<std::size_t>(own.cut)].end_us = t;
    // One whose first stamp is to come yet belongs to this turn.
    const bool whole = own.cut >= 0 || own.left <= 0;
    Turn turn{static_cast<std::uint32_t>(i % 2), t + (whole ? front_us : front_us - kernel_us), t,
              whole ? 0 : 1};
    const double done = std::floor((end - t) / kernel_us);
    turn.kernels += static_cast<int>(done);
    turn.end_us = t + done * kernel_us;
    const double into = end - turn.end_us;
    own.left = kernel_us - into;
    own.cut = into > front_us ? static_cast<std::ptrdiff_t>(all.size()) : -1;
    turn.kernels += own.cut >= 0 ? 1 : 0;
    all.push_back(turn);
  }
  return all;
}

// Processes that launch a kernel every `period_us`, drained in turns.
std::vector<Turn> draining_turns(int processes, double period_us, double service_us, double switch_us,
                                 double front_us, int turns = 250) {
  std::vector<Turn> all;
  std::vector<double> next(static_cast<std::size_t>(processes), 0);
  double now = 0;
  for (int i = 0; i < turns; ++i) {
    const auto p = static_cast<std::size_t>(i % processes);
    now = std::max(now, next[p]);
    Turn turn{static_cast<std::uint32_t>(p), now, now, 0};
    while (next[p] <= now) {
      now += service_us;
      next[p] += period_us;
      ++turn.kernels;
    }
    turn.end_us = now;
    all.push_back(turn);
    now += switch_us;
  }
  for (Turn& turn : all) turn.start_us += front_us, turn.end_us += front_us;
  return all;
}

SharingRun graphs(std::vector<Turn> turns, double kernel_us, std::uint32_t threads = 256) {
  const SharingProcess process{kernel_us, 132, threads, true};
  return {"made up", {process, process}, std::move(turns)};
}

RC_GTEST_PROP(SpinnerEstimates, recover_slice_and_switch_whatever_they_are, ()) {
  const double slice = any(200, 20'000), change = any(5, 500);
  const auto found = spinners(table(spinning_header + spinning(2, slice, change) +
                                    spinning(3, slice, change) + spinning(8, slice, change)));
  RC_ASSERT(found.slice && found.switch_at_expiry);
  RC_ASSERT(std::abs(found.slice->value - slice) < 1e-3 * slice);
  RC_ASSERT(std::abs(found.switch_at_expiry->value - change) < 0.01);
}

TEST(SpinnerEstimates, are_not_moved_by_gaps_at_the_begin_and_the_end_of_other_processes) {
  std::string rows = spinning(4, 2000, 150);
  rows += "4,0,30,900000000,900300000\n4,1,30,900000000,902000000\n";
  const auto found = spinners(table(spinning_header + rows));
  EXPECT_NEAR(found.slice->value, 2000, 0.1);
  EXPECT_NEAR(found.switch_at_expiry->value, 150, 0.1);
}

TEST(SpinnerEstimates, tell_nothing_without_a_second_gap) {
  EXPECT_FALSE(spinners(table(spinning_header + spinning(2, 2000, 150, 1))).slice.has_value());
  EXPECT_FALSE(spinners(table(spinning_header)).slice.has_value());
}

RC_GTEST_PROP(ExpirySwitches, and_restarts_are_recovered_from_turns_that_all_expire, ()) {
  const double slice = any(1000, 5000), change = any(50, 300), restart = any(5, 50), kernel = any(12, 29);
  const std::vector<SharingRun> runs{graphs(expiring_turns(slice, change, restart, kernel), kernel)};
  RC_ASSERT(all_expire(runs[0].turns, slice));
  RC_ASSERT(!all_out_of_work(runs[0].turns, slice));
  gpu::Spec gpu;
  gpu.sm_count = 132;
  const auto found = expiry_switches(runs, {}, gpu, slice);
  RC_ASSERT(found.size() == 1U);
  // Starts fall on kernels, so the first and the last tell the mean period to within a kernel.
  RC_ASSERT(std::abs(found[0].us.value - change) < 1 + 2 * kernel / 399);
  const auto lost = restart_after_expiry(runs, slice);
  RC_ASSERT(lost.has_value());
  RC_ASSERT(std::abs(lost->value - restart) < 2 + 4 * kernel / 399);
}

TEST(ExpirySwitches, come_by_the_state_that_was_resident) {
  const std::vector<SharingRun> runs{graphs(expiring_turns(2000, 190, 10, 20), 20, 1024),
                                     graphs(expiring_turns(2000, 160, 10, 20), 20, 256)};
  gpu::Spec gpu;
  gpu.sm_count = 132;
  const auto found = expiry_switches(runs, Estimate{150, 1, 100}, gpu, 2000);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].state_bytes, 0);
  EXPECT_DOUBLE_EQ(found[1].state_bytes, 132.0 * 256 * 32 * 4);
  EXPECT_DOUBLE_EQ(found[2].state_bytes, 4 * found[1].state_bytes);
  EXPECT_NEAR(found[1].us.value, 160, 1);
  EXPECT_NEAR(found[2].us.value, 190, 1);
}

TEST(DrySwitch, is_the_gap_where_every_turn_ends_dry_and_no_other) {
  std::vector<Turn> dry;
  for (int i = 0; i < 60; ++i) {
    const double start = i * 1340.0;
    dry.push_back({static_cast<std::uint32_t>(i % 2), start, start + 1200, 240});
  }
  const std::vector<SharingRun> runs{graphs(dry, 5), graphs(expiring_turns(2000, 190, 10, 20), 20)};
  const auto found = out_of_work_switch(runs, {}, 2000);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->value, 140, 1e-6);
  EXPECT_EQ(found->samples, 59U);
  EXPECT_FALSE(out_of_work_switch({runs[1]}, {}, 2000).has_value());
}

RC_GTEST_PROP(PacedLaunches, recover_both_costs_of_a_launch, ()) {
  const double call = any(2, 6), front = any(1, 4), scale = any(0.98, 1.02);
  std::vector<SparseRun> runs;
  for (const double kernel : {2.0, 5.0, 20.0}) {
    for (const double pace : {70.0, 100.0, 150.0, 200.0}) {
      runs.push_back({"made up", 2, kernel, pace, false, false,
                      draining_turns(2, pace + call, front + scale * kernel, 138, front)});
    }
  }
  const auto found = paced_launches(runs, 2000);
  RC_ASSERT(found.gpu_per_launch && found.per_launch);
  RC_ASSERT(std::abs(found.gpu_per_launch->value - front) < 0.05);
  RC_ASSERT(std::abs(found.per_launch->value - call) < 0.5);
}

TEST(SparseRuns, are_named_by_their_configuration) {
  const std::string header =
      "config,process,start_us,length_us,kernels,first_kernel,last_kernel,gap_before_us\n";
  const auto runs = sparse_runs(
      table(header + "d2 pace15 P4 block,0,1,2,3,0,2,0\nd2.5 pace150 with dense d20,0,1,2,3,0,2,0\n"));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0].blocking);
  EXPECT_EQ(runs[0].processes, 4);
  EXPECT_EQ(runs[0].pace_us, 15);
  EXPECT_TRUE(runs[1].beside_dense);
  EXPECT_EQ(runs[1].kernel_us, 2.5);
  EXPECT_THROW((void)sparse_runs(table(header + "something else,0,1,2,3,0,2,0\n")), input::CsvError);
}

// A run of solo.csv, times in microseconds.
std::string solo_row(const std::string& network, const std::string& mode, double period, double enqueue,
                     double wait) {
  return "1," + network + ",1," + mode + ",3," + std::to_string(1e6 / period) + ',' +
         std::to_string(enqueue / 1e3) + ',' + std::to_string(wait / 1e3) + '\n';
}
const std::string solo_header =
    "processes,model,precision,batch,mode,host_cores,images_per_s,enqueue_mean_ms,sync_mean_ms\n";

std::string kernel_rows(const std::string& network, int count, double us, int blocks = 8) {
  std::string rows;
  for (int i = 0; i < count; ++i)
    rows += network + ",1," + std::to_string(i) + ",kernel," + std::to_string(us) + ',' +
            std::to_string(blocks) + ",128,32\n";
  return rows;
}
const std::string kernels_header =
    "model,precision,batch,index,kind,duration_us,blocks,threads_per_block,registers\n";

TEST(GraphLaunches, are_those_of_the_fastest_run_of_each_inference) {
  std::string rows = solo_header;
  for (const char* network : {"a,fp16", "b,fp16", "c,fp32"}) {
    rows += solo_row(network, "graph", 1012, 10, 1000);
    rows += solo_row(network, "graph", 1100, 80, 1000);  // disturbed
    rows += solo_row(network, "eager", 3000, 2990, 5);
  }
  const auto found = graph_launches(table(rows));
  EXPECT_NEAR(found.per_launch->value, 10, 1e-3);
  EXPECT_NEAR(found.per_batch->value, 2, 1e-2);
}

TEST(EagerHostTimes, leave_out_hosts_that_wait_and_count_the_fastest_of_a_network) {
  const std::string solo = solo_header + solo_row("a,fp16", "eager", 3000, 2990, 5) +
                           solo_row("a,fp16", "eager", 4000, 3990, 5) +
                           solo_row("b,fp32", "eager", 9000, 2500, 6000);
  const auto found = eager_host_times(
      table(solo), table(kernels_header + kernel_rows("a,fp16", 250, 4) + kernel_rows("b,fp32", 170, 50)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernels, 250);
  EXPECT_NEAR(found[0].us, 2995, 0.1);
  EXPECT_NEAR(found[0].usual_us, 3495, 0.1);
}

TEST(EagerHostTimes, are_less_sure_where_equal_runs_differ) {
  const input::CsvTable kernels = table(kernels_header + kernel_rows("a,fp16", 250, 4));
  const std::string fast = solo_row("a,fp16", "eager", 3000, 2990, 0);
  const auto sd = [&](const std::string& rows) {
    const auto found = eager_host_times(table(solo_header + rows), kernels);
    EXPECT_NEAR(found.at(0).us, 3000, 0.1);  // the faster counts
    return found.at(0).sd;
  };
  EXPECT_EQ(sd(fast), 0);
  EXPECT_NEAR(sd(fast + solo_row("a,fp16", "eager", 3180, 3170, 0)), 0.03, 1e-3);
  EXPECT_NEAR(sd(solo_row("a,fp16", "eager", 3780, 3770, 0) + fast), 0.13, 1e-3);
}

TEST(EagerGpuPerLaunch, does_not_count_what_a_profiler_added_to_kernels) {
  // 100 kernels of 10 us, of which the profiler made 11.
  const std::string solo =
      solo_header + solo_row("a,fp32", "graph", 1000, 10, 980) + solo_row("a,fp32", "eager", 1150, 500, 600);
  const auto found =
      eager_gpu_per_launch(table(solo), table(kernels_header + kernel_rows("a,fp32", 100, 11)));
  EXPECT_NEAR(found->value, 1.5, 1e-3);
}

TEST(TracePriors, of_a_like_device_are_its_values_with_a_width_of_their_own) {
  for (const TracePrior& prior : trace_priors()) {
    const bool bandwidth = prior.unit == "GB/s", share = prior.unit == "%";
    const TracePrior near = prior.around(bandwidth ? "1.4 TB/s" : share ? "64 %" : "2.091 ms");
    EXPECT_NEAR(near.centre, bandwidth ? 1400 : share ? 64 : 2091, 1e-9) << prior.path;
    EXPECT_LE(near.sd, prior.sd) << prior.path;  // a like device tells more than any
    EXPECT_FALSE(near.source.empty()) << prior.path;
    EXPECT_EQ(prior.around(share ? "0 %" : "0 us").centre, prior.centre) << prior.path;
  }
}

TEST(TracePriors, count_as_much_as_estimates_are_unsure) {
  TracePrior prior;
  prior.centre = 100;
  prior.sd = 0.3;
  const Posterior sure = with_prior({200, 0.2, 9}, prior);
  EXPECT_NEAR(sure.estimate.value, 200, 0.01);
  EXPECT_NEAR(sure.estimate.sd, 0.2, 0.001);
  EXPECT_LT(sure.variance_left, 1e-4);
  const Posterior even = with_prior({200, 60, 9}, prior);
  EXPECT_NEAR(even.estimate.value, std::sqrt(200 * 100), 1e-6);
  EXPECT_NEAR(even.variance_left, 0.5, 1e-9);
  EXPECT_NEAR(with_prior({200, 2000, 9}, prior).estimate.value, 100, 0.1);
}

TEST(EagerGpuPerLaunch, is_what_gpu_bound_batches_take_beyond_their_kernels) {
  const std::string solo = solo_header + solo_row("a,fp32", "eager", 170 * 51.4, 2500, 6000) +
                           solo_row("b,fp32", "eager", 100 * 41.4, 1500, 2500) +
                           solo_row("c,fp32", "eager", 5000, 4990, 5);  // bound by its host
  const auto found = eager_gpu_per_launch(
      table(solo), table(kernels_header + kernel_rows("a,fp32", 170, 50) + kernel_rows("b,fp32", 100, 40) +
                         kernel_rows("c,fp32", 100, 2)));
  EXPECT_NEAR(found->value, 1.4, 1e-3);
  EXPECT_EQ(found->samples, 2U);
}

TEST(KernelFixed, is_of_kernels_of_one_block) {
  const auto found = kernel_fixed(
      table(kernels_header + kernel_rows("a,fp16", 30, 1.4, 1) + kernel_rows("b,fp16", 90, 30)), 0.5);
  EXPECT_NEAR(found->value, 0.9, 1e-9);
  EXPECT_FALSE(kernel_fixed(table(kernels_header + kernel_rows("a,fp16", 3, 1.4, 1)), 0.5).has_value());
}

const std::string open_loop_header = "processes,model,precision,batch,mode,rate_per_s,latency_p50_ms\n";

TEST(IdleWake, is_what_rare_requests_wait_longer_and_only_lone_processes_tell) {
  const std::string alone = open_loop_header +
                            "1,a,fp16,1,graph,100,0.90\n1,a,fp16,1,graph,200,0.80\n"
                            "1,a,fp16,1,graph,300,0.80\n";
  const auto found = idle_wake(table(alone));
  EXPECT_NEAR(found.cost->value, 100, 1e-6);
  EXPECT_NEAR(found.after->value, (4200.0 + 9100.0) / 2, 1e-6);
  const auto same = idle_wake(table(alone + "2,a,fp16,1,graph,50,9\n3,a,fp16,1,graph,400,0.1\n"));
  EXPECT_EQ(same.cost->value, found.cost->value);
  EXPECT_EQ(same.after->value, found.after->value);
  EXPECT_FALSE(idle_wake(table(open_loop_header + "1,a,fp16,1,graph,200,0.80\n")).cost.has_value());
}

TEST(LineThrough, does_not_follow_an_outlier) {
  std::vector<Point2> points;
  for (int i = 0; i < 20; ++i) points.push_back({i * 1.0, 3 + 2.0 * i + (i % 2 == 0 ? 0.01 : -0.01)});
  points.push_back({10, 500});
  const auto line = line_through(points);
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(line->slope, 2, 0.01);
  EXPECT_NEAR(line->intercept, 3, 0.05);
  EXPECT_FALSE(line_through({{1, 1}, {1, 2}, {1, 3}}).has_value());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
