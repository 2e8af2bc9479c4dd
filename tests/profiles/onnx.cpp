// ONNX files made here, read back as networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "models/memory/footprint.hpp"
#include "tests/profiles/onnx_support.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using dnn::Activation;
using dnn::Op;
using dnn::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

// Convolutional networks

TEST(Onnx, ANetworkWrittenAsOnnxReadsBackWithItsWorkAndParameters) {
  for (const dnn::Network& built :
       {dnn::described_network("resnet18", 224), dnn::described_network("resnet50", 224),
        dnn::described_network("mobilenet_v2", 160), dnn::described_network("mobilenet_v1", 224),
        dnn::described_network("resnext50_32x4d", 224)}) {
    for (const std::int64_t opset : {11, 13, 17}) {
      const OnnxNetwork read_back = read(onnx_of(built, opset));
      EXPECT_EQ(read_back.network.macs(), built.macs());
      EXPECT_EQ(read_back.network.parameters(), built.parameters());
      EXPECT_EQ(memory::bindings(read_back.network).inputs, memory::bindings(built).inputs);
      EXPECT_EQ(memory::bindings(read_back.network).outputs, memory::bindings(built).outputs);
      EXPECT_THAT(read_back.warnings, ElementsAre());
      EXPECT_EQ(read_back.opset, opset);
    }
  }
}

TEST(Onnx, LayersKeepTheirOrderNamesAndShapes) {
  const dnn::Network built = dnn::described_network("resnet50", 224);
  const dnn::Network read_back = read(onnx_of(built)).network;
  std::size_t at = 0;
  for (std::size_t node = 0; node < read_back.size(); ++node) {
    const dnn::Layer& layer = read_back.layer(node);
    if (layer.op == Op::reshape) continue;  // the Flatten of the file
    const dnn::Layer& expected = built.layer(at);
    EXPECT_EQ(layer.name, std::to_string(at) + "/" + expected.name);
    EXPECT_EQ(layer.op, expected.op) << layer.name;
    EXPECT_EQ(layer.out, expected.out) << layer.name;
    EXPECT_EQ(layer.macs(), expected.macs()) << layer.name;
    ++at;
  }
  EXPECT_EQ(at, built.size());
}

OnnxFile one_convolution(std::int64_t channels, std::int64_t groups, const std::vector<OnnxDim>& input) {
  OnnxFile file;
  file.input("x", input);
  file.output(file.node("Conv", "conv", {"x", file.weight("w", {64, channels / groups, 3, 5})},
                        {{"group", groups}, {"pads", std::vector<std::int64_t>{1, 2, 1, 2}}}));
  return file;
}

TEST(Onnx, GroupsAndDepthwiseConvolutionsDoTheirShareOfTheWork) {
  const std::vector<OnnxDim> image{std::int64_t{1}, std::int64_t{64}, std::int64_t{10}, std::int64_t{20}};
  for (const std::int64_t groups : {1, 4, 64}) {
    const auto convolutions = layers_of(read(one_convolution(64, groups, image)).network, Op::conv);
    ASSERT_EQ(convolutions.size(), 1U);
    EXPECT_EQ(convolutions[0].macs(), 200 * 64 * (64 / groups) * 15);
    EXPECT_EQ(convolutions[0].parameters(), 64 * (64 / groups) * 15);
    EXPECT_EQ(convolutions[0].depthwise(), groups == 64);
  }
}

TEST(Onnx, ATransposedConvolutionWorksAtEveryPositionItReads) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{32}, std::int64_t{8}, std::int64_t{8}});
  file.output(file.node("ConvTranspose", "up",
                        {"x", file.weight("w", {32, 16, 2, 2}), file.weight("b", {16})},
                        {{"strides", std::vector<std::int64_t>{2, 2}}}));
  const dnn::Network network = read(file).network;
  const auto layers = layers_of(network, Op::conv_transpose);
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].out, (Shape{16, 16, 16}));
  EXPECT_EQ(layers[0].macs(), 64 * 32 * 16 * 4);
  EXPECT_EQ(network.parameters(), 32 * 16 * 4 + 16);
}

