// Operators that are several layers, those that ONNX Runtime fuses others into, and branches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/dnn/framework_launches.hpp"
#include "tests/profiles/onnx_support.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using dnn::Op;
using dnn::Shape;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t one = 1;

// Puts a node into the domain of ONNX Runtime's own operators.
void fuse(OnnxFile& file) {
  for (onnx::NodeProto& node : *file.proto().mutable_graph()->mutable_node())
    if (node.op_type() != "Relu") node.set_domain("com.microsoft");
  auto* const set = file.proto().add_opset_import();
  set->set_domain("com.microsoft");
  set->set_version(1);
}

void set_text(OnnxFile& file, const std::string& name, const std::string& text) {
  auto* const attribute = file.proto().mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(text);
}

TEST(OnnxFused, AttentionIsItsProductsWhetherFusedOrNot) {
  constexpr std::int64_t tokens = 128, hidden = 768, heads = 12;
  OnnxFile file;
  file.input("x", {one, tokens, hidden});
  file.output(file.node("Attention", "attention",
                        {"x", file.weight("w", {hidden, 3 * hidden}), file.weight("b", {3 * hidden})},
                        {{"num_heads", heads}}));
  fuse(file);
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.missing, 0);
  EXPECT_EQ(found.network.macs(), tokens * hidden * 3 * hidden + 2 * tokens * tokens * hidden);
  EXPECT_EQ(found.network.parameters(), hidden * 3 * hidden + 3 * hidden);
  EXPECT_EQ(layers_of(found.network, Op::softmax).front().out, (Shape{heads * tokens, tokens, 1}));
  EXPECT_EQ(found.network.layer(found.network.size() - 1).out, (Shape{hidden, tokens, 1}));
}

TEST(OnnxFused, GroupedQueriesShareKeysAndReadWhatCameBefore) {
  OnnxFile file;
  file.input("q", {one, std::int64_t{4}, std::int64_t{2048}});
  file.input("k", {one, std::int64_t{4}, std::int64_t{512}});
  file.input("v", {one, std::int64_t{4}, std::int64_t{512}});
  file.input("past_k", {one, std::int64_t{8}, std::int64_t{100}, std::int64_t{64}});
  file.input("past_v", {one, std::int64_t{8}, std::int64_t{100}, std::int64_t{64}});
  file.output(file.node("GroupQueryAttention", "gqa", {"q", "k", "v", "past_k", "past_v"},
                        {{"num_heads", std::int64_t{32}}, {"kv_num_heads", std::int64_t{8}}}));
  fuse(file);
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.network.macs(), 2 * 4 * 104 * 2048);
}

TEST(OnnxFused, EmbeddingsNormsAndPackedWeightsHaveTheirShapes) {
  OnnxFile file;
  file.input("ids", {one, std::int64_t{16}}, onnx::TensorProto::INT32);
  const std::string embedded =
      file.node("EmbedLayerNormalization", "embed",
                {"ids", "", file.weight("words", {1000, 64}), file.weight("positions", {512, 64}), "",
                 file.weight("gamma", {64}), file.weight("beta", {64})});
  const std::string packed = file.node("MatMulNBits", "up", {embedded, file.weight("p", {256, 2, 16})},
                                       {{"N", std::int64_t{256}}, {"K", std::int64_t{64}}});
  const std::string gelu = file.node("BiasGelu", "gelu", {packed, file.weight("gb", {256})});
  const std::string down = file.node("FusedMatMul", "down", {gelu, file.weight("d", {256, 64})});
  const std::string turned = file.node("RotaryEmbedding", "rotary", {down, "ids"});
  file.output(file.node("SkipLayerNormalization", "skip", {turned, embedded, file.weight("g", {64})}));
  fuse(file);
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.network.macs(), 16 * 64 * 256 * 2);
  EXPECT_EQ(layers_of(found.network, Op::embedding).front().depth, 1000);
  EXPECT_EQ(layers_of(found.network, Op::layer_norm).size(), 2U);
}

