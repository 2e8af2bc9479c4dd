// ONNX files of opsets that are newer than the library's schemas: what changed in the form of a node changes
// nothing of the network.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiles/onnx_support.hpp"

namespace jostle::profiles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

// A node of a picture of 8 channels, 6 by 6, with whole numbers as further inputs.
struct Form {
  std::int64_t opset;
  std::vector<Ints> further;
  std::vector<OnnxAttribute> attributes;
  int outputs = 1;
};

OnnxFile file_of(const std::string& type, const Form& form) {
  OnnxFile file(form.opset);
  file.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{6}, std::int64_t{6}});
  const std::string made = file.node("Conv", "c", {"x", file.weight("w", {7, 8, 1, 1})});
  std::vector<std::string> inputs{made};
  for (const Ints& numbers : form.further)
    inputs.push_back(numbers.empty() ? "" : file.integers("i" + std::to_string(inputs.size()), numbers));
  std::vector<std::string> rest;
  for (int i = 1; i < form.outputs; ++i) rest.push_back("y" + std::to_string(i));
  file.output(file.node(type, "y", inputs, form.attributes, rest));
  for (const std::string& name : rest) file.output(name);
  return file;
}

std::vector<dnn::Shape> shapes(const OnnxNetwork& file) {
  std::vector<dnn::Shape> all;
  for (std::size_t i = 0; i < file.network.size(); ++i) all.push_back(file.network.layer(i).out);
  return all;
}

TEST(OnnxOpsets, newer_forms_of_a_node_mean_what_the_older_ones_do) {
  const OnnxAttribute axes{"axes", Ints{2, 3}}, over_channels{"axis", std::int64_t{1}};
  const OnnxAttribute window{"kernel_shape", Ints{2, 2}};
  struct Pair {
    std::string type;
    Form older, newer;
  };
  const std::vector<Pair> pairs{
      {"ReduceMean", {17, {}, {axes}}, {18, {{2, 3}}, {{"noop_with_empty_axes", std::int64_t{0}}}}},
      {"ReduceMax", {17, {}, {axes}}, {20, {{-2, -1}}, {}}},
      {"ReduceL2", {13, {}, {axes}}, {24, {{2, 3}}, {}}},
      {"Split",
       {13, {{4, 3}}, {over_channels}, 2},
       {18, {}, {over_channels, {"num_outputs", std::int64_t{2}}}, 2}},
      {"Pad", {13, {{0, 0, 1, 2, 0, 0, 1, 2}}, {}}, {18, {{1, 2, 1, 2}, {}, {2, -1}}, {}}},
      {"Resize",
       {13, {{}, {}, {1, 7, 12, 12}}, {}},
       {18, {{}, {}, {1, 7, 12, 12}}, {{"antialias", std::int64_t{1}}}}},
      {"AveragePool", {11, {}, {window}}, {19, {}, {window, {"dilations", Ints{1, 1}}}}},
      {"Cast",
       {13, {}, {{"to", std::int64_t{10}}}},
       {19, {}, {{"to", std::int64_t{10}}, {"saturate", std::int64_t{1}}}}}};
  for (const Pair& pair : pairs) {
    const OnnxNetwork older = read(file_of(pair.type, pair.older)),
                      newer = read(file_of(pair.type, pair.newer));
    EXPECT_EQ(shapes(newer), shapes(older)) << pair.type;
    EXPECT_EQ(newer.network.macs(), older.network.macs()) << pair.type;
    EXPECT_EQ(newer.network.parameters(), older.network.parameters()) << pair.type;
    EXPECT_THAT(newer.warnings, ElementsAre()) << pair.type;
  }
}

TEST(OnnxOpsets, what_cannot_be_told_of_a_newer_node_is_refused_with_its_name) {
  OnnxFile open(18);
  open.input("x", {std::int64_t{1}, std::int64_t{8}, std::int64_t{6}, std::int64_t{6}});
  open.input("axes", {std::int64_t{2}}, onnx::TensorProto::INT64);
  open.output(open.node("ReduceMean", "mean", {"x", "axes"}));
  EXPECT_THAT(refusal(open.bytes()), AllOf(HasSubstr("'mean'"), HasSubstr("axes")));
  EXPECT_THAT(refusal(file_of("Resize", {18, {{}, {}, {12, 12}}, {{"axes", Ints{2, 3}}}}).bytes()),
              HasSubstr("all axes"));
  EXPECT_THAT(refusal(file_of("Pad", {18, {{1, 1, 1, 1}, {}, {2, 9}}, {}}).bytes()), HasSubstr("axis 9"));
  EXPECT_THAT(refusal(file_of("Concat", {20, {{1, 2}}, {{"axis", std::int64_t{7}}}}).bytes()),
              HasSubstr("export it for opset 17"));
}

TEST(OnnxOpsets, numbers_of_fp8_are_none_of_int8) {
  OnnxFile file(19);
  file.input("x", {std::int64_t{1}, std::int64_t{64}, std::int64_t{8}, std::int64_t{8}});
  const std::string step = file.number("step", 1);
  constexpr int float8_e4m3 = 17;
  file.input("eight", {std::int64_t{1}, std::int64_t{64}, std::int64_t{8}, std::int64_t{8}}, float8_e4m3);
  const std::string in = file.node("DequantizeLinear", "dx", {"eight", step});
  file.output(file.node("Conv", "c", {in, file.weight("w", {64, 64, 1, 1})}));
  file.output(file.node("Relu", "r", {"x"}));
  const OnnxNetwork found = read(file);
  EXPECT_FALSE(layers_of(found.network, dnn::Op::conv).at(0).eight_bit);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("fp8")));
}

}  // namespace
}  // namespace jostle::profiles
