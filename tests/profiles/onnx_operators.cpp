// The operators that PyTorch's host is asked for by a network from a file, against a profiler's counts.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/dnn/batch_norms.hpp"
#include "models/dnn/framework_launches.hpp"
#include "profiles/onnx/steps.hpp"
#include "tests/profiles/onnx_support.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

struct Counts {
  double launching = 0, views = 0, launches = 0;
};
Counts counts_of(const dnn::Network& file) {
  const dnn::Network network = dnn::has_named_norms(file) ? dnn::with_batch_norms(file) : file;
  const auto launches = dnn::launches_of(network, 4, dnn::Precision::fp16);
  const gpu::Operators operators = dnn::operators_of(network, launches);
  return {operators.launching, operators.views, static_cast<double>(launches.size())};
}

constexpr const char* counts = "evidence/h200-random/operators.csv";

// timm's networks as PyTorch exports them, of which networks/ has some.
TEST(OnnxOperators, of_files_from_pytorch_are_those_that_a_profiler_counted) {
  const auto table = input::CsvTable::parse(calibration::evidence_file(counts).value_or(""), counts);
  int judged = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const auto counted = [&](const char* column) { return row.number(table.column(column)); };
    const std::string name = row.text(table.column("network"));
    std::ifstream file(std::string(JOSTLE_SOURCE_DIR) + "/tests/profiles/networks/" + name + ".onnx",
                       std::ios::binary);
    if (!file) continue;
    input::Problems problems;
    const auto read = parse_onnx(std::string(std::istreambuf_iterator<char>(file), {}), name, {}, problems);
    ASSERT_TRUE(read.has_value()) << problems.text();
    const Counts found = counts_of(read->network);
    EXPECT_EQ(found.launching, counted("launching")) << name;
    EXPECT_NEAR(found.views, counted("views"), 0.03 * (counted("launching") + counted("views"))) << name;
    EXPECT_NEAR(found.launches, counted("kernels"), 0.01 * counted("kernels")) << name;
    ++judged;
  }
  EXPECT_EQ(judged, 4);
}

