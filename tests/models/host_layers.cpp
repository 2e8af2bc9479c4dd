// What layers cost on CPU cores: arithmetic, passes of tensors through a core, the memory that all share.
#include "models/dnn/host_layers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace jostle::dnn {
namespace JOSTLE_FILE {

const HostRoofs cores{.fp32_ops_per_clock = 8,
                      .fp16_ops_per_clock = 0,
                      .int8_ops_per_clock = 10,
                      .efficiency = 0.5,
                      .int8_efficiency = 0,
                      .core_bandwidth_bytes_per_s = 4e9,
                      .bandwidth_bytes_per_s = 8e9,
                      .join = {}};

// 64 channels of 56 x 56 in and out.
FusedLayer convolution(int window) {
  FusedLayer layer;
  layer.op = Op::conv;
  layer.in = layer.out = {.channels = 64, .height = 56, .width = 56};
  layer.window_area = window * window;
  layer.weights = 64 * 64 * layer.window_area;
  layer.macs = layer.out.positions() * layer.weights;
  return layer;
}
FusedLayer depthwise() {
  FusedLayer layer = convolution(3);
  layer.depthwise = true;
  layer.groups = 64;
  layer.weights = 64 * 9;
  layer.macs = layer.out.positions() * layer.weights;
  return layer;
}

double time_of(const FusedLayer& layer, const HostLibrary& library, const HostRoofs& roofs = cores,
               int threads = 1, Precision precision = Precision::fp32, double clock_hz = 1e9) {
  const HostTeam team{.threads = threads, .reference_clock_hz = 1e9, .clock_hz = clock_hz};
  return sim::to_seconds(host_layers(std::span(&layer, 1), 1, precision, library, roofs, team).front()) *
         1e9 / clock_hz;  // real time
}

TEST(HostLayers, a_core_computes_and_moves_in_turn) {
  const FusedLayer layer = convolution(1);
  const double elements = 2.0 * 64 * 56 * 56;
  const double compute = 2.0 * 64 * 64 * 56 * 56 / (8 * 0.5 * 1e9);
  const double bytes = 4 * (elements + 64 * 64);
  EXPECT_NEAR(time_of(layer, {}), compute + bytes / 4e9, 1e-9);
  EXPECT_NEAR(time_of(layer, {.product_passes = 3}), compute + 4 * (3 * elements + 64 * 64) / 4e9, 1e-9);
}

TEST(HostLayers, threads_share_a_layer_until_the_memory_is_full) {
  const HostRoofs slow = [] {
    HostRoofs roofs = cores;
    roofs.bandwidth_bytes_per_s = 1e9;
    return roofs;
  }();
  const FusedLayer layer = convolution(1);
  const double one = time_of(layer, {}, slow);
  EXPECT_NEAR(time_of(layer, {}, slow, 2), one / 2, 1e-9);
  EXPECT_NEAR(time_of(layer, {}, slow, 64), 4 * (2.0 * 64 * 56 * 56 + 64 * 64) / 1e9, 1e-9);
}

TEST(HostLayers, each_further_thread_is_joined) {
  HostRoofs roofs = cores;
  roofs.join = sim::microseconds(10);
  const FusedLayer layer = convolution(1);
  EXPECT_EQ(time_of(layer, {}, roofs), time_of(layer, {}));
  EXPECT_NEAR(time_of(layer, {}, roofs, 4) - time_of(layer, {}, cores, 4), 30e-6, 1e-9);
}

TEST(HostLayers, a_depthwise_layer_is_bound_by_its_bytes_and_computes_at_a_rate_of_its_own) {
  const FusedLayer layer = depthwise();
  const double bytes = 4 * (2.0 * 64 * 56 * 56 + 64 * 9);
  const double compute = 2.0 * 9 * 64 * 56 * 56 / (8 * 0.5 * 1e9);
  EXPECT_NEAR(time_of(layer, {.product_passes = 4}), compute + bytes / 4e9, 1e-9) << "it packs nothing";
  EXPECT_NEAR(time_of(layer, {.depthwise = 0.25}), 4 * compute + bytes / 4e9, 1e-9);
  const double ops = 2.0 * static_cast<double>(layer.macs);
  EXPECT_LT(ops / time_of(layer, {}),
            0.8 * 2 * static_cast<double>(convolution(3).macs) / time_of(convolution(3), {}));
}

TEST(HostLayers, winograd_saves_multiplications_of_windows_of_three_and_only_there) {
  const HostLibrary direct, fast{.winograd_passes = 2};
  EXPECT_LT(time_of(convolution(3), fast), 0.6 * time_of(convolution(3), direct));
  EXPECT_EQ(time_of(convolution(1), fast), time_of(convolution(1), direct));
  EXPECT_EQ(time_of(depthwise(), fast), time_of(depthwise(), direct));
  FusedLayer strided = convolution(3);
  strided.stride = 2;
  EXPECT_EQ(time_of(strided, fast), time_of(strided, direct));
}

TEST(HostLayers, winograd_reads_four_times_the_weights) {
  FusedLayer layer = convolution(3);  // of one position: hardly anything but weights
  layer.in = layer.out = {.channels = 64, .height = 1, .width = 1};
  layer.macs = layer.weights;
  HostRoofs roofs = cores;
  roofs.efficiency = 1;
  roofs.fp32_ops_per_clock = 1e6;
  EXPECT_NEAR(time_of(layer, {.winograd_passes = 1}, roofs) / time_of(layer, {}, roofs), 4, 0.3);
}

TEST(HostLayers, winograd_in_int8_multiplies_sixteen_bits) {
  HostRoofs dots = cores;
  dots.int8_ops_per_clock = 32;  // dot products, which sixteen bits do not have
  const HostLibrary fast{.winograd_passes = 1};
  EXPECT_GT(time_of(convolution(3), fast, dots, 1, Precision::int8),
            time_of(convolution(3), {}, dots, 1, Precision::int8));
  EXPECT_LT(time_of(convolution(3), fast, cores, 1, Precision::int8),
            time_of(convolution(3), {}, cores, 1, Precision::int8));
}

TEST(HostLayers, int8_has_an_efficiency_of_its_own_where_one_is_given) {
  HostRoofs roofs = cores;
  roofs.core_bandwidth_bytes_per_s = roofs.bandwidth_bytes_per_s = 1e15;
  const double as_others = time_of(convolution(1), {}, roofs, 1, Precision::int8);
  roofs.int8_efficiency = 0.25;
  EXPECT_NEAR(time_of(convolution(1), {}, roofs, 1, Precision::int8), 2 * as_others, 1e-9);
}

TEST(HostLayers, the_memory_does_not_depend_on_the_clock_of_the_cores) {
  const FusedLayer layer = convolution(1);
  const double bytes = 4 * (2.0 * 64 * 56 * 56 + 64 * 64);
  const double compute = 2.0 * 64 * 64 * 56 * 56 / (8 * 0.5 * 1e9);
  EXPECT_NEAR(time_of(layer, {}, cores, 1, Precision::fp32, 2e9), compute / 2 + bytes / 4e9, 1e-9);
}

TEST(HostLayers, refuse_what_has_no_rate) {
  EXPECT_THROW(time_of(convolution(1), {}, HostRoofs{}), std::invalid_argument);
  EXPECT_THROW(time_of(convolution(1), {}, cores, 0), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
