// The DLA: what it takes of a network, what that costs, and who is served when.

#include "models/dla/dla.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "models/dla/partition.hpp"
#include "models/dla/task.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::dla {
namespace JOSTLE_FILE {

using dnn::Activation;
using dnn::FusedLayer;
using dnn::Op;
using dnn::Precision;
using sim::Duration;
using sim::microseconds;
using sim::Time;

const Spec orin{.count = 2,
                .max_clock_hz = 1.6e9,
                .clock_table_hz = {},
                .ops_per_clock = {.fp16 = 4096, .int8 = 16384},
                .efficiency = {.fp16 = 0.5, .int8 = 0.5},
                .bandwidth_bytes_per_s = 90e9,
                .sram_bytes = 1 << 20,
                .layer_fixed = microseconds(2),
                .submit = microseconds(300),
                .border = microseconds(100)};
const Clocks full{.dla_hz = 1.6e9, .memory = 1};

std::vector<FusedLayer> layers(const char* model) {
  const dnn::Model* const found = dnn::find_model(model);
  return dnn::fuse(found->build(found->default_input), dnn::Lowering::optimised);
}

FusedLayer convolution(int channels = 64, int side = 56) {
  FusedLayer layer;
  layer.op = Op::conv;
  layer.window_area = 9;
  layer.in = layer.out = {channels, side, side};
  layer.weights = std::int64_t{9} * channels * channels;
  layer.macs = layer.weights * side * side;
  return layer;
}
FusedLayer layer_norm() {
  FusedLayer layer;
  layer.op = Op::layer_norm;
  layer.in = layer.out = {64, 56, 56};
  return layer;
}

// What the DLA takes

TEST(DlaPartition, of_resnet50_is_one_subgraph_and_its_pool_and_classifier_fall_back_to_the_gpu) {
  const std::vector<FusedLayer> network = layers("resnet50");
  const std::vector<Subgraph> pieces = partition(network);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_TRUE(pieces[0].on_dla);
  EXPECT_FALSE(pieces[1].on_dla);
  EXPECT_EQ(network[pieces[1].first].op, Op::average_pool);
  EXPECT_EQ(pieces[1].count, 2U);
}

TEST(DlaPartition, covers_every_layer_once_and_in_order) {
  for (const dnn::Model& model : dnn::models()) {
    const std::vector<FusedLayer> network = layers(std::string(model.name).c_str());
    std::size_t next = 0;
    std::size_t on_dla = 0;
    bool last = false;
    for (const Subgraph& piece : partition(network)) {
      EXPECT_EQ(piece.first, next) << model.name;
      EXPECT_GT(piece.count, 0U);
      EXPECT_TRUE(next == 0 || piece.on_dla != last) << model.name;
      last = piece.on_dla;
      next += piece.count;
      on_dla += piece.on_dla ? 1 : 0;
    }
    EXPECT_EQ(next, network.size()) << model.name;
    EXPECT_LE(on_dla, max_subgraphs) << model.name;
  }
}

TEST(DlaPartition, by_engine_keeps_every_layer_after_its_inputs_and_never_adds_a_subgraph) {
  for (const dnn::Model& model : dnn::models()) {
    const std::vector<FusedLayer> network = layers(std::string(model.name).c_str());
    const std::vector<FusedLayer> ordered = by_engine(network);
    ASSERT_EQ(ordered.size(), network.size()) << model.name;
    std::int64_t before = 0, after = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      before += network[i].macs;
      after += ordered[i].macs;
      for (const std::size_t input : ordered[i].inputs) EXPECT_LT(input, i) << model.name;
    }
    EXPECT_EQ(before, after) << model.name;
    EXPECT_LE(partition(ordered).size(), partition(network).size()) << model.name;
  }
}

TEST(DlaPartition, heads_of_a_detector_do_not_cut_its_backbone) {
  const std::vector<FusedLayer> network = layers("ssd_mobilenet_v1");
  EXPECT_GT(partition(network).size(), 10U);
  EXPECT_EQ(partition(by_engine(network)).size(), 2U);
}