TEST(Onnx, AConvolutionThroughAVolumeIsThatOfTheBuiltInNetwork) {
  OnnxFile file;
  const std::int64_t side = 16;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, side, side, side});
  file.output(file.node("Conv", "conv", {"x", file.weight("w", {12, 8, 3, 3, 3})},
                        {{"strides", std::vector<std::int64_t>{2, 2, 2}},
                         {"pads", std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}}}));
  const auto read_back = layers_of(read(file).network, Op::conv);
  ASSERT_EQ(read_back.size(), 1U);
  dnn::LayerBuilder layers;
  (void)layers.conv("conv", layers.input({8, 16 * 16, 16}), 12, {.window = 3, .stride = 2}, {.volume = true});
  const dnn::Layer built = layers_of(layers.take(), Op::conv).front();
  EXPECT_EQ(read_back[0].in, built.in);
  EXPECT_EQ(read_back[0].out, built.out);
  EXPECT_EQ(read_back[0].macs(), built.macs());
  EXPECT_EQ(read_back[0].window_area(), 27);
  EXPECT_TRUE(read_back[0].volume && built.volume);
}

TEST(Onnx, WeightsThatTwoLayersShareCountOnce) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{16}, std::int64_t{16}});
  const std::vector<OnnxAttribute> same{{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  const std::string weights = file.weight("w", {8, 8, 3, 3});
  const std::string once = file.node("Conv", "once", {"x", weights}, same);
  file.output(file.node("Conv", "twice", {once, weights}, same));
  const dnn::Network network = read(file).network;
  EXPECT_EQ(network.parameters(), 8 * 8 * 9);
  EXPECT_EQ(network.macs(), 2 * 256 * 8 * 8 * 9);
}

TEST(Onnx, HardActivationsHaveTheirNames) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{4}, std::int64_t{4}});
  const std::string swish = file.node("HardSwish", "swish", {"x"});
  file.output(file.node("HardSigmoid", "sigmoid", {swish}));
  const auto activations = layers_of(read(file).network, Op::activation);
  ASSERT_EQ(activations.size(), 2U);
  EXPECT_EQ(activations[0].activation, Activation::hard_swish);
  EXPECT_EQ(activations[1].activation, Activation::hard_sigmoid);
}

TEST(Onnx, XTimesItsSigmoidIsOneActivation) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{4}, std::int64_t{4}});
  file.output(file.node("Mul", "silu", {"x", file.node("Sigmoid", "sigmoid", {"x"})}));
  const dnn::Network network = read(file).network;
  ASSERT_EQ(network.size(), 2U);
  EXPECT_EQ(network.layer(1).op, Op::activation);
  EXPECT_EQ(network.layer(1).activation, Activation::silu);
  EXPECT_EQ(network.layer(1).name, "silu");
}

TEST(Onnx, ASigmoidThatSomethingElseReadsStaysItself) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{4}, std::int64_t{4}});
  file.output(file.node("Mul", "product", {"x", file.node("Sigmoid", "sigmoid", {"x"})}));
  file.output("sigmoid");
  EXPECT_EQ(layers_of(read(file).network, Op::multiply).size(), 1U);
}

