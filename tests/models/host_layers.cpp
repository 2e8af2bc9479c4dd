// What layers cost on CPU cores: arithmetic, passes of tensors through a core, the memory that all share.
#include "models/dnn/host_layers.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace jostle::dnn {
namespace JOSTLE_FILE {

const HostRoofs cores{.fp32_ops_per_clock = 8,
                      .fp16_ops_per_clock = 0,
                      .int8_ops_per_clock = 10,
                      .efficiency = 0.5,
                      .int8_efficiency = 0,
                      .core_bandwidth_bytes_per_s = 4e9,
                      .bandwidth_bytes_per_s = 8e9,
                      .cache_bytes = 0,
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

TEST(HostLayers, the_memory_moves_what_the_caches_lost) {
  HostRoofs held = cores;
  held.bandwidth_bytes_per_s = 1e8;
  FusedLayer layer = convolution(1);
  layer.weights = layer.parameters = 0;
  const double bytes = 4 * 2.0 * 64 * 56 * 56, tensor = bytes / 2;
  const auto seconds = [&](double cache) {
    held.cache_bytes = cache;
    return time_of(layer, {}, held, 64);
  };
  EXPECT_NEAR(seconds(0), bytes / 1e8, 1e-9) << "no caches";
  EXPECT_NEAR(seconds(tensor / 2), bytes / 1e8, 1e-9);
  EXPECT_NEAR(seconds(tensor), 0.5 * bytes / 1e8, 1e-9) << "the half that was written first";
  EXPECT_LT(seconds(2 * tensor), 0.02 * bytes / 1e8);
}

FusedLayer pointwise(Op op, Activation activation = Activation::none) {
  FusedLayer layer;
  layer.op = op;
  layer.in = layer.out = {.channels = 64, .height = 56, .width = 56};
  layer.activation = activation;
  return layer;
}

TEST(HostLayers, exponentials_of_what_the_caches_lost_are_not_sped_up_by_threads) {
  HostRoofs roofs = cores;
  roofs.core_bandwidth_bytes_per_s = roofs.bandwidth_bytes_per_s = 1e18;
  const HostLibrary library{.exponential = 20};
  const FusedLayer silu = pointwise(Op::activation, Activation::silu);
  const double alone = 20.0 * 64 * 56 * 56 / 1e9;
  EXPECT_NEAR(time_of(silu, library, roofs, 1), alone, 1e-9);
  EXPECT_NEAR(time_of(silu, library, roofs, 4), alone, 1e-9) << "no caches: it streams through the memory";
  roofs.cache_bytes = 1e9;
  EXPECT_NEAR(time_of(silu, library, roofs, 4), alone / 4, 1e-9);
  EXPECT_LT(time_of(pointwise(Op::activation, Activation::relu), library, roofs), 0.01 * alone);
}

TEST(HostLayers, copies_of_one_thread_are_waited_for_by_the_others) {
  HostRoofs roofs = cores;
  roofs.core_bandwidth_bytes_per_s = roofs.bandwidth_bytes_per_s = 1e18;
  const double elements = 64.0 * 56 * 56;
  const HostLibrary library{.copy = 3, .concatenation = 1, .pooling = 8, .batch_norm = 2};
  EXPECT_NEAR(time_of(pointwise(Op::transpose), library, roofs, 4), 3 * elements / 1e9, 1e-9);
  EXPECT_NEAR(time_of(pointwise(Op::concat), library, roofs, 4), elements / 1e9, 1e-9);
  EXPECT_NEAR(time_of(pointwise(Op::batch_norm), library, roofs, 4), 2 * elements / 1e9, 1e-9);
  FusedLayer pool = pointwise(Op::average_pool);
  pool.window_area = 9;
  EXPECT_NEAR(time_of(pool, library, roofs, 4), 72 * elements / 1e9, 1e-9);
  pool.out = {.channels = 64};
  EXPECT_LT(time_of(pool, library, roofs, 4), 1e-9) << "XNNPACK has the mean of a whole plane";
}

TEST(HostLayers, a_layer_without_a_kernel_in_int8_is_computed_in_fp32_between_conversions) {
  HostRoofs roofs = cores;
  roofs.cache_bytes = 1e9;
  std::vector<FusedLayer> layers{convolution(1), pointwise(Op::activation, Activation::gelu), convolution(1)};
  layers[1].inputs = {0};
  layers[2].inputs = {1};
  const HostTeam team{.threads = 1, .reference_clock_hz = 1e9, .clock_hz = 1e9};
  const auto seconds = [&](const HostLibrary& library, std::size_t layer) {
    return sim::to_seconds(host_layers(layers, 1, Precision::int8, library, roofs, team).at(layer));
  };
  const HostLibrary all{.exponential = 20}, some{.exponential = 20, .conversion = 5};
  const double elements = 64.0 * 56 * 56;
  EXPECT_EQ(seconds(all, 0), seconds(some, 0));
  EXPECT_NEAR(seconds(all, 1), 2 * elements / 4e9, 1e-9) << "a table of 256 values";
  EXPECT_NEAR(seconds(some, 1), 8 * elements / 4e9 + (20 + 5) * elements / 1e9, 1e-9);
  EXPECT_NEAR(seconds(some, 2) - seconds(all, 2), 5 * elements / 1e9, 1e-9);
}

TEST(HostLayers, each_further_thread_is_joined_for_what_multiplies) {
  HostRoofs roofs = cores;
  roofs.join = sim::microseconds(10);
  const FusedLayer layer = convolution(1);
  EXPECT_EQ(time_of(layer, {}, roofs), time_of(layer, {}));
  EXPECT_NEAR(time_of(layer, {}, roofs, 4) - time_of(layer, {}, cores, 4), 30e-6, 1e-9);
  EXPECT_EQ(time_of(pointwise(Op::add), {}, roofs, 4), time_of(pointwise(Op::add), {}, cores, 4));
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
  roofs.core_bandwidth_bytes_per_s = roofs.bandwidth_bytes_per_s = 1e18;
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

TEST(HostDemand, of_a_smaller_cache_has_weights_read_again_that_the_whole_cache_keeps) {
  HostRoofs roofs = cores;
  roofs.cache_bytes = 1e6;
  roofs.own_cache_bytes = 32e3;
  const HostTeam team{.threads = 1, .reference_clock_hz = 1e9, .clock_hz = 1e9};
  const auto demand = [&](const FusedLayer& layer) {
    return host_demand(std::span(&layer, 1), 1, Precision::fp32, {}, roofs, team);
  };
  const FusedLayer product = convolution(3);  // 147 kB of weights, tensors of 0.8 MB
  const HostDemand all = demand(product);
  const double weights = 4.0 * 64 * 64 * 9, tensor = 4.0 * 64 * 56 * 56;
  EXPECT_NEAR(all.far_bytes, weights + 2 * tensor * (tensor / 1e6 - 0.5), 1);
  EXPECT_NEAR(all.lost_bytes, weights + 2 * tensor + (weights - 32e3) * (56 * 56 / 6.0 - 1), 1);
  EXPECT_NEAR(all.held_bytes, weights + 2 * tensor, 1);
  EXPECT_NEAR(all.seconds, time_of(product, {}, roofs), 1e-9);
  EXPECT_GE(all.lost_seconds, all.seconds);
  roofs.own_cache_bytes = 1e6;
  const HostDemand same = demand(product);
  EXPECT_EQ(same.lost_bytes, same.far_bytes);
  EXPECT_EQ(same.lost_seconds, same.seconds);
  roofs.own_cache_bytes = 32e3;
  roofs.cache_bytes = 100e3;  // weights that even that does not keep are in the library's efficiency
  EXPECT_NEAR(demand(product).lost_bytes, weights + 2 * tensor, 1);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