TEST(DlaPartition, of_every_network_has_subgraphs_that_run) {
  for (const dnn::Model& model : dnn::models()) {
    const std::vector<FusedLayer> network = layers(std::string(model.name).c_str());
    for (const Subgraph& piece : partition(network)) {
      if (!piece.on_dla) continue;
      const auto part = std::span(network).subspan(piece.first, piece.count);
      for (const Precision precision : {Precision::fp16, Precision::int8}) {
        const Task one = task_of(part, 1, precision, orin, full);
        EXPECT_GT(one.duration, Duration::zero()) << model.name;
        EXPECT_GE(task_of(part, 8, precision, orin, full).duration, one.duration) << model.name;
      }
    }
  }
}

TEST(DlaPartition, takes_nothing_of_volumes_and_texts_and_the_convolutions_of_the_rest) {
  const auto on_dla = [](const char* model) {
    return std::ranges::any_of(partition(layers(model)), &Subgraph::on_dla);
  };
  EXPECT_FALSE(on_dla("unet3d"));
  EXPECT_FALSE(on_dla("bert_base"));
  EXPECT_TRUE(on_dla("detr_resnet50"));
  EXPECT_TRUE(on_dla("mobilenet_v3_large"));
}

TEST(DlaPartition, is_cut_at_every_norm_that_needs_a_mean_of_its_own) {
  std::vector<FusedLayer> network;
  for (int i = 0; i < 3; ++i) {
    network.push_back(convolution());
    network.push_back(layer_norm());
  }
  EXPECT_EQ(partition(network).size(), 6U);
  std::erase_if(network, [](const FusedLayer& layer) { return layer.op == Op::layer_norm; });
  EXPECT_EQ(partition(network).size(), 1U);
}

TEST(DlaPartition, leaves_the_smallest_of_too_many_subgraphs_to_the_gpu) {
  std::vector<FusedLayer> network;
  for (int i = 1; i <= 20; ++i) {
    network.push_back(convolution(64, 10 + i));
    network.push_back(layer_norm());
  }
  const std::vector<Subgraph> pieces = partition(network);
  EXPECT_EQ(std::ranges::count_if(pieces, &Subgraph::on_dla), 16);
  EXPECT_FALSE(pieces.front().on_dla);
}

TEST(DlaLimits, are_those_of_the_documentation) {
  FusedLayer wide = convolution();
  wide.window_area = 33 * 33;
  EXPECT_FALSE(supports(wide));
  wide.window_area = 32 * 32;
  EXPECT_TRUE(supports(wide));
  FusedLayer pool = convolution();
  pool.op = Op::max_pool;
  pool.window_area = 81;
  EXPECT_FALSE(supports(pool));
  pool.window_area = 64;
  EXPECT_TRUE(supports(pool));
  for (const Op op :
       {Op::softmax, Op::layer_norm, Op::matmul, Op::linear, Op::resize, Op::embedding, Op::other}) {
    FusedLayer layer = convolution();
    layer.op = op;
    EXPECT_FALSE(supports(layer)) << to_string(op);
  }
  FusedLayer activated = convolution();
  activated.activation = Activation::silu;
  EXPECT_TRUE(supports(activated));
  for (const Activation none : {Activation::gelu, Activation::hard_swish, Activation::hard_sigmoid}) {
    activated.activation = none;
    EXPECT_FALSE(supports(activated)) << to_string(none);
  }
  FusedLayer through_a_volume = convolution();
  through_a_volume.volume = true;
  EXPECT_FALSE(supports(through_a_volume));
  EXPECT_TRUE(supports(Precision::int8) && supports(Precision::fp16));
  EXPECT_FALSE(supports(Precision::fp32) || supports(Precision::tf32));
}

// What it costs

TEST(DlaTask, of_one_convolution_is_its_operations_over_the_rate) {
  const FusedLayer layer = convolution(64, 56);  // stays in the SRAM but for its weights
  const Task task = task_of(std::span(&layer, 1), 1, Precision::int8, orin, full);
  const double seconds = 2.0 * static_cast<double>(layer.macs) / (16384 * 0.5 * 1.6e9);
  EXPECT_EQ(task.duration, sim::seconds(seconds) + microseconds(2));
  EXPECT_EQ(task.memory, Duration::zero());
  EXPECT_DOUBLE_EQ(task.dram_bytes, static_cast<double>(layer.weights));
}

