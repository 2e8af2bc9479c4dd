// Laws of the time and energy roofline, and that its figures are those of power::energy_of().
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "models/power/roofline.hpp"

namespace jostle::power {
namespace JOSTLE_FILE {

Spec roofline_board() {
  Spec spec;
  spec.cpu = {
      .voltage = {{0.1e9, 0.6}, {2e9, 0.9}}, .core_f = 0.3e-9, .idle_core_f = 0.01e-9, .leakage_w = 0.05};
  spec.gpu = {.voltage = {{0.3e9, 0.62}, {0.8e9, 0.62}, {1.3e9, 0.77}},
              .clock_tree_f = 0.5e-9,
              .busy_f = 1e-9,
              .sm_f = 0.5e-9,
              .tensor_f = 1e-9,
              .byte_j = 10e-12,
              .leakage_w = 1};
  spec.soc = {.voltage = {{0.2e9, 0.6}, {3.2e9, 0.8}}, .base_w = 1, .clock_f = 0.2e-9, .byte_j = 15e-12};
  spec.dram = {.base_w = 0.2, .clock_w_per_hz = 0.3e-9, .byte_j = 40e-12};
  spec.base_w = 2;
  spec.efficiency = 0.9;
  return spec;
}
Activity idle_at(double gpu_hz, double emc_hz = 3.2e9) {
  return {.seconds = 1,
          .clusters = {{.hz = 1e9, .online = 4, .busy_core_s = 0}},
          .sms = 16,
          .gpu_hz = gpu_hz,
          .emc_hz = emc_hz};
}
// 180 GB/s at its highest clock of 1.3 GHz.
gpu::Spec roofline_orin() {
  gpu::Spec gpu;
  gpu.max_clock_hz = 1.3e9;
  gpu.bandwidth_bytes_per_s = 200e9;
  gpu.bandwidth_efficiency = 0.9;
  return gpu;
}
constexpr dnn::ArithmeticPath tensor{
    .precision = dnn::Precision::fp16, .tensor_cores = true, .ops_per_clock = 2048};
constexpr dnn::ArithmeticPath cuda{
    .precision = dnn::Precision::fp32, .tensor_cores = false, .ops_per_clock = 256};

double watts(const Activity& activity) {
  return sum_of(energy_of(roofline_board(), activity, roofline_board().reference_c)) / activity.seconds;
}

struct RooflineCase {
  double gpu_hz = *rc::gen::inRange(100, 1300) * 1e6;
  double bytes_per_s = *rc::gen::inRange(10, 180) * 1e9;
  dnn::ArithmeticPath path = *rc::gen::element(tensor, cuda);
  double intensity = *rc::gen::inRange(1, 100'000) / 32.0;
  [[nodiscard]] Roofline roofs() const {
    return roofline(roofline_orin(), path, bytes_per_s, idle_at(gpu_hz), roofline_board());
  }
};

RC_GTEST_PROP(TheTimeRoof, is_the_lower_of_peak_and_bandwidth, ()) {
  const RooflineCase some;
  const Roofline roofs = some.roofs();
  const double attainable = attainable_flop_per_s(roofs, some.intensity);
  RC_ASSERT(attainable <= roofs.flop_per_s);
  RC_ASSERT(attainable <= some.intensity * some.bytes_per_s);
  RC_ASSERT(attainable == roofs.flop_per_s || attainable == some.intensity * some.bytes_per_s);
}

RC_GTEST_PROP(TheTimeRoof, bends_at_peak_over_bandwidth, ()) {
  const Roofline roofs = RooflineCase().roofs();
  const double at = ridge(roofs);
  RC_ASSERT(at == roofs.flop_per_s / roofs.bytes_per_s);
  RC_ASSERT(attainable_flop_per_s(roofs, at / 2) < 0.51 * roofs.flop_per_s);
  RC_ASSERT(attainable_flop_per_s(roofs, 2 * at) == roofs.flop_per_s);
}

RC_GTEST_PROP(TheTimeRoof, never_sinks_as_the_clock_rises, ()) {
  RooflineCase slow;
  RooflineCase fast = slow;
  fast.gpu_hz *= 1 + *rc::gen::inRange(0, 300) / 100.0;
  RC_ASSERT(attainable_flop_per_s(fast.roofs(), slow.intensity) >=
            attainable_flop_per_s(slow.roofs(), slow.intensity));
}

RC_GTEST_PROP(TheEnergyRoof, rises_towards_its_best_and_stays_below_the_energy_of_an_operation_alone, ()) {
  const RooflineCase some;
  const Roofline roofs = some.roofs();
  const double here = *attainable_flop_per_j(roofs, some.intensity);
  RC_ASSERT(here < *attainable_flop_per_j(roofs, 2 * some.intensity));
  RC_ASSERT(here < *best_flop_per_j(roofs));
  RC_ASSERT(*best_flop_per_j(roofs) < 1 / roofs.energy->operation_j);
  RC_ASSERT(*attainable_flop_per_j(roofs, 1e9) > 0.999 * *best_flop_per_j(roofs));
}

RC_GTEST_PROP(TheEnergyRoof, is_half_its_best_at_the_balance, ()) {
  const Roofline roofs = RooflineCase().roofs();
  const double half = *attainable_flop_per_j(roofs, *energy_balance(roofs));
  RC_ASSERT(std::abs(half / (0.5 * *best_flop_per_j(roofs)) - 1) < 1e-9);
}

RC_GTEST_PROP(TheEnergyRoof, is_the_energy_of_work_and_time_together, ()) {
  const RooflineCase some;
  const Roofline roofs = some.roofs();
  const double bytes = 1e9, flop = some.intensity * bytes;
  RC_ASSERT(std::abs(*joules_of(roofs, flop, bytes) * *attainable_flop_per_j(roofs, some.intensity) / flop -
                     1) < 1e-9);
  RC_ASSERT(std::abs(seconds_of(roofs, flop, bytes) * attainable_flop_per_s(roofs, some.intensity) / flop -
                     1) < 1e-9);
}

// The account of power::energy_of() for GPUs that do what the roofs suppose.
TEST(TheEnergyRoof, is_that_of_a_gpu_whose_pipes_never_wait) {
  for (const dnn::ArithmeticPath& path : {tensor, cuda}) {
    const Roofline roofs = roofline(roofline_orin(), path, 180e9, idle_at(0.9e9), roofline_board());
    Activity busy = idle_at(0.9e9);
    busy.gpu_busy_s = busy.working_s = 1;
    busy.tensor_s = path.tensor_cores ? 1 : 0;
    EXPECT_NEAR(watts(busy), *joules_of(roofs, roofs.flop_per_s, 0), 1e-9);
  }
}

TEST(TheEnergyRoof, is_that_of_a_gpu_that_streams) {
  for (const double gpu_hz : {1.3e9, 0.65e9}) {
    const Roofline roofs = roofline(roofline_orin(), tensor, 180e9, idle_at(gpu_hz), roofline_board());
    Activity streaming = idle_at(gpu_hz);
    streaming.gpu_busy_s = streaming.working_s =
        1;  // at any clock: warps wait for their bytes at most all the time
    streaming.gpu_dram_bytes = streaming.dram_bytes = 180e9;
    EXPECT_NEAR(watts(streaming), *joules_of(roofs, 0, 180e9), 1e-9);
  }
  EXPECT_NEAR(watts(idle_at(0.8e9)),
              roofline(roofline_orin(), tensor, 180e9, idle_at(0.8e9), roofline_board()).energy->idle_w,
              1e-12);
}

// SMs that could ask for twice the bytes wait half of the time.
TEST(TheEnergyRoof, counts_of_a_stream_what_keeps_the_sms_going) {
  gpu::Spec gpu = roofline_orin();
  gpu.memory_bytes_per_clock = 2 * 180e9 / 1.3e9;
  const Roofline roofs = roofline(gpu, tensor, 180e9, idle_at(1.3e9), roofline_board());
  Activity streaming = idle_at(1.3e9);
  streaming.gpu_busy_s = 1;
  streaming.working_s = 0.5;
  streaming.gpu_dram_bytes = streaming.dram_bytes = 180e9;
  EXPECT_NEAR(watts(streaming), *joules_of(roofs, 0, 180e9), 1e-9);
}

// While SMs wait for bytes they multiply: their cycles are counted once.
TEST(TheEnergyRoof, does_not_add_what_the_sms_do_at_the_same_time) {
  const Roofline roofs = roofline(roofline_orin(), tensor, 180e9, idle_at(1.3e9), roofline_board());
  Activity both = idle_at(1.3e9);
  both.gpu_busy_s = both.working_s = both.tensor_s = 1;
  both.gpu_dram_bytes = both.dram_bytes = 180e9;
  EXPECT_NEAR(watts(both), *joules_of(roofs, roofs.flop_per_s, 180e9), 1e-9);
}

// At one voltage twice the clock halves the time that the constant power lasts; a higher voltage costs.
TEST(TheEnergyRoof, gains_with_the_clock_only_while_the_voltage_stays) {
  const auto at = [](double hz) {
    return roofline(roofline_orin(), tensor, 180e9, idle_at(hz), roofline_board());
  };
  EXPECT_GT(*best_flop_per_j(at(0.8e9)), *best_flop_per_j(at(0.4e9)));
  EXPECT_NEAR(at(0.8e9).energy->operation_j, at(0.4e9).energy->operation_j, 1e-18);
  EXPECT_NEAR(at(1.3e9).energy->operation_j / at(0.8e9).energy->operation_j, 0.77 * 0.77 / (0.62 * 0.62),
              1e-9);
}

TEST(ARoofline, has_no_energy_where_nothing_is_known_of_power) {
  const Roofline roofs = roofline(roofline_orin(), tensor, 180e9, idle_at(1e9), std::nullopt);
  EXPECT_FALSE(roofs.energy || attainable_flop_per_j(roofs, 1) || best_flop_per_j(roofs) ||
               energy_balance(roofs) || joules_of(roofs, 1, 1));
  EXPECT_EQ(attainable_flop_per_s(roofs, 1), 180e9);
}

TEST(ARoofline, needs_arithmetic_and_bandwidth) {
  EXPECT_THROW((void)roofline(roofline_orin(), tensor, 0, idle_at(1e9), roofline_board()),
               std::invalid_argument);
  EXPECT_THROW((void)roofline(roofline_orin(), tensor, 1e9, idle_at(0), roofline_board()),
               std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