TEST(OnnxFused, AConvolutionWithItsActivationIsAConvolution) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{16}, std::int64_t{16}});
  const std::string out = file.node("FusedConv", "conv", {"x", file.weight("w", {12, 8, 3, 3})},
                                    {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  set_text(file, "activation", "Relu");
  file.output(out);
  fuse(file);
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.network.macs(), 256 * 12 * 8 * 9);
}

TEST(OnnxChains, EinsumMultipliesOverAllItsIndices) {
  OnnxFile file;
  file.input("q", {one, std::int64_t{8}, std::int64_t{128}, std::int64_t{64}});
  file.input("k", {one, std::int64_t{8}, std::int64_t{96}, std::int64_t{64}});
  const std::string out = file.node("Einsum", "scores", {"q", "k"});
  set_text(file, "equation", "bhqd,bhkd->bhqk");
  file.output(out);
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.network.macs(), 8 * 128 * 96 * 64);
}

TEST(OnnxChains, ARecurrentLayerWorksAtEveryStepAndMayGiveItsLastStateAlone) {
  constexpr std::int64_t steps = 20, features = 40, hidden = 128;
  for (const auto& [type, gates] : {std::pair{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}}) {
    OnnxFile file;
    file.input("x", {steps, one, features});
    file.output("last");
    (void)file.node(
        type, "rnn",
        {"x", file.weight("w", {1, gates * hidden, features}), file.weight("r", {1, gates * hidden, hidden})},
        {{"hidden_size", hidden}}, {"last"});
    file.proto().mutable_graph()->mutable_node(0)->set_output(0, "");
    const OnnxNetwork found = read(file);
    EXPECT_THAT(found.warnings, ElementsAre()) << type;
    EXPECT_EQ(found.network.macs(), steps * gates * hidden * (features + hidden)) << type;
  }
}

// As in the operator models of ONNX itself.
TEST(OnnxChains, WeightsOfARecurrentLayerMayBeInputsAndHaveNoBatch) {
  OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{3}, std::int64_t{2}});
  file.input("w", {std::int64_t{1}, std::int64_t{12}, std::int64_t{2}});
  file.input("r", {std::int64_t{1}, std::int64_t{12}, std::int64_t{3}});
  file.output("last");
  (void)file.node("LSTM", "rnn", {"x", "w", "r"}, {{"hidden_size", std::int64_t{3}}}, {"last"});
  file.proto().mutable_graph()->mutable_node(0)->set_output(0, "");
  const OnnxNetwork found = read(file);
  EXPECT_EQ(found.batch, 3);
  EXPECT_EQ(found.network.macs(), 12 * (2 + 3));
}

TEST(OnnxQuantised, LayersSayThemselvesThatTheyAreComputedInEightBits) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{64}, std::int64_t{32}, std::int64_t{32}});
  const std::string step = file.weight("step", {1});
  const std::string in =
      file.node("DequantizeLinear", "dx", {file.node("QuantizeLinear", "qx", {"x", step}), step});
  const std::string weights = file.node("DequantizeLinear", "dw", {file.weight("w", {64, 64, 3, 3}), step});
  const std::string first =
      file.node("Conv", "first", {in, weights}, {{"pads", std::vector<std::int64_t>(4, 1)}});
  file.output(file.node("Conv", "second", {first, file.weight("v", {64, 64, 1, 1})}));
  const OnnxNetwork found = read(file);
  const auto layers = layers_of(found.network, Op::conv);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_TRUE(layers.front().eight_bit);
  EXPECT_FALSE(layers.back().eight_bit);
}

