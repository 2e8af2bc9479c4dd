// Computed times of products in fp8 and in fp16 against those of an H200.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/roofline.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

double computed_us(const input::CsvTable::Row& row, dnn::Precision precision, const gpu::Spec& gpu) {
  const auto number = [&](const char* column) { return static_cast<int>(row.integer(column)); };
  dnn::FusedLayer layer;
  layer.op = dnn::Op::linear;
  layer.in = {.channels = number("depth"), .height = number("rows"), .width = 1};
  layer.out = {.channels = number("columns"), .height = number("rows"), .width = 1};
  layer.weights = static_cast<std::int64_t>(number("depth")) * number("columns");
  layer.macs = layer.weights * number("rows");
  const std::array layers{layer};
  return sim::to_us(dnn::roofline(layers, 1, precision, dnn::Lowering::framework, gpu).total());
}

TEST(ProductsOfAnH200, in_fp8_are_as_far_off_as_those_in_fp16_and_as_much_faster_as_measured) {
  input::Problems problems;
  const gpu::Spec gpu = shipped_profile("nvidia-h200", problems)->spec->gpu;
  const char* const file = "evidence/h200-fp8/products.csv";
  const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  double error16 = 0, error8 = 0, gain = 0, products = 0;
  double measured16 = 0, computed16 = 0;
  std::map<std::string, std::pair<double, double>> in_fp16;
  for (const input::CsvTable::Row row : table) {
    const std::string key = row.text("model") + row.text("product") + row.text("rows");
    const bool fp8 = row.text("precision") == "fp8";
    const double us = row.number("us");
    const double ours = computed_us(row, fp8 ? dnn::Precision::fp8 : dnn::Precision::fp16, gpu);
    (fp8 ? error8 : error16) += std::abs(ours / us - 1);
    if (!fp8) {
      in_fp16[key] = {us, ours};
      continue;
    }
    std::tie(measured16, computed16) = in_fp16.at(key);
    gain += std::abs(computed16 / ours / (measured16 / us) - 1);
    ++products;
  }
  EXPECT_EQ(products, 90);
  EXPECT_LE(error16 / products, 0.13) << "gpu.kernels.gemm_gain is fitted on them";
  EXPECT_LE(error8 / products, 0.14);
  EXPECT_LE(gain / products, 0.1) << "fp16 over fp8";
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
