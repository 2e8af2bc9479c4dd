// Where networks may be cut in two, and what the parts are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/partition_points.hpp"
#include "models/dnn/roofline.hpp"
#include "tests/models/dnn_support.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

std::vector<FusedLayer> any_fused_network() {
  const Model& model = models()[*rc::gen::inRange<std::size_t>(0, models().size())];
  return fuse(model.build(model.default_input), Lowering::optimised);
}

std::int64_t macs(std::span<const FusedLayer> layers) {
  std::int64_t sum = 0;
  for (const FusedLayer& layer : layers) sum += layer.macs;
  return sum;
}

RC_GTEST_PROP(PartitionPoints, one_tensor_goes_from_the_head_to_the_tail_and_nothing_else_does, ()) {
  const std::vector<FusedLayer> layers = any_fused_network();
  for (const PartitionPoint& cut : partition_points(layers)) {
    std::set<std::size_t> crossing;
    for (std::size_t i = cut.layers; i < layers.size(); ++i) {
      RC_ASSERT(!layers[i].reads_input);
      for (const std::size_t from : layers[i].inputs)
        if (from < cut.layers) crossing.insert(from);
    }
    RC_ASSERT(crossing.size() == 1U);
    const FusedLayer& from = layers[*crossing.begin()];
    RC_ASSERT(from.name == cut.after);
    RC_ASSERT(from.out.elements() == cut.elements);
  }
}

RC_GTEST_PROP(PartitionPoints, head_and_tail_are_the_whole_network, ()) {
  const std::vector<FusedLayer> layers = any_fused_network();
  const std::vector<PartitionPoint> all = partition_points(layers);
  RC_PRE(!all.empty());
  const PartitionPoint& cut = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  const std::size_t rest = layers.size() - cut.layers;
  const auto head = part_of(layers, 0, cut.layers), tail = part_of(layers, cut.layers, rest);
  RC_ASSERT(macs(head) + macs(tail) == macs(layers));
  const PartShares front = shares_of(layers, 0, cut.layers), back = shares_of(layers, cut.layers, rest);
  RC_ASSERT(front.written == cut.elements);
  RC_ASSERT(back.read == cut.elements);
  RC_ASSERT(front.read == 0 && back.written == 0);
  RC_ASSERT(front.reads_input && !back.reads_input);
  RC_ASSERT(front.outputs == 0.0 && back.outputs == 1.0);
  RC_ASSERT(std::abs(front.parameters + back.parameters - 1) < 1e-12);
  // Of the kernels too: the tail's own reformats what it is given.
  const auto kernels = [](std::span<const FusedLayer> some) {
    return roofline(some, 1, Precision::fp16, Lowering::optimised, orin());
  };
  const gpu::KernelSequence whole = kernels(layers), first = kernels(head), second = kernels(tail);
  RC_ASSERT(first.kernels.size() + second.kernels.size() > whole.kernels.size());
  for (std::size_t i = 0; i < first.kernels.size(); ++i)
    RC_ASSERT(first.kernels[i].duration == whole.kernels[i].duration);
  const std::size_t reformats = first.kernels.size() + second.kernels.size() - whole.kernels.size();
  sim::Duration extra;
  for (std::size_t i = 0; i < reformats; ++i) extra += second.kernels[i].duration;
  if (reformats == 1) RC_ASSERT(first.total() + second.total() == whole.total() + extra);
}

RC_GTEST_PROP(PartitionPoints, narrowing_ones_are_those_that_no_earlier_one_undercuts, ()) {
  const std::vector<FusedLayer> layers = any_fused_network();
  const std::vector<PartitionPoint> all = partition_points(layers);
  const std::int64_t input = layers.front().in.elements();
  const std::vector<PartitionPoint> kept = narrowing(all, input);
  for (const PartitionPoint& cut : all) {
    const bool undercut = cut.elements >= input || std::ranges::any_of(all, [&](const PartitionPoint& other) {
                            return other.layers < cut.layers && other.elements <= cut.elements;
                          });
    RC_ASSERT(undercut == std::ranges::none_of(
                              kept, [&](const PartitionPoint& other) { return other.layers == cut.layers; }));
  }
}

TEST(PartitionPoints, all_layers_are_given_the_input_and_give_the_outputs) {
  for (const Model& model : models()) {
    const auto layers = fuse(model.build(model.default_input), Lowering::optimised);
    const PartShares all = shares_of(layers, 0, layers.size());
    EXPECT_TRUE(all.reads_input) << model.name;
    EXPECT_EQ(all.read, 0) << model.name;
    EXPECT_EQ(all.written, 0) << model.name;
    EXPECT_EQ(all.outputs, 1) << model.name;
    EXPECT_EQ(all.parameters, 1) << model.name;
  }
}

TEST(PartitionPoints, lie_between_the_blocks_of_resnet50_and_never_within_one) {
  const auto layers = fuse(described_network("resnet50", 224), Lowering::optimised);
  const std::vector<PartitionPoint> all = partition_points(layers);
  for (const PartitionPoint& cut : all)
    EXPECT_TRUE(!cut.after.starts_with("layer") || cut.after.ends_with("conv3") ||
                cut.after.ends_with("downsample"))
        << cut.after;
  // conv1, the pool, sixteen blocks, the average: the linear layer is the end.
  EXPECT_EQ(all.size(), 19U);
  // Of these the stages' ends send ever less than the image's 150528 elements.
  const std::vector<PartitionPoint> kept = narrowing(all, layers.front().in.elements());
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].elements, 2048 * 7 * 7);
  EXPECT_EQ(kept[1].elements, 2048);
}

TEST(PartitionPoints, are_anywhere_in_a_chain) {
  const auto layers = fuse(described_network("vgg16", 224), Lowering::optimised);
  EXPECT_EQ(partition_points(layers).size(), layers.size() - 1);
}

TEST(PartitionPoints, there_are_none_before_the_last_reader_of_the_input) {
  LayerBuilder builder;
  const auto image = builder.input({8, 4, 4});
  const auto first = builder.conv("first", image, 8, {.window = 3});
  const auto second = builder.conv("second", first, 8, {.window = 3});
  const auto sum = builder.add(second, image);  // as denoisers do
  const auto third = builder.conv("third", sum, 4, {.window = 3});
  (void)builder.conv("fourth", third, 2, {.window = 3});
  const auto layers = fuse(builder.take(), Lowering::optimised);
  const std::vector<PartitionPoint> all = partition_points(layers);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].after, "second");  // the sum is part of it
  EXPECT_EQ(all[1].after, "third");
}

TEST(PartitionPoints, there_are_none_behind_the_first_output) {
  LayerBuilder builder;
  const auto first = builder.conv("first", builder.input({8, 4, 4}), 8, {.window = 3});
  (void)builder.conv("early", first, 1, {.window = 3});
  const auto second = builder.conv("second", first, 8, {.window = 3});
  (void)builder.conv("late", second, 1, {.window = 3});
  const auto layers = fuse(builder.take(), Lowering::optimised);
  const std::vector<PartitionPoint> all = partition_points(layers);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].after, "first");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