TEST(Onnx, SplitConcatResizeAndPoolsHaveTheirShapes) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{6}, std::int64_t{6}});
  (void)file.node("Split", "split", {"x", file.integers("parts", {2, 6})}, {{"axis", std::int64_t{1}}},
                  {"rest"});
  const std::string pooled = file.node(
      "MaxPool", "pool", {"rest"},
      {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  const std::string grown =
      file.node("Resize", "resize", {pooled, "", "", file.integers("sizes", {1, 6, 6, 6})});
  const std::string all = file.node("Concat", "concat", {"split", grown}, {{"axis", std::int64_t{1}}});
  file.output(file.node("ReduceMean", "mean", {all}, {{"axes", std::vector<std::int64_t>{2, 3}}}));
  const dnn::Network network = read(file).network;
  EXPECT_EQ(layers_of(network, Op::slice).size(), 2U);
  EXPECT_EQ(layers_of(network, Op::max_pool).at(0).out, (Shape{6, 3, 3}));
  EXPECT_EQ(layers_of(network, Op::resize).at(0).out, (Shape{6, 6, 6}));
  EXPECT_EQ(layers_of(network, Op::concat).at(0).out, (Shape{8, 6, 6}));
  EXPECT_EQ(layers_of(network, Op::average_pool).at(0).window, 6);
}

// Transformers

TEST(Onnx, ATransformerLayerHasItsProductsWithEveryOpset) {
  constexpr std::int64_t tokens = 128, hidden = 256, heads = 4;
  for (const std::int64_t opset : {11, 13, 17}) {
    const OnnxNetwork file = read(onnx_transformer_layer(opset, tokens, hidden, heads));
    EXPECT_THAT(file.warnings, ElementsAre());
    const dnn::Network& network = file.network;
    EXPECT_EQ(network.macs(), tokens * hidden * (4 * hidden + 8 * hidden) + 2 * tokens * tokens * hidden);
    EXPECT_EQ(network.parameters(), 1000 * hidden + 12 * hidden * hidden + (4 + 4 + 1) * hidden + 4 * hidden);
    EXPECT_EQ(layers_of(network, Op::linear).size(), 6U);
    EXPECT_EQ(layers_of(network, Op::layer_norm).size(), 2U);
    EXPECT_EQ(layers_of(network, Op::embedding).at(0).depth, 1000);
    const auto gelu = layers_of(network, Op::activation);
    ASSERT_EQ(gelu.size(), 1U);
    EXPECT_EQ(gelu[0].activation, Activation::gelu);
    const auto products = layers_of(network, Op::matmul);
    ASSERT_EQ(products.size(), 2U);
    EXPECT_EQ(products[0].groups, heads);
    EXPECT_EQ(products[0].depth, hidden / heads);
    EXPECT_EQ(products[0].in, (Shape{hidden, tokens}));
    EXPECT_EQ(products[0].out, (Shape{heads * tokens, tokens}));
    EXPECT_EQ(products[1].out, (Shape{hidden, tokens}));
  }
}

TEST(Onnx, OpenTokensAreTheInput) {
  const OnnxFile file = onnx_transformer_layer(13, "tokens", 64, 2);
  EXPECT_EQ(read(file, 48).network.macs(),
            read(onnx_transformer_layer(13, std::int64_t{48}, 64, 2)).network.macs());
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("'tokens'"));
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("`input`"));
}

TEST(Onnx, PositionsThatAreAddedCountAsParameters) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{16}, std::int64_t{32}});
  file.output(file.node("Add", "sum", {"x", file.weight("positions", {1, 16, 32})}));
  EXPECT_EQ(read(file).network.parameters(), 16 * 32);
}

// Dimensions left open

TEST(Onnx, AnOpenBatchIsOneImage) {
  const dnn::Network built = dnn::described_network("resnet18", 64);
  for (const OnnxDim& batch : {OnnxDim("batch"), OnnxDim(""), OnnxDim(std::int64_t{-1})})
    EXPECT_EQ(read(onnx_of(built, 13, batch)).network.macs(), built.macs());
}

TEST(Onnx, ABatchInTheFileIsDividedOut) {
  const dnn::Network built = dnn::described_network("resnet18", 64);
  const OnnxNetwork file = read(onnx_of(built, 13, std::int64_t{8}));
  EXPECT_EQ(file.batch, 8);
  EXPECT_EQ(file.network.macs(), built.macs());
  EXPECT_EQ(memory::bindings(file.network).inputs, memory::bindings(built).inputs);
}

