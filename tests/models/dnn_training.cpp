// A step of training: what it computes, moves and holds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "models/dnn/builders/layers.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/roofline.hpp"
#include "models/dnn/training.hpp"
#include "models/memory/footprint.hpp"
#include "tests/models/dnn_support.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

Network built(const std::string& model) {
  const Model* const found = find_model(model);
  return found->build(found->default_input);
}
std::vector<FusedLayer> step(const std::string& model, Precision precision = Precision::fp32) {
  return training_step(fuse(built(model), Lowering::framework), precision);
}
std::int64_t macs(const std::vector<FusedLayer>& layers) {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const FusedLayer& layer) { return sum + layer.macs; });
}
std::ptrdiff_t count(const std::vector<FusedLayer>& layers, const std::string& ending) {
  return std::ranges::count_if(layers, [&](const FusedLayer& layer) { return layer.name.ends_with(ending); });
}
const FusedLayer& named(const std::vector<FusedLayer>& layers, const std::string& name) {
  const auto found = std::ranges::find(layers, name, &FusedLayer::name);
  if (found == layers.end()) throw std::runtime_error("no " + name);
  return *found;
}
gpu::KernelSequence run(const std::string& model, Precision precision, std::int64_t batch,
                        bool training = true) {
  return kernels_for({.model = model,
                      .precision = precision,
                      .batch = batch,
                      .lowering = Lowering::framework,
                      .training = training},
                     {}, orin());
}

TEST(AStepOfTraining, computes_three_times_the_forward_less_the_gradient_of_the_images) {
  for (const Model& model : models()) {
    const std::string name(model.name);
    const std::vector<FusedLayer> forward = fuse(built(name), Lowering::framework);
    std::int64_t of_images = 0;  // products that read the input alone; YOLOX's first reads slices of it
    for (const FusedLayer& layer : forward)
      of_images += layer.inputs.empty() || layer.name == "stem" ? layer.macs : 0;
    EXPECT_EQ(macs(step(name)), 3 * macs(forward) - of_images) << name;
    EXPECT_EQ(macs(step(name, Precision::fp16)), 3 * macs(forward) - of_images) << name;
  }
}

TEST(AStepOfTraining, has_a_gradient_for_every_product_and_none_of_the_images) {
  const std::vector<FusedLayer> layers = step("resnet50");
  EXPECT_EQ(count(layers, ".weight_gradient"), 54);
  EXPECT_EQ(count(layers, ".data_gradient"), 53);
  EXPECT_EQ(count(layers, "conv1.data_gradient"), count(layers, ".conv1.data_gradient"));  // not the stem's
  EXPECT_EQ(count(layers, ".bias_gradient"), 1);  // of the classifier
  EXPECT_EQ(count(layers, ".gradient_sum"), 16);  // what a block reads goes two ways
  EXPECT_EQ(count(layers, ".batch_norm.gradient"), 53);
  EXPECT_EQ(count(layers, ".add.gradient"), 0);
}

TEST(AStepOfTraining, updates_each_parameter_at_twenty_bytes_in_any_precision) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16}) {
    for (const std::int64_t batch : {1, 16}) {
      const auto bytes = static_cast<double>(run("resnet50", precision, batch).kernels.back().dram_bytes);
      EXPECT_NEAR(bytes, 20.0 * static_cast<double>(built("resnet50").parameters()), 1e-6 * bytes);
    }
  }
}

TEST(AStepOfTraining, in_fp16_casts_weights_and_gradients_and_unscales_them) {
  const std::vector<FusedLayer> half = step("resnet50", Precision::fp16);
  EXPECT_EQ(count(half, ".cast"), 54);
  EXPECT_EQ(count(half, ".gradient_cast"), 54);
  const FusedLayer& cast = named(half, "fc.cast");
  EXPECT_EQ(cast.once * 4, (2048 + 1) * 1000 * 6);
  EXPECT_EQ(cast.precision, Precision::fp32);
  EXPECT_EQ(named(half, "unscale").once, 2 * built("resnet50").parameters());
  for (const Precision precision : {Precision::fp32, Precision::tf32})
    EXPECT_EQ(count(step("resnet50", precision), "cast") + count(step("resnet50", precision), "unscale"), 0);
}

TEST(AStepOfTraining, normalises_in_two_passes_over_what_it_reads) {
  const std::vector<FusedLayer> layers = step("resnet18");
  const FusedLayer& forward = named(layers, "conv1.batch_norm");
  EXPECT_EQ(forward.other_elements, forward.in.elements());
  const FusedLayer& backward = named(layers, "conv1.batch_norm.gradient");
  EXPECT_EQ(backward.in.elements() + backward.other_elements, 4 * forward.in.elements());
}

TEST(AStepOfTraining, takes_some_three_times_the_forward_where_arithmetic_binds) {
  for (const char* model : {"resnet50", "vgg16"}) {
    const double step_s = sim::to_seconds(run(model, Precision::fp32, 32).total());
    const double forward_s = sim::to_seconds(run(model, Precision::fp32, 32, false).total());
    EXPECT_GT(step_s / forward_s, 2.5) << model;
    EXPECT_LT(step_s / forward_s, 4) << model;
  }
}