TEST(OnnxChains, WhatDetectorsEndInIsUnderstood) {
  OnnxFile file(16);
  file.input("boxes", {one, std::int64_t{1000}, std::int64_t{4}});
  file.input("scores", {one, std::int64_t{80}, std::int64_t{1000}});
  const std::string most = file.integers("most", {100});
  file.proto().mutable_graph()->mutable_initializer(0)->clear_dims();
  file.output(file.node("NonMaxSuppression", "nms", {"boxes", "scores", most}));
  const OnnxNetwork found = read(file);
  EXPECT_THAT(found.warnings, ElementsAre());
  EXPECT_EQ(found.network.layer(found.network.size() - 1).out.elements(), 80 * 100 * 3);
}

// Adds an If with a convolution in one branch and a view in the other.
void add_if(OnnxFile& file, const std::string& condition) {
  onnx::NodeProto& node = *file.proto().mutable_graph()->add_node();
  node.set_op_type("If");
  node.set_name("choice");
  node.add_input(condition);
  node.add_output("y");
  for (const char* const name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto& graph = *attribute.mutable_g();
    onnx::NodeProto& inner = *graph.add_node();
    const bool then = std::string_view(name) == "then_branch";
    inner.set_op_type(then ? "Conv" : "Relu");
    inner.set_name(then ? "inner" : "other");
    inner.add_input("x");
    if (then) inner.add_input("w");
    inner.add_output("t");  // both branches use the name, as exporters do
    onnx::NodeProto& last = *graph.add_node();
    last.set_op_type("Identity");
    last.add_input("t");
    last.add_output("out");
    if (then) {
      last.set_op_type("Relu");
      onnx::NodeProto& more = *graph.add_node();
      more.set_op_type("Relu");
      more.add_input("out");
      more.add_output("out2");
    }
    graph.add_output()->set_name(then ? "out2" : "out");
  }
  file.output("y");
}

TEST(OnnxBranches, ABranchThatAConstantChoosesIsPartOfTheNetwork) {
  for (const bool then : {true, false}) {
    OnnxFile file;
    file.input("x", {one, std::int64_t{8}, std::int64_t{8}, std::int64_t{8}});
    (void)file.weight("w", {8, 8, 1, 1});
    const std::string size = file.node("Size", "size", {"x"});
    const std::string equal =
        file.node("Equal", "equal", {size, file.integers("wanted", {then ? 512 : 511})});
    add_if(file, equal);
    const OnnxNetwork found = read(file);
    EXPECT_THAT(found.warnings, ElementsAre());
    EXPECT_EQ(found.network.macs(), then ? 64 * 64 : 0);
  }
}

TEST(OnnxBranches, AnOpenConditionTakesTheLargerBranchAndSaysSo) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{8}, std::int64_t{8}});
  file.input("condition", {one}, onnx::TensorProto::BOOL);
  (void)file.weight("w", {8, 8, 1, 1});
  add_if(file, "condition");
  const OnnxNetwork found = read(file);
  EXPECT_EQ(found.network.macs(), 64 * 64);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("condition is not known")));
  EXPECT_GT(found.missing, 0);
}

TEST(OnnxBranches, WrongBranchesAreRefused) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{8}, std::int64_t{8}});
  file.input("condition", {one}, onnx::TensorProto::BOOL);
  (void)file.weight("w", {8, 8, 1, 1});
  add_if(file, "condition");
  OnnxFile unread = file;
  unread.proto()
      .mutable_graph()
      ->mutable_node(0)
      ->mutable_attribute(0)
      ->mutable_g()
      ->mutable_node(0)
      ->set_input(0, "nowhere");
  EXPECT_THAT(refusal(unread.bytes()), HasSubstr("reads 'nowhere'"));
  OnnxFile lacking = file;
  lacking.proto().mutable_graph()->mutable_node(0)->mutable_attribute()->RemoveLast();
  EXPECT_THAT(refusal(lacking.bytes()), HasSubstr("lacks a branch"));
}