TEST(Onnx, ABatchThatTheOutputLacksIsRefused) {
  OnnxFile file;
  file.input("x", {std::int64_t{6}, std::int64_t{5}});
  file.output(file.node("Transpose", "across", {"x"}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("not a batch"));
}

TEST(Onnx, OpenSidesAreTheInputAndOpenChannelsAreThoseOfTheWeights) {
  const OnnxFile file = one_convolution(3, 1, {"n", "channels", "height", "width"});
  EXPECT_EQ(layers_of(read(file, 32).network, Op::input).at(0).out, (Shape{3, 32, 32}));
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("'height'"));
}

TEST(Onnx, OpenSidesOfARectangleAreItsHeightAndItsWidth) {
  const OnnxFile file = one_convolution(3, 1, {"n", "channels", "height", "width"});
  EXPECT_EQ(layers_of(read(file, dnn::rectangle(64, 32)).network, Op::input).at(0).out, (Shape{3, 32, 64}));
  const OnnxFile fixed = one_convolution(3, 1, {"n", "channels", std::int64_t{32}, "width"});
  EXPECT_EQ(layers_of(read(fixed, dnn::rectangle(64, 32)).network, Op::input).at(0).out, (Shape{3, 32, 64}));
  EXPECT_THAT(refusal(onnx_of(dnn::described_network("resnet18", 64)).bytes(), dnn::rectangle(96, 64)),
              HasSubstr("`input` is 96x64"));
  EXPECT_THAT(refusal(onnx_transformer_layer(13, "tokens", 64, 2).bytes(), dnn::rectangle(96, 64)),
              HasSubstr("'tokens'"));
}

TEST(Onnx, AnInputThatTheFileFixesOtherwiseIsRefused) {
  const OnnxFile file = onnx_of(dnn::described_network("resnet18", 64));
  EXPECT_EQ(read(file, 64).network.macs(), read(file).network.macs());
  EXPECT_THAT(refusal(file.bytes(), 96), HasSubstr("1 x 3 x 64 x 64"));
}

// What is not known

TEST(Onnx, AnUnknownOperatorMovesBytesAndIsNamedOnce) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{4}, std::int64_t{4}});
  const std::string one = file.node("com.acme.Twist", "twist1", {"x"});
  file.output(file.node("Relu", "relu", {file.node("com.acme.Twist", "twist2", {one})}));
  const OnnxNetwork network = read(file);
  const auto others = layers_of(network.network, Op::other);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].out, (Shape{8, 4, 4}));
  ASSERT_EQ(network.warnings.size(), 3U);
  EXPECT_THAT(network.warnings[0], HasSubstr("2 of 3 nodes"));
  EXPECT_THAT(network.warnings[1], HasSubstr("unknown operator, its cost is that of the bytes"));
  EXPECT_THAT(network.warnings[2], HasSubstr("unknown result shape"));
  for (const std::string& warning : {network.warnings[1], network.warnings[2]}) {
    EXPECT_THAT(warning, HasSubstr("com.acme.Twist"));
    EXPECT_THAT(warning, HasSubstr("2 nodes, the first is 'twist1'"));
  }
}

TEST(Onnx, TheShapeThatAFileDeclaresOfAnUnknownOperatorIsTaken) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{4}, std::int64_t{4}});
  (void)file.node("com.acme.Twist", "twist", {"x"});
  auto* const info = file.proto().mutable_graph()->add_value_info();
  info->set_name("twist");
  info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : {1, 5, 2, 2})
    info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
  file.output(file.node("Relu", "relu", {"twist"}));
  EXPECT_EQ(layers_of(read(file).network, Op::other).at(0).out, (Shape{5, 2, 2}));
}

TEST(Onnx, ControlFlowIsReadWithAWarning) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}});
  file.input("condition", {}, onnx::TensorProto::BOOL);
  (void)file.node("Loop", "loop", {"", "condition"});
  auto* const attribute = file.proto().mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  auto* const inner = attribute->mutable_g()->add_node();
  inner->set_op_type("Relu");
  inner->add_input("x");
  inner->add_output("y");
  file.output("loop");
  EXPECT_THAT(read(file).warnings, ElementsAre(HasSubstr("1 of 1 nodes"), HasSubstr("Loop: unknown operator"),
                                               HasSubstr("Loop: unknown result shape")));
}

