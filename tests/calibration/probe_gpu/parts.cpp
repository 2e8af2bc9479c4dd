// Each part on the GPU, on three made-up boards: it runs to its end and finds what the board plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/calibration/probe_gpu/made_up_gpu.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using made_up::GpuBoard;
using made_up::value_of;
using probe::Measured;
using probe::Outcome;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;

class ProbeGpuParts : public testing::TestWithParam<const char*> {
 protected:
  // All that a part measures is a number, and every file that it names is there.
  Outcome run(Outcome (*part)(const probe::Session&), bool quick = true) {
    probe::Session session = board.session();
    session.quick = quick;
    Outcome outcome = part(session);
    for (const Measured& one : outcome.parameters) EXPECT_TRUE(std::isfinite(one.value)) << one.parameter;
    for (const std::string& file : outcome.files)
      EXPECT_GT(std::filesystem::file_size(board.out.root() / file), 0u) << file;
    return outcome;
  }
  static void expect_near(const Outcome& outcome, const std::string& parameter, double expected,
                          double share) {
    const double value = value_of(outcome, parameter);
    EXPECT_NEAR(value, expected, share * expected) << parameter;
  }

  GpuBoard board{GetParam()};
};

TEST_P(ProbeGpuParts, turns_are_as_long_as_the_slice) {
  const Outcome outcome = run(probe::turns);
  expect_near(outcome, "gpu.time_slicing.slice", 1e-3 * fakes::slice_ns, 0.01);
  expect_near(outcome, "seen.switch_at_expiry_without_state", 1e-3 * fakes::switch_ns, 0.1);
  expect_near(outcome, "seen.globaltimer_step", 1e-3 * static_cast<double>(board.gpu().timer_step_ns), 0.001);
  EXPECT_EQ(value_of(outcome, "refill.graph_of_kernels_spinning"), 1);
  EXPECT_THAT(outcome.problems, IsEmpty());
}

TEST_P(ProbeGpuParts, launches_cost_what_the_board_takes) {
  const Outcome outcome = run(probe::launches);
  // By the host's clock, and of idle times that grow by less than a factor of two.
  // The host's clock tells these: on a loaded machine they are of the right order, and no more.
  expect_near(outcome, "gpu.idle_wake.after", 1e-6 * fakes::sleeps_after_ns, 5);
  expect_near(outcome, "gpu.idle_wake.cost", 1e-3 * fakes::wake_ns, 2);
  EXPECT_GT(value_of(outcome, "seen.launch_call_4_threads_graph"), 0);
}

TEST_P(ProbeGpuParts, kernels_of_streams_run_at_once_up_to_the_limit) {
  const Outcome outcome = run(probe::space, false);
  EXPECT_EQ(value_of(outcome, "gpu.space_sharing.resident_grids"), fakes::resident_grids);
  // Whatever the step of the GPU's clock.
  EXPECT_NEAR(value_of(outcome, "seen.block_turnover"), 1e-3 * fakes::turnover_ns, 0.2);
  EXPECT_NEAR(value_of(outcome, "seen.gap_in_graph"), 1e-3 * fakes::apart_ns, 0.1);
  expect_near(outcome, "seen.sm_clock_over_reported", 100, 0.02);
  EXPECT_THAT(outcome.problems, Each(testing::StartsWith("MPS: no daemon")));
}

TEST_P(ProbeGpuParts, kernels_reach_the_peaks_of_the_sms) {
  const Outcome outcome = run(probe::kernels);
  expect_near(outcome, "seen.fp32_flop_per_clock_and_sm", fakes::fp32_flop_per_clock, 0.05);
  if (board.gpu().major >= 7)
    expect_near(outcome, "seen.tensor_fp16_flop_per_clock_and_sm", fakes::tensor_flop_per_clock, 0.05);
  else
    EXPECT_TRUE(std::isnan(value_of(outcome, "seen.tensor_fp16_flop_per_clock_and_sm")));
}

TEST_P(ProbeGpuParts, memory_is_as_fast_as_the_board_plays_it) {
  const Outcome outcome = run(probe::gpu_memory);
  expect_near(outcome, "seen.dram_read", board.gpu().dram_gb_s, 0.05);
  expect_near(outcome, "seen.l2_read", board.gpu().l2_gb_s, 0.15);
  // By the host's clock, so a busy host makes it less.
  EXPECT_LT(value_of(outcome, "gpu.copy_bandwidth"), 2 * fakes::copy_gb_s);
  EXPECT_GT(value_of(outcome, "gpu.copy_bandwidth"), 0.05 * fakes::copy_gb_s);
}

TEST_P(ProbeGpuParts, power_is_what_the_sensors_tell) {
  const Outcome outcome = run(probe::power);
  const std::string word = GetParam();
  const double least = word == "l4"    ? fakes::idle_w
                       : word == "tx2" ? 7.6
                                       : 6,
               most = word == "l4" ? fakes::idle_w + 2 * fakes::swing_w : least;
  for (const char* const load : {"idle", "context", "spin", "fma", "read"})
    EXPECT_THAT(value_of(outcome, std::string("seen.power_") + load),
                AllOf(Ge(least - 1e-6), Le(most + 1e-6)))
        << load;
  EXPECT_THAT(outcome.problems, IsEmpty());
}

TEST(ProbeGpu, measures_clients_of_an_mps_daemon_too) {
  GpuBoard board("l4");
  const made_up::Tree daemon;
  daemon.write("/control", "");
  setenv("CUDA_MPS_PIPE_DIRECTORY", daemon.root().c_str(), 1);
  probe::Session session = board.session(0.05);
  session.quick = false;
  const Outcome outcome = probe::space(session);
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  EXPECT_THAT(outcome.problems, IsEmpty());
  EXPECT_THAT(outcome.files, testing::Contains("streams_synthetic_mps.csv"));
}

INSTANTIATE_TEST_SUITE_P(Boards, ProbeGpuParts, testing::Values("orin_nano", "l4", "tx2"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