TEST(OnnxShare, WhatIsNotUnderstoodComesFirstWithItsShare) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{16}});
  const std::string unknown = file.node("Mystery", "mystery", {"x"});
  file.output(file.node("Relu", "relu", {unknown}));
  fuse(file);
  const OnnxNetwork found = read(file);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_THAT(found.warnings.front(), HasSubstr("1 of 2 nodes (50 %), with 50 % of the bytes"));
  EXPECT_EQ(found.missing, 0.5);
}

TEST(OnnxShare, PartsOfTheShapeOfSomethingUnknownAreNoLayers) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{16}});
  const std::string unknown = file.node("Mystery", "mystery", {"x"});
  fuse(file);
  const std::string shape = file.node("Shape", "shape", {unknown});
  const std::string parts =
      file.node("Split", "split", {shape, file.integers("sizes", {1, 1, 1, 1})}, {}, {"b", "c", "d"});
  file.output(file.node("Reshape", "reshape",
                        {unknown, file.node("Concat", "dims", {parts, "b"}, {{"axis", std::int64_t{0}}})}));
  EXPECT_THAT(read(file).warnings, Each(Not(HasSubstr("Split"))));
}

TEST(OnnxTranspose, OfNumbersIsFoldedSoSizesThatAreTurnedAroundAreKnown) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{8}, std::int64_t{24}});
  const std::string pairs =
      file.node("Reshape", "pairs", {file.integers("flat", {1, 6, 8, 4}), file.integers("square", {2, 2})});
  const std::string turned =
      file.node("Transpose", "turned", {pairs}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  const std::string dims = file.node("Reshape", "dims", {turned, file.integers("line", {-1})});
  const std::string image = file.node("Reshape", "image", {"x", dims});
  file.output(
      file.node("Slice", "rest",
                {image, file.integers("from", {2}), file.integers("to", {8}), file.integers("axes", {1})}));
  const OnnxNetwork found = read(file);
  EXPECT_EQ(layers_of(found.network, dnn::Op::slice).at(0).out, (dnn::Shape{6, 6, 4}));
}

TEST(OnnxConstants, ALayerOfConstantsAloneHasLaunchesAsOthersHave) {
  OnnxFile file;
  file.input("x", {one, std::int64_t{4}, std::int64_t{8}});
  const std::string table =
      file.node("MatMul", "table", {file.weight("a", {1, 4, 4}), file.weight("b", {4, 8})});
  file.output(file.node("Add", "sum", {"x", file.node("Sigmoid", "bias", {table})}));
  const OnnxNetwork found = read(file);
  for (const dnn::Precision precision : {dnn::Precision::fp16, dnn::Precision::tf32, dnn::Precision::fp32})
    EXPECT_FALSE(dnn::launches_of(found.network, 1, precision).empty());
}

TEST(OnnxSlice, BeforeOpset10ItsBoundsAreAttributesAndFoldAlike) {
  std::int64_t macs[2];
  for (const bool old : {true, false}) {
    OnnxFile file(old ? 9 : 11);
    file.input("x", {one, std::int64_t{8}, std::int64_t{6}, std::int64_t{4}});
    const std::string shape = file.node("Shape", "shape", {"x"});
    const std::vector<std::int64_t> from{1}, to{2};
    const std::string slice =
        old ? file.node("Slice", "slice", {shape},
                        {{"starts", from}, {"ends", to}, {"axes", std::vector<std::int64_t>{0}}})
            : file.node("Slice", "slice", {shape, file.integers("from", from), file.integers("to", to)});
    const std::string dims =
        file.node("Concat", "dims", {slice, file.integers("rest", {24})}, {{"axis", std::int64_t{0}}});
    const std::string rows = file.node("Reshape", "rows", {"x", dims});
    file.output(file.node("MatMul", "product", {rows, file.weight("w", {24, 10})}));
    const OnnxNetwork found = read(file);
    macs[old ? 0 : 1] = found.network.macs();
    EXPECT_EQ(found.network.macs(), 8 * 24 * 10);
  }
  EXPECT_EQ(macs[0], macs[1]);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