TEST(Onnx, AnotherOpsetIsReadWithAWarning) {
  EXPECT_THAT(read(onnx_of(dnn::described_network("resnet18", 64), 30)).warnings,
              ElementsAre(HasSubstr("opset 30")));
  EXPECT_THAT(read(onnx_of(dnn::described_network("resnet18", 64), 9)).warnings,
              ElementsAre(HasSubstr("opset 9")));
}

// What is broken

TEST(Onnx, WhatIsNoOnnxFileIsRefused) {
  EXPECT_THAT(refusal("this is not an ONNX file at all"), HasSubstr("not an ONNX file"));
  EXPECT_THAT(refusal(""), HasSubstr("no graph"));
  const std::string whole = onnx_of(dnn::described_network("resnet18", 64)).bytes();
  for (const std::size_t share : {1U, 2U, 3U}) (void)refusal(whole.substr(0, whole.size() * share / 4));
}

TEST(Onnx, AGraphThatDoesNotHoldTogetherIsRefused) {
  OnnxFile cycle;
  cycle.input("x", {std::int64_t{1}, std::int64_t{8}});
  (void)cycle.node("Add", "a", {"x", "b"});
  cycle.output(cycle.node("Relu", "b", {"a"}));
  EXPECT_THAT(refusal(cycle.bytes()), HasSubstr("cycle"));

  OnnxFile dangling;
  dangling.input("x", {std::int64_t{1}, std::int64_t{8}});
  dangling.output(dangling.node("Add", "a", {"x", "nowhere"}));
  EXPECT_THAT(refusal(dangling.bytes()), HasSubstr("'nowhere'"));

  OnnxFile twice;
  twice.input("x", {std::int64_t{1}, std::int64_t{8}});
  (void)twice.node("Relu", "a", {"x"});
  twice.output(twice.node("Relu", "a", {"x"}));
  EXPECT_THAT(refusal(twice.bytes()), HasSubstr("'a'"));

  OnnxFile no_output;
  no_output.input("x", {std::int64_t{1}, std::int64_t{8}});
  (void)no_output.node("Relu", "a", {"x"});
  EXPECT_THAT(refusal(no_output.bytes()), HasSubstr("no output"));
}

TEST(Onnx, WeightsThatDoNotFitAreRefused) {
  const std::vector<OnnxDim> image{std::int64_t{1}, std::int64_t{7}, std::int64_t{10}, std::int64_t{20}};
  EXPECT_THAT(refusal(one_convolution(64, 1, image).bytes()), HasSubstr("conv"));
}

TEST(Onnx, AbsurdSizesAreRefusedAtOnce) {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  (void)refusal(one_convolution(3, 1, {std::int64_t{1}, std::int64_t{3}, huge, huge}).bytes());
  (void)refusal(
      one_convolution(
          3, 1, {std::int64_t{1}, std::int64_t{3}, std::int64_t{2'000'000'000}, std::int64_t{2'000'000'000}})
          .bytes());
  (void)refusal(
      one_convolution(3, 1, {std::int64_t{1}, std::int64_t{3}, std::int64_t{500'000}, std::int64_t{500'000}})
          .bytes());
  OnnxFile stride =
      one_convolution(3, 1, {std::int64_t{1}, std::int64_t{3}, std::int64_t{8}, std::int64_t{8}});
  auto* const strides = stride.proto().mutable_graph()->mutable_node(0)->add_attribute();
  strides->set_name("strides");
  strides->set_type(onnx::AttributeProto::INTS);
  strides->add_ints(0);
  strides->add_ints(1);
  EXPECT_THAT(refusal(stride.bytes()), HasSubstr("strides"));
}

using Integers = std::vector<std::int64_t>;
constexpr std::int64_t absurd = std::int64_t{1} << 62;