TEST(DlaTask, pads_channels_to_whole_groups_of_32_bytes) {
  const auto time = [](int channels, Precision precision) {
    FusedLayer layer = convolution(channels, 56);
    layer.macs = 1'000'000'000 * std::int64_t{channels};  // per input channel the same
    return task_of(std::span(&layer, 1), 1, precision, orin, full).duration;
  };
  EXPECT_EQ(time(33, Precision::int8), time(64, Precision::int8));
  EXPECT_LT(time(32, Precision::int8), time(33, Precision::int8));
  EXPECT_EQ(time(17, Precision::fp16), time(32, Precision::fp16));
}

RC_GTEST_PROP(DlaTask, never_takes_longer_with_more_clock_or_bandwidth, ()) {
  const auto clock = *rc::gen::inRange(100, 1600);
  const auto share = *rc::gen::inRange(10, 100);
  const auto batch = *rc::gen::inRange(1, 64);
  const std::vector<FusedLayer> network = layers("mobilenet_v2");
  const auto take = [&](double hz, double memory) {
    return task_of(network, batch, Precision::int8, orin, {.dla_hz = hz, .memory = memory}).duration;
  };
  const double hz = 1e6 * clock, memory = 0.01 * share;
  RC_ASSERT(take(1.6e9, 1) <= take(hz, 1));
  RC_ASSERT(take(hz, 1) <= take(hz, memory));
  RC_ASSERT(take(hz, memory) <= take(1.6e9, 1) * (1 + static_cast<std::int64_t>(1.6e9 / hz / memory)));
}

TEST(DlaTask, in_a_precision_without_a_rate_is_refused) {
  const FusedLayer layer = convolution();
  EXPECT_THROW((void)task_of(std::span(&layer, 1), 1, Precision::tf32, orin, full), std::invalid_argument);
  EXPECT_THROW((void)task_of(std::span(&layer, 1), 1, Precision::int8, Spec{}, full), std::invalid_argument);
}

// Who is served when

struct Log {
  sim::Engine* engine = nullptr;
  std::vector<std::pair<TaskState, Time>> entries;
  [[nodiscard]] TaskListener listener() {
    return {.changed =
                [](void* self, TaskState state) {
                  auto* const log = static_cast<Log*>(self);
                  log->entries.emplace_back(state, log->engine->now());
                },
            .context = this};
  }
  [[nodiscard]] Time at(TaskState state) const {
    const auto found = std::ranges::find(entries, state, [](const auto& entry) { return entry.first; });
    return found == entries.end() ? Time::never() : found->second;
  }
};
Time at_us(double us) {
  return Time::zero() + microseconds(us);
}

TEST(Dla, serves_first_come_first_served_and_interrupts_nobody) {
  sim::Engine engine;
  Dla dla(engine, "dla0", orin);
  const Task longer{.duration = microseconds(1000), .memory = {}, .dram_bytes = 4e6},
      shorter{.duration = microseconds(10), .memory = {}};
  Log first{&engine, {}}, second{&engine, {}};
  dla.submit(longer, first.listener());
  dla.submit(shorter, second.listener());
  engine.run(at_us(800));
  EXPECT_EQ(dla.busy(), microseconds(500));
  EXPECT_NEAR(dla.dram_bytes(), 2e6, 1);
  engine.run(at_us(5000));
  EXPECT_EQ(first.at(TaskState::running), at_us(300));
  EXPECT_EQ(first.at(TaskState::finished), at_us(1300));
  EXPECT_EQ(second.at(TaskState::waiting), at_us(300));
  EXPECT_EQ(second.at(TaskState::running), at_us(1300));
  EXPECT_EQ(second.at(TaskState::finished), at_us(1310));
  EXPECT_EQ(dla.busy(), microseconds(1010));
}

TEST(Dla, with_half_of_the_memory_takes_twice_as_long_where_memory_bounds) {
  sim::Engine engine;
  Dla dla(engine, "dla0", orin);
  const Task task{.duration = microseconds(1000), .memory = microseconds(600), .dram_bytes = 1e6};
  Log log{&engine, {}};
  dla.submit(task, log.listener());
  engine.run(at_us(800));  // half of it is done
  dla.set_memory_share(0.5);
  engine.run(at_us(5000));
  EXPECT_EQ(log.at(TaskState::finished), at_us(1600));
  EXPECT_EQ(dla.busy(), microseconds(1300));
  EXPECT_DOUBLE_EQ(dla.dram_bytes(), 1e6);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dla
