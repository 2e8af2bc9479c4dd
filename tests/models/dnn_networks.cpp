// The names of the built-in networks, and what fusion makes of the networks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

TEST(Names, of_makers_and_of_ollama_are_read_and_each_means_one_model) {
  std::set<std::string> seen;
  for (const Model& model : models()) {
    EXPECT_TRUE(seen.insert(folded(model.name)).second) << model.name;
    EXPECT_EQ(llm::catalogue_name(model.name), model.name);
  }
  for (const std::string& name : known_names()) EXPECT_NE(find_model(name), nullptr) << name;
  for (const llm::Architecture& of : llm::architectures()) {
    EXPECT_TRUE(seen.insert(folded(of.name)).second) << of.name;
    EXPECT_EQ(llm::catalogue_name(of.name), of.name);
    const std::string source(of.source.substr(0, of.source.find(',')));
    if (of.cross == 0) {
      EXPECT_EQ(llm::catalogue_name(source), of.name);
    }
  }
  for (const auto& [written, name] : std::vector<std::pair<const char*, const char*>>{
           {"gemma3n:e2b", "gemma3n_e2b"},
           {"qwen2.5vl:3b", "qwen2.5_vl_3b"},
           {"Qwen/Qwen3-4B-Instruct-2507", "qwen3_4b"},
           {"meta-llama/Llama-3.2-3B", "llama3.2_3b"},
           {"rtdetr-l.pt", "rtdetr_l"},
           {"microsoft/resnet-50", "resnet50"},
           {"facebook/dinov3-vits16-pretrain-lvd1689m", "vit_small_patch16_dinov3"},
           {"openai/whisper-small", "whisper_small"},
           {"vit_base_patch16_224.augreg2_in21k_ft_in1k", "vit_base"},
           {"elsewhere/Qwen3-8B", "elsewhere/Qwen3-8B"}})
    EXPECT_EQ(llm::catalogue_name(written), name);
}

TEST(ModelNames, are_sorted_and_found_by_exact_spelling_only) {
  EXPECT_TRUE(std::ranges::is_sorted(model_names()));
  EXPECT_EQ(find_model("resnet5O"), nullptr);
}

TEST(Fusion, a_framework_runs_every_operator_of_resnet50_as_the_traces_do) {
  EXPECT_EQ(fuse(described_network("resnet50", 224), Lowering::framework).size(),
            174U);  // kernels.csv, fp32: 174 kernels
  EXPECT_EQ(fuse(described_network("mobilenet_v2", 224), Lowering::framework).size(), 151U);  // 151
  EXPECT_EQ(fuse(described_network("fcn_resnet50", 224), Lowering::framework).size(),
            177U);  // 178, of which one copies
}

TEST(Fusion, norm_activation_and_addition_vanish_into_convolutions) {
  const auto resnet = fuse(described_network("resnet50", 224), Lowering::optimised);
  EXPECT_EQ(resnet.size(), 56U);  // 53 convolutions, two pools, one linear layer
  EXPECT_TRUE(std::ranges::all_of(resnet, [](const FusedLayer& layer) {
    return layer.op == Op::conv || layer.op == Op::max_pool || layer.op == Op::average_pool ||
           layer.op == Op::linear;
  }));
  EXPECT_EQ(std::ranges::count_if(resnet, [](const FusedLayer& layer) { return layer.other_elements > 0; }),
            16);
  EXPECT_EQ(fuse(described_network("mobilenet_v2", 224), Lowering::optimised).size(), 54U);
  EXPECT_EQ(fuse(described_network("fcn_resnet50", 224), Lowering::optimised).size(), 57U);
}

TEST(Fusion, an_addition_goes_to_the_last_operand_computed) {
  const auto layers = fuse(described_network("resnet50", 224), Lowering::optimised);
  const auto first =
      std::ranges::find_if(layers, [](const FusedLayer& layer) { return layer.other_elements > 0; });
  ASSERT_NE(first, layers.end());
  EXPECT_EQ(first->name, "layer1.0.downsample");  // after conv3 of that block
}

TEST(Fusion, a_result_that_two_layers_read_is_not_folded_away) {
  LayerBuilder layers;
  const auto conv = layers.conv("conv", layers.input({8, 4, 4}), 8, {.window = 3});
  const auto norm = layers.batch_norm(conv);
  (void)layers.add(norm, layers.activation(conv));
  const auto fused = fuse(layers.take(), Lowering::optimised);
  ASSERT_EQ(fused.size(),
            2U);  // conv has two readers: nothing folds into it, and the three behind it are one
  EXPECT_EQ(fused[1].folded, 2);
  EXPECT_EQ(fused[1].other_elements, 0) << "what norm and activation read is read once";
}