// The refusal of a file with one node, which reads x (1 x 8 x 6 x 6) and these lists of integers.
std::string refusal_of(const std::string& type, const std::vector<OnnxAttribute>& attributes,
                       const std::vector<Integers>& lists = {}) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{6}, std::int64_t{6}});
  std::vector<std::string> inputs{"x"};
  for (const Integers& list : lists)
    inputs.push_back(list.empty() ? "" : file.integers("list" + std::to_string(inputs.size()), list));
  if (type.find("Conv") != std::string::npos) inputs.push_back(file.weight("w", {8, 8, 3, 3}));
  file.output(file.node(type, "culprit", inputs, attributes));
  const std::string text = refusal(file.bytes());
  EXPECT_THAT(text, HasSubstr("node 'culprit' (" + type + ")"));
  return text;
}

TEST(Onnx, IndicesAxesAndOrdersBeyondTheirTensorAreRefused) {
  EXPECT_THAT(refusal_of("Gather", {{"axis", std::int64_t{1}}}, {{8}}),
              HasSubstr("index 8 into a dimension of 8"));
  EXPECT_THAT(refusal_of("Gather", {{"axis", std::int64_t{1}}}, {{-9}}), HasSubstr("index -9"));
  for (const std::int64_t axis : {std::int64_t{4}, std::int64_t{-5}, absurd, -absurd}) {
    for (const char* const type : {"Concat", "Softmax", "Split", "ArgMax"})
      EXPECT_THAT(refusal_of(type, {{"axis", axis}}), HasSubstr("axis"));
    EXPECT_THAT(refusal_of("Gather", {{"axis", axis}}, {{0}}), HasSubstr("axis"));
    EXPECT_THAT(refusal_of("ReduceMean", {{"axes", Integers{axis}}}), HasSubstr("axis"));
    EXPECT_THAT(refusal_of("Squeeze", {}, {{axis}}), HasSubstr("axis"));
    EXPECT_THAT(refusal_of("Slice", {}, {{0}, {1}, {axis}}), HasSubstr("axis"));
  }
  EXPECT_THAT(refusal_of("Unsqueeze", {}, {{absurd}}), HasSubstr("axis"));
  EXPECT_THAT(refusal_of("Flatten", {{"axis", absurd}}), HasSubstr("axis"));
  EXPECT_THAT(refusal_of("Transpose", {{"perm", Integers{0, 1, 1, 2}}}), HasSubstr("perm is not an order"));
  EXPECT_THAT(refusal_of("Transpose", {{"perm", Integers{0, 1}}}), HasSubstr("perm names 2 of 4"));
  EXPECT_THAT(refusal_of("Transpose", {{"perm", Integers{0, 1, 2, absurd}}}), HasSubstr("perm"));
  EXPECT_THAT(refusal_of("Slice", {}, {{0, 0}, {1}}), HasSubstr("differ in number"));
  EXPECT_THAT(refusal_of("Slice", {}, {{0}, {1}, {1}, {0}}), HasSubstr("a step of zero"));
  EXPECT_THAT(refusal_of("Split", {{"axis", std::int64_t{1}}}, {{7}}),
              HasSubstr("parts of 7 in all of a dimension of 8"));
  EXPECT_THAT(refusal_of("Split", {{"axis", std::int64_t{1}}}, {{4, 4}}), HasSubstr("2 sizes for 1 outputs"));
}

TEST(Onnx, ASliceToTheEndIsWrittenWithTheLargestNumber) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{6}, std::int64_t{6}});
  file.output(file.node("Slice", "rest",
                        {"x", file.integers("from", {2}), file.integers("to", {INT64_MAX}),
                         file.integers("axes", {1}), file.integers("steps", {2})}));
  EXPECT_EQ(layers_of(read(file).network, Op::slice).at(0).out, (Shape{3, 6, 6}));
}