TEST(AStepOfTraining, reads_a_token_table_back_as_a_whole) {
  EXPECT_EQ(named(step("bert_tiny"), "word.weight_gradient").once, std::int64_t{30'522} * 128);
}

TEST(AStepOfTraining, cannot_be_int8_or_of_a_network_without_parameters) {
  EXPECT_THROW((void)step("resnet50", Precision::int8), std::invalid_argument);
  LayerBuilder layers(Activation::relu);
  (void)layers.activation(layers.input({3, 8, 8}));
  const Network network = layers.take();
  EXPECT_THROW((void)training_step(fuse(network, Lowering::framework), Precision::fp32),
               std::invalid_argument);
}

TEST(AStepOfTraining, says_that_it_is_one_and_is_graded_datasheet) {
  const gpu::KernelSequence sequence = run("resnet18", Precision::fp16, 4);
  EXPECT_EQ(sequence.grade, gpu::Grade::datasheet);
  EXPECT_NE(sequence.provenance.find("a step of training"), std::string::npos);
}

struct TrainingCase {
  std::string model = *rc::gen::element<std::string>("resnet18", "mobilenet_v2", "bert_tiny", "yolov4_tiny");
  Precision precision = *rc::gen::element(Precision::fp32, Precision::tf32, Precision::fp16);
  std::int64_t batch = *rc::gen::inRange<std::int64_t>(1, 40);
};

RC_GTEST_PROP(AStepOfTraining, never_takes_less_time_with_a_larger_batch, ()) {
  const TrainingCase some;
  const std::int64_t more = *rc::gen::inRange<std::int64_t>(1, 20);
  RC_ASSERT(run(some.model, some.precision, some.batch + more).total() >=
            run(some.model, some.precision, some.batch).total());
}

RC_GTEST_PROP(AStepOfTraining, is_bound_by_peak_arithmetic_and_by_its_bytes, ()) {
  const TrainingCase some;
  const gpu::Spec gpu = orin();
  const gpu::KernelSequence sequence = run(some.model, some.precision, some.batch);
  const double seconds = sim::to_seconds(sequence.total());
  const double peak = path_for(gpu, some.precision).ops_per_clock * gpu.sm_count * gpu.max_clock_hz;
  RC_ASSERT(seconds > 2.0 * static_cast<double>(some.batch * macs(step(some.model, some.precision))) / peak);
  RC_ASSERT(seconds > sequence.used.back().dram_bytes / gpu.bandwidth_bytes_per_s);
}

RC_GTEST_PROP(AStepOfTraining, moves_bytes_that_are_affine_in_the_batch_but_for_the_cache, ()) {
  const TrainingCase some;
  const auto bytes = [&](std::int64_t batch) {
    return run(some.model, some.precision, batch).used.back().dram_bytes;
  };
  // Beyond the cache each image moves the same.
  const double first = bytes(200) - bytes(100), second = bytes(300) - bytes(200);
  RC_ASSERT(std::abs(second / first - 1) < 0.05);
}

// Memory
// ---------------------------------------------------------------------------------------------------

memory::Footprint held(const std::string& model, Precision precision, std::int64_t batch,
                       bool training = true) {
  const Network network = built(model);
  return memory::footprint({.network = network,
                            .precision = precision,
                            .batch = batch,
                            .lowering = Lowering::framework,
                            .training = training},
                           orin(), 65536);
}

// What convolutions write is 11.1 M numbers (Radosavovic et al., CVPR 2020, "activations" of ResNet-50);
// what they and the classifier read is the other half of what is kept.
TEST(ATrainingProcess, keeps_what_convolutions_read_and_write) {
  const Network network = built("resnet50");
  double written = 0;
  for (Network::Node node = 0; node < network.size(); ++node) {
    if (network.layer(node).op == Op::conv)
      written += static_cast<double>(network.layer(node).out.elements());
  }
  EXPECT_NEAR(written, 11.1e6, 0.1e6);
  const double kept = memory::training_activation_bytes(network, 4) / 4;
  EXPECT_GT(kept, 1.7 * written);
  EXPECT_LT(kept, 2.3 * written);
}

TEST(ATrainingProcess, holds_weights_gradients_and_momentum) {
  const auto parameters = static_cast<double>(built("resnet50").parameters());
  EXPECT_NEAR(held("resnet50", Precision::fp32, 1).engine, 12 * parameters, 65536);
  EXPECT_NEAR(held("resnet50", Precision::fp16, 1).engine, 14 * parameters, 65536);
}

RC_GTEST_PROP(ATrainingProcess, holds_more_than_inference_and_more_with_a_larger_batch, ()) {
  const TrainingCase some;
  const memory::Footprint step = held(some.model, some.precision, some.batch);
  const memory::Footprint inference = held(some.model, some.precision, some.batch, false);
  RC_ASSERT(step.arena > inference.arena);
  RC_ASSERT(step.engine > inference.engine);
  RC_ASSERT(step.io == inference.io);
  const memory::Footprint larger = held(some.model, some.precision, 2 * some.batch);
  RC_ASSERT(std::abs(larger.arena - 2 * step.arena) <= 2 * 65536);
  RC_ASSERT(larger.engine == step.engine);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