TEST(Fusion, of_elementwise_layers_that_meet_is_one_kernel) {
  // A rotation by positions, of queries and of keys in each of twelve blocks.
  const auto layers = fuse(described_network("vit_small_patch16_dinov3", 256), Lowering::optimised);
  EXPECT_EQ(std::ranges::count_if(layers,
                                  [](const FusedLayer& layer) {
                                    return layer.op == Op::multiply && layer.folded == 2 &&
                                           layer.other_elements == 0;
                                  }),
            24);
  // Not beside a product: what a convolution computes is no part of the kernel of its neighbour.
  LayerBuilder apart;
  const auto input = apart.input({8, 4, 4});
  const auto one = apart.activation(input), two = apart.conv("conv", input, 8, {.window = 1});
  (void)apart.add(one, two);
  EXPECT_EQ(fuse(apart.take(), Lowering::optimised).size(), 2U);
}

TEST(Fusion, norms_and_rectifiers_vanish_in_thin_networks_too) {
  // Convolutions, a pool and a linear layer; nothing else is left.
  EXPECT_EQ(fuse(described_network("mobilenet_v1", 224), Lowering::optimised).size(), 29U);
  EXPECT_EQ(fuse(described_network("mnasnet1_0", 224), Lowering::optimised).size(), 54U);
  EXPECT_EQ(fuse(described_network("resnext50_32x4d", 224), Lowering::optimised).size(), 56U);
}

TEST(Fusion, of_a_shuffle_leaves_a_transposition_and_a_copy_of_the_half_that_is_kept) {
  const auto layers = fuse(described_network("shufflenet_v2_x1_0", 224), Lowering::optimised);
  EXPECT_EQ(std::ranges::count(layers, Op::transpose, &FusedLayer::op), 16);  // a unit each
  EXPECT_EQ(std::ranges::count(layers, Op::concat, &FusedLayer::op), 13);     // units with stride 1
}

TEST(Fusion, of_squeeze_and_excitation_leaves_a_gate_with_its_product) {
  const auto layers = fuse(described_network("mobilenet_v3_large", 224), Lowering::optimised);
  const auto gates = std::ranges::count_if(layers, [](const FusedLayer& layer) {
    return layer.name.ends_with(".se.fc2.activation") && layer.folded == 1 && layer.other_elements > 0;
  });
  EXPECT_EQ(gates, 8);
}

TEST(Fusion, of_attention_is_one_kernel_a_block) {
  for (const char* name : {"vit_base", "swin_t", "whisper_base"}) {
    const Model& model = *find_model(name);
    const auto layers = fuse(model.build(model.default_input), Lowering::optimised);
    EXPECT_EQ(std::ranges::count(layers, Op::softmax, &FusedLayer::op), 0) << name;
    EXPECT_EQ(std::ranges::count(layers, Op::matmul, &FusedLayer::op), model.family == "whisper" ? 6 : 12)
        << name;
  }
}

RC_GTEST_PROP(Fusion, keeps_every_operation_and_layer, ()) {
  const Model& model = models()[*rc::gen::inRange<std::size_t>(0, models().size())];
  // Multiples that the network takes.
  const int step = model.family == "depth_anything" ? 14
                   : model.name == "rfdetr_base"    ? 56
                   : model.name.ends_with("xlarge") ? 40
                                                    : 64;
  const int larger = step * *rc::gen::inRange(0, 3);
  const Network network = model.build(model.default_input + (model.family == "whisper" ? -larger : larger));
  std::int64_t macs = 0;
  std::size_t layers = 1;  // the input
  for (const FusedLayer& layer : fuse(network, Lowering::optimised)) {
    macs += layer.macs;
    if (layer.op != Op::concat)  // copies of its operands, which are layers of their own
      layers += 1 + static_cast<std::size_t>(layer.folded);
  }
  RC_ASSERT(macs == network.macs());
  std::size_t views = 0;  // what needs no kernel
  for (std::size_t node = 0; node < network.size(); ++node) {
    const Op op = network.layer(node).op;
    if (op == Op::reshape || op == Op::slice || op == Op::concat || op == Op::transpose) ++views;
  }
  RC_ASSERT(layers <= network.size());
  RC_ASSERT(layers + views >= network.size());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