TEST(Onnx, WindowsThatNoInputHoldsAreRefused) {
  for (const char* const name : {"strides", "dilations", "kernel_shape", "pads"}) {
    const Integers sizes(std::string(name) == "pads" ? 4 : 2, absurd);
    EXPECT_THAT(refusal_of("Conv", {{name, sizes}}), HasSubstr(name));
    EXPECT_THAT(refusal_of("MaxPool",
                           name == std::string("kernel_shape")
                               ? std::vector<OnnxAttribute>{{name, sizes}}
                               : std::vector<OnnxAttribute>{{"kernel_shape", Integers{2, 2}}, {name, sizes}}),
                HasSubstr(name));
    EXPECT_THAT(refusal_of("ConvTranspose", {{name, sizes}}), HasSubstr(name));
  }
  EXPECT_THAT(refusal_of("Conv", {{"pads", Integers{0, 0, 0, -1}}}), HasSubstr("pads"));
  EXPECT_THAT(refusal_of("Conv", {{"group", std::int64_t{0}}}), HasSubstr("group"));
  EXPECT_THAT(refusal_of("Conv", {{"group", absurd}}), HasSubstr("group"));
  EXPECT_THAT(refusal_of("Conv", {{"dilations", Integers{4, 1}}}), HasSubstr("a window of 9 does not fit"));
  EXPECT_THAT(refusal_of("Conv", {{"kernel_shape", Integers{5, 5}}}), HasSubstr("not that of the weights"));
  EXPECT_THAT(refusal_of("MaxPool", {{"kernel_shape", Integers{7, 1}}}),
              HasSubstr("a window of 7 does not fit"));
  EXPECT_THAT(refusal_of("DepthToSpace", {{"blocksize", absurd}}), HasSubstr("blocksize"));
  EXPECT_THAT(refusal_of("Pad", {}, {{0, 0, absurd, 0, 0, 0, absurd, 0}}), HasSubstr("a pad"));
}

TEST(Onnx, ShapesThatNoTensorHasAreRefused) {
  EXPECT_THAT(refusal_of("Reshape", {}, {{absurd, 4}}), HasSubstr("dimension"));
  EXPECT_THAT(refusal_of("Reshape", {}, {{2'000'000'000, 2'000'000'000, 2'000'000'000}}),
              HasSubstr("too many elements"));
  EXPECT_THAT(refusal_of("Reshape", {}, {{-1, -1}}), HasSubstr("more than one open dimension"));
  EXPECT_THAT(refusal_of("Reshape", {}, {{-2, 8}}), HasSubstr("dimension"));
  EXPECT_THAT(refusal_of("Reshape", {}, {{7, -1}}), HasSubstr("288 elements do not make a shape of 7 x -1"));
  EXPECT_THAT(refusal_of("Reshape", {}, {{1, 8, 6, 6, 0}}), HasSubstr("which has none"));
  EXPECT_THAT(refusal_of("Expand", {}, {{absurd, 8, 6, 6}}), HasSubstr("dimension"));
  EXPECT_THAT(refusal_of("Tile", {}, {{absurd, absurd, 1, 1}}), HasSubstr("dimension"));
  EXPECT_THAT(refusal_of("Resize", {}, {{}, {}, {1, 8, absurd, 6}}), HasSubstr("dimension"));
}

TEST(Onnx, WeightsWithoutElementsAreRefused) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}});
  file.output(file.node("MatMul", "culprit", {"x", file.weight("w", {8, 0})}));
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("node 'culprit' (MatMul): weights 'w' of no elements: 8 x 0"));
}

TEST(Onnx, WeightsMayBeLeftOutAltogether) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{64}});
  file.output(file.node("MatMul", "product", {"x", file.weight("w", {64, 64})}));
  onnx::TensorProto& weights = *file.proto().mutable_graph()->mutable_initializer(0);
  weights.clear_data_location();
  weights.clear_external_data();
  EXPECT_EQ(read(file).network.parameters(), 64 * 64);
}

