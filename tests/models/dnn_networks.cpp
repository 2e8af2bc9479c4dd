// The built-in networks against their published sizes, and what fusion makes of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::dnn {
namespace {

struct Published {
  const char* name;
  double parameters_millions, gmacs;
};
// torchvision's model pages (weights IMAGENET1K_V1).
constexpr std::array<Published, 6> published{{{"resnet18", 11.690, 1.814},
                                              {"resnet34", 21.798, 3.664},
                                              {"resnet50", 25.557, 4.089},
                                              {"resnet101", 44.549, 7.801},
                                              {"resnet152", 60.193, 11.514},
                                              {"mobilenet_v2", 3.505, 0.301}}};

TEST(Networks, have_their_published_parameters_and_operations) {
  for (const Published& row : published) {
    const Model* const model = find_model(row.name);
    ASSERT_NE(model, nullptr) << row.name;
    const Network network = model->build(model->default_input);
    EXPECT_NEAR(static_cast<double>(network.parameters()) / 1e6, row.parameters_millions, 0.001) << row.name;
    EXPECT_NEAR(static_cast<double>(network.macs()) / 1e9, row.gmacs, 0.01 * row.gmacs) << row.name;
  }
}

TEST(Networks, fcn_resnet50_has_its_published_size_with_the_auxiliary_head) {
  // torchvision: 35 322 218 parameters, 152.717 GMAC at 520.
  EXPECT_EQ(build_fcn_resnet50_with_auxiliary(520).parameters(), 35'322'218);
  EXPECT_NEAR(static_cast<double>(build_fcn_resnet50_with_auxiliary(520).macs()) / 1e9, 152.717, 1.5);
  EXPECT_EQ(build_fcn_resnet50(224).parameters(), 35'322'218 - 2'365'205);
}

TEST(Networks, every_built_in_one_builds_and_its_edges_follow_the_order_of_its_layers) {
  for (const Model& model : models()) {
    const Network network = model.build(model.default_input);
    for (Network::Node node = 0; node < network.size(); ++node) {
      for (const Network::Node input : network.inputs(node)) EXPECT_LT(input, node);
      EXPECT_GT(network.layer(node).out.elements(), 0);
    }
  }
}

TEST(Networks, an_input_too_small_is_refused) {
  EXPECT_THROW((void)build_resnet50(0), std::invalid_argument);
}

TEST(Networks, a_layer_that_does_not_fit_its_input_is_refused) {
  Network network;
  const auto input = network.add({.name = "a", .in = {3, 8, 8}, .out = {3, 8, 8}}, {});
  EXPECT_THROW(
      (void)network.add({.name = "b", .op = Op::conv, .in = {4, 8, 8}, .out = {4, 8, 8}}, std::array{input}),
      std::invalid_argument);
}

TEST(Networks, model_names_are_sorted_and_misspellings_find_the_nearest) {
  EXPECT_TRUE(std::ranges::is_sorted(model_names()));
  EXPECT_EQ(nearest_model("resnet5O"), "resnet50");
  EXPECT_EQ(nearest_model("mobilnetv2"), "mobilenet_v2");
  EXPECT_EQ(find_model("resnet5O"), nullptr);
}

TEST(Fusion, a_framework_runs_every_operator_of_resnet50_as_the_traces_do) {
  EXPECT_EQ(fuse(build_resnet50(224), Lowering::framework).size(), 174U);  // kernels.csv, fp32: 174 kernels
  EXPECT_EQ(fuse(build_mobilenet_v2(224), Lowering::framework).size(), 151U);  // 151
  EXPECT_EQ(fuse(build_fcn_resnet50(224), Lowering::framework).size(), 177U);  // 178, of which one copies
}

TEST(Fusion, norm_activation_and_addition_vanish_into_convolutions) {
  const auto resnet = fuse(build_resnet50(224), Lowering::optimised);
  EXPECT_EQ(resnet.size(), 56U);  // 53 convolutions, two pools, one linear layer
  EXPECT_TRUE(std::ranges::all_of(resnet, [](const FusedLayer& layer) {
    return layer.op == Op::conv || layer.op == Op::max_pool || layer.op == Op::average_pool ||
           layer.op == Op::linear;
  }));
  EXPECT_EQ(
      std::ranges::count_if(resnet, [](const FusedLayer& layer) { return layer.residual_elements > 0; }), 16);
  EXPECT_EQ(fuse(build_mobilenet_v2(224), Lowering::optimised).size(), 54U);
  EXPECT_EQ(fuse(build_fcn_resnet50(224), Lowering::optimised).size(), 57U);
}

TEST(Fusion, an_addition_goes_to_the_last_operand_computed) {
  const auto layers = fuse(build_resnet50(224), Lowering::optimised);
  const auto first =
      std::ranges::find_if(layers, [](const FusedLayer& layer) { return layer.residual_elements > 0; });
  ASSERT_NE(first, layers.end());
  EXPECT_EQ(first->name, "layer1.0.downsample");  // after conv3 of that block
}

TEST(Fusion, a_result_that_two_layers_read_is_not_folded_away) {
  LayerBuilder layers;
  const auto conv = layers.conv("conv", layers.input({8, 4, 4}), 8, {.window = 3});
  const auto norm = layers.batch_norm(conv);
  (void)layers.add(norm, layers.activation(conv));
  EXPECT_EQ(fuse(layers.take(), Lowering::optimised).size(), 4U);  // nothing folds: conv has two readers
}

RC_GTEST_PROP(Fusion, keeps_every_operation_and_layer, ()) {
  const Model& model = models()[*rc::gen::inRange<std::size_t>(0, models().size())];
  const int input = *rc::gen::inRange(64, 320);
  const Network network = model.build(input);
  std::int64_t macs = 0;
  std::size_t layers = 1;  // the input
  for (const FusedLayer& layer : fuse(network, Lowering::optimised)) {
    macs += layer.macs;
    layers += 1 + static_cast<std::size_t>(layer.folded);
  }
  RC_ASSERT(macs == network.macs());
  RC_ASSERT(layers == network.size());
}

}  // namespace
}  // namespace jostle::dnn