// q, k and v of `heads` heads from one linear layer, as timm makes them, and what comes behind the mix.
std::string attention(OnnxFile& file, bool in_one_kernel) {
  const std::string rows = file.node("MatMul", "qkv", {"x", file.weight("qkv.w", {64, 192})});
  const std::string parts =
      file.node("Transpose", "turned",
                {file.node("Reshape", "heads", {rows, file.integers("shape", {1, 10, 3, 4, 16})})},
                {{"perm", std::vector<std::int64_t>{2, 0, 3, 1, 4}}});
  file.node("Split", "unbind", {parts, file.integers("ones", {1, 1, 1})}, {{"axis", std::int64_t{0}}},
            {"unbind.1", "unbind.2"});
  const auto part = [&](const std::string& name, const std::string& from) {
    return file.node("Squeeze", name, {from, file.integers(name + ".axis", {0})});
  };
  const std::string q = part("q", "unbind"), k = part("k", "unbind.1"), v = part("v", "unbind.2");
  std::string turned = file.node("Transpose", "kt", {k}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  const std::string scale = file.number("scale", 0.5F);
  const std::string left = file.node("Mul", "scaled_q", {q, scale});
  if (in_one_kernel) turned = file.node("Mul", "scaled_k", {turned, scale});
  const std::string scores = file.node("MatMul", "scores", {left, turned});
  const std::string mix = file.node(
      "MatMul", "mix", {file.node("Softmax", "softmax", {scores}, {{"axis", std::int64_t{-1}}}), v});
  const std::string merged =
      file.node("Transpose", "merged", {mix}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  return file.node("Reshape", "out", {merged, file.integers("rows", {1, 10, 64})});
}

Counts of_attention(bool in_one_kernel) {
  OnnxFile file;
  file.input("x", {1, 10, 64});
  const std::string rows = attention(file, in_one_kernel);
  file.output(file.node("Add", "sum", {rows, "x"}));
  return counts_of(read(file).network);
}

TEST(OnnxOperators, of_attention_in_one_kernel_are_one_with_its_views_and_dropout_around) {
  const Counts found = of_attention(true);
  EXPECT_EQ(found.launching, 3);  // the linear layer, the attention, the sum
  EXPECT_EQ(found.views, 6);      // reshape, permute, unbind, transpose, reshape; a dropout
}

TEST(OnnxOperators, of_attention_in_steps_are_its_steps_with_a_copy_before_the_merging_view) {
  const Counts found = of_attention(false);
  // The linear layer, scale, scores, softmax, mix, the reshape that copies, the sum.
  EXPECT_EQ(found.launching, 7);
  EXPECT_EQ(found.views, 6);         // reshape, permute, unbind, both transposes; a dropout
  EXPECT_EQ(found.launches, 7 + 3);  // copies of q, k and v: none is a stack of matrices
}

TEST(OnnxOperators, of_response_normalisation_are_its_sums_and_one_addcmul) {
  OnnxFile file;
  file.input("x", {1, 32, 14, 14});
  const std::string norm = file.node(
      "ReduceL2", "norm", {"x"}, {{"axes", std::vector<std::int64_t>{2, 3}}, {"keepdims", std::int64_t{1}}});
  const std::string mean = file.node("ReduceMean", "mean", {norm},
                                     {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{1}}});
  const std::string share =
      file.node("Div", "share", {norm, file.node("Add", "above", {mean, file.number("e", 1e-6F)})});
  const std::string product = file.node(
      "Mul", "times", {file.weight("gamma", {1, 32, 1, 1}), file.node("Mul", "scaled", {"x", share})});
  const std::string once = file.node("Mul", "once", {product, file.number("one", 1)});
  const std::string shifted = file.node("Add", "shifted", {file.weight("beta", {1, 32, 1, 1}), once});
  file.output(file.node("Add", "sum", {"x", shifted}));
  const Counts found = counts_of(read(file).network);
  EXPECT_EQ(found.launching, 7);  // norm, mean, sum, quotient, product, addcmul, sum
  EXPECT_EQ(found.views, 2);      // of the factor and the summand that are learned
}

TEST(OnnxOperators, norms_run_apart_where_the_file_names_what_the_exporter_folded) {
  OnnxFile file;
  file.input("x", {1, 3, 32, 32});
  const std::string stem = file.node(
      "Conv", "stem", {"x", file.weight("onnx::Conv_12", {8, 3, 3, 3}), file.weight("onnx::Conv_13", {8})});
  file.output(file.node("Conv", "last",
                        {stem, file.weight("last.weight", {8, 8, 1, 1}), file.weight("last.bias", {8})}));
  const dnn::Network network = read(file).network;
  EXPECT_TRUE(dnn::has_named_norms(network));
  const dnn::Network apart = dnn::with_batch_norms(network);
  EXPECT_EQ(layers_of(apart, dnn::Op::batch_norm).size(), 1U);
  EXPECT_FALSE(layers_of(apart, dnn::Op::conv).front().bias);
  EXPECT_TRUE(layers_of(apart, dnn::Op::conv).back().bias);
}

TEST(Strides, a_view_keeps_the_order_of_what_it_merges) {
  using onnx_reader::Dims;
  using onnx_reader::viewed;
  EXPECT_EQ(viewed({2, 3, 4}, {12, 4, 1}, {6, 4}), (Dims{4, 1}));
  EXPECT_EQ(viewed({2, 3, 4}, {12, 4, 1}, {2, 3, 2, 2}), (Dims{12, 4, 2, 1}));
  // Rows of a transposed matrix do not lie one after another.
  EXPECT_EQ(viewed({2, 4, 3}, {12, 1, 4}, {8, 3}), std::nullopt);
  EXPECT_EQ(viewed({2, 4, 3}, {12, 1, 4}, {2, 2, 2, 3}), (Dims{12, 2, 1, 4}));
  EXPECT_EQ(viewed({2, 3, 1, 1}, {3, 1, 3, 3}, {2, 3}), (Dims{3, 1}));
  EXPECT_EQ(viewed({}, {}, {1, 1}), (Dims{1, 1}));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