TEST(Onnx, StoredNumbersAreAsManyAsTheDimensionsSay) {
  const auto with = [](const auto& change) {
    OnnxFile file;
    file.input("x", {std::int64_t{1}, std::int64_t{8}});
    file.output(file.node("MatMul", "product", {"x", file.weight("w", {8, 4})}));
    onnx::TensorProto& weights = *file.proto().mutable_graph()->mutable_initializer(0);
    weights.clear_data_location();
    weights.clear_external_data();
    change(weights);
    return file;
  };
  const auto floats = [](int count) {
    return [count](onnx::TensorProto& weights) {
      for (int i = 0; i < count; ++i) weights.add_float_data(1);
    };
  };
  const auto raw = [](std::size_t bytes, int type) {
    return [bytes, type](onnx::TensorProto& weights) {
      weights.set_raw_data(std::string(bytes, '\x81'));
      weights.set_data_type(type);
    };
  };
  EXPECT_EQ(read(with(floats(32))).network.parameters(), 32);
  EXPECT_EQ(read(with(raw(128, onnx::TensorProto::FLOAT))).network.parameters(), 32);
  for (const int count : {0, 31, 33})
    EXPECT_THAT(refusal(with(floats(count)).bytes()),
                HasSubstr("tensor 'w': " + std::to_string(count) + " numbers where the dimensions need 32"));
  EXPECT_THAT(refusal(with(raw(64, onnx::TensorProto::FLOAT)).bytes()), HasSubstr("16 numbers"));
  EXPECT_THAT(refusal(with(raw(127, onnx::TensorProto::FLOAT)).bytes()), HasSubstr("numbers"));

  OnnxFile constant;
  constant.input("x", {std::int64_t{1}, std::int64_t{8}});
  (void)constant.node("Constant", "culprit", {});
  auto* const attribute = constant.proto().mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  attribute->mutable_t()->set_data_type(onnx::TensorProto::INT64);
  attribute->mutable_t()->add_dims(2);
  attribute->mutable_t()->add_int64_data(1);
  constant.output(constant.node("Reshape", "view", {"x", "culprit"}));
  EXPECT_THAT(refusal(constant.bytes()), HasSubstr("node 'culprit': 1 numbers where the dimensions need 2"));
}

TEST(Onnx, WeightsInAnotherFileAreInItsFolderAndWhole) {
  const auto with = [](const char* key, const std::string& text) {
    OnnxFile file;
    file.input("x", {std::int64_t{1}, std::int64_t{8}});
    file.output(file.node("MatMul", "product", {"x", file.weight("w", {8, 4})}));
    auto& tensor = *file.proto().mutable_graph()->mutable_initializer(0);
    auto* entry =
        key == std::string("location") ? tensor.mutable_external_data(0) : tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(text);
    return file;
  };
  EXPECT_EQ(read(with("length", "128")).network.parameters(), 32);
  for (const char* const place : {"../secret", "/etc/passwd", "a/../../b", ""})
    EXPECT_THAT(refusal(with("location", place).bytes()), HasSubstr("outside of the folder"));
  EXPECT_THAT(refusal(with("length", "64").bytes()), HasSubstr("64 bytes where the dimensions need 128"));
  for (const char* const number : {"-1", "99999999999999999999", "x"})
    EXPECT_THAT(refusal(with("offset", number).bytes()), HasSubstr("impossible place"));

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "jostle_external";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "net.onnx", std::ios::binary) << with("offset", "10").bytes();
  for (const auto& [bytes, good] : {std::pair{138, true}, {137, false}}) {
    std::ofstream(folder / "not-there.bin", std::ios::binary)
        << std::string(static_cast<std::size_t>(bytes), 'x');
    input::Problems problems;
    EXPECT_EQ(read_onnx((folder / "net.onnx").string(), {}, problems).has_value(), good);
    EXPECT_EQ(problems.text().find("end at byte 138 of 'not-there.bin', which has 137") == std::string::npos,
              good);
  }
  std::filesystem::remove_all(folder);
}

TEST(Onnx, AFileThatIsNotThereOrADirectoryIsRefused) {
  for (const std::string path : {"/nonexistent/net.onnx", "/"}) {
    input::Problems problems;
    EXPECT_FALSE(read_onnx(path, {}, problems).has_value());
    EXPECT_THAT(problems.text(), HasSubstr(path));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
